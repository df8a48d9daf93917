"""Private copies of cases, and folders of workers that are gone."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from eval_tui.engine import casecopy, scratch
from eval_tui.engine.casecopy import TooLarge, copy_case


@pytest.fixture
def case(tmp_path: Path) -> Path:
    folder = tmp_path / "case"
    (folder / "out" / "deep").mkdir(parents=True)
    (folder / "out" / "deep" / "page.md").write_text("page")
    tool = folder / "tool.sh"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o555)
    return folder


def test_files_keep_their_rights_and_times(case: Path, tmp_path: Path) -> None:
    os.utime(case / "out" / "deep" / "page.md", (1_000, 1_000))
    copy_case(str(case), str(tmp_path / "copy"))
    copy = tmp_path / "copy"
    assert (copy / "out" / "deep" / "page.md").read_text() == "page"
    assert (copy / "out" / "deep" / "page.md").stat().st_mtime == 1_000
    assert os.access(copy / "tool.sh", os.X_OK | os.W_OK)


def test_links_lead_nowhere_but_into_the_copy(case: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    links = {
        "relative": "out/deep/page.md",
        "absolute": str(case / "out"),
        "outside": str(secret),
        "up": "../secret.txt",
        "device": "/dev/zero",
        "round": "round",
    }
    for name, target in links.items():
        (case / name).symlink_to(target)
    copy = tmp_path / "copy"
    copy_case(str(case), str(copy))
    assert (copy / "relative").read_text() == "page"
    assert (copy / "absolute").resolve() == copy / "out"
    assert not {"outside", "up", "device"} & set(os.listdir(copy))


def test_what_is_no_file_is_left_out(case: Path, tmp_path: Path) -> None:
    os.mkfifo(case / "pipe")
    here = os.getcwd()
    os.chdir(case)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("socket")
    finally:
        os.chdir(here)
    copy_case(str(case), str(tmp_path / "copy"))
    assert sorted(os.listdir(tmp_path / "copy")) == ["out", "tool.sh"]


def test_a_case_may_be_too_large(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(casecopy, "MAX_BYTES", 5)
    with pytest.raises(TooLarge):
        copy_case(str(case), str(tmp_path / "one"))
    monkeypatch.undo()
    monkeypatch.setattr(casecopy, "MAX_ENTRIES", 3)
    with pytest.raises(TooLarge):
        copy_case(str(case), str(tmp_path / "two"))


def test_a_folder_goes_whatever_is_in_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    folder = tmp_path / "gone"
    inner = folder
    for _ in range(1_200):  # deeper than Python's own recursion
        inner = inner / "d"
    subprocess.run(["mkdir", "-p", inner], check=True)
    (folder / "link").symlink_to(kept)
    (folder / "locked").mkdir()
    (folder / "locked" / "file").write_text("x")
    (folder / "locked").chmod(0)
    scratch.remove(str(folder))
    assert not folder.exists() and (kept / "file").exists()


def test_nothing_around_a_folder_is_changed_when_it_goes(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    scratch.remove(str(tmp_path / "somebody-else-was-faster"))
    assert tmp_path.stat().st_mode & 0o777 == 0o755


@pytest.mark.skipif(sys.platform != "linux", reason="process ids of Linux")
def test_what_the_dead_left_behind_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_PLACE", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, living = scratch.folder_of(ended.pid), scratch.folder_of(os.getpid())
    for folder in (dead, living, str(tmp_path / "somebody-elses")):
        os.makedirs(os.path.join(folder, "1"))
    scratch.remove_abandoned()
    assert sorted(os.listdir(tmp_path)) == sorted([os.path.basename(living), "somebody-elses"])
