"""Without events: by comparing alone, and why."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tui.watch import Watcher, hints, watcher
from eval_tui.watch.fallback import Watchfiles
from eval_tui.watch.mounts import current_mounts, read_mounts, silent_mount
from tests.watch.support import Told, watching


async def test_polling_sees_edits_new_files_and_deleted_ones(project: Path, probe: Path) -> None:
    file = project / "a.txt"
    file.write_text("1")
    async with watching(probe, whole=[project], poll=True) as w:
        assert (w.watcher.mode, w.watcher.why_polling) == ("polling", "asked for")
        file.write_text("22")
        await w.told.told(file)
        deep = project / "run" / "cases" / "one" / "out.txt"
        deep.parent.mkdir(parents=True)
        deep.write_text("x")
        await w.told.told(deep, project)
        w.told.clear()
        shutil.rmtree(project)
        await w.told.told(deep, file)
        w.told.clear()
        deep.parent.mkdir(parents=True)
        deep.write_text("y")
        await w.told.told(deep)


async def test_the_sweep_sees_what_no_event_told(
    project: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints.Inotify, "_on_event", lambda *_: None)
    file = project / "a.txt"
    file.write_text("1")
    async with watching(probe, [project], sweep_s=0.05) as w:
        assert w.watcher.mode == "events"
        file.write_text("22")
        await w.told.told(file)
        await w.settle()
        assert w.seen() == {str(file)}


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="needs Linux")
async def test_a_limit_of_the_system_leads_to_polling(
    project: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = hints.Inotify.add

    def refuse(self: hints.Inotify, folder: str, deep: bool) -> None:
        if folder.endswith("deep"):
            raise hints.NoEvents("the limit fs.inotify.max_user_watches is reached")
        add(self, folder, deep)

    monkeypatch.setattr(hints.Inotify, "add", refuse)
    file = project / "deep" / "a.txt"
    file.parent.mkdir()
    file.write_text("1")
    async with watching(probe, [project]) as w:
        assert w.watcher.mode == "polling"
        assert "max_user_watches" in w.watcher.why_polling
        file.write_text("22")
        await w.told.told(file)


async def test_a_mount_without_events_leads_to_polling(
    project: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "current_mounts", lambda: {"/": "ext4", str(project): "nfs4"})
    file = project / "a.txt"
    file.write_text("1")
    async with watching(probe, [project]) as w:
        assert w.watcher.mode == "polling"
        assert w.watcher.why_polling == (
            f"{project} is on a mount of type nfs4, which reports no changes"
        )
        file.write_text("22")
        await w.told.told(file)


def test_mounts_are_read_with_their_escapes() -> None:
    text = "/dev/vda / ext4 rw 0 0\nserver:/x /mnt/my\\040share nfs rw 0 0\nbroken\n"
    assert read_mounts(text) == {"/": "ext4", "/mnt/my share": "nfs"}


SILENT = ("nfs4", "9p", "fuse.sshfs", "fuse", "drvfs")
LOCAL = ("ext4", "overlay", "fuseblk", "tmpfs")


@pytest.mark.parametrize(
    ("kind", "silent"), [*((kind, True) for kind in SILENT), *((kind, False) for kind in LOCAL)]
)
def test_which_mounts_are_silent(tmp_path: Path, kind: str, silent: bool) -> None:
    inside = tmp_path / "share" / "project"
    mounts = {"/": "ext4", str(tmp_path / "share"): kind}
    assert silent_mount([str(tmp_path)], mounts) is None
    assert silent_mount([str(inside)], mounts) == ((str(inside), kind) if silent else None)


def test_a_link_to_a_silent_mount_counts(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "link").symlink_to("share")
    mounts = {"/": "ext4", os.path.realpath(tmp_path / "share"): "nfs"}
    assert silent_mount([str(tmp_path / "link")], mounts) is not None


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="needs Linux")
def test_this_machine_has_mounts() -> None:
    assert "/" in current_mounts()


@pytest.fixture
def without_inotify(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(
        hint: hints.Hint, broken: Callable[[str], None], loop: asyncio.AbstractEventLoop
    ) -> hints.Source:
        return Watchfiles(hint, broken, loop)

    monkeypatch.setattr(watcher, "open_source", other)


@pytest.mark.usefixtures("without_inotify")
async def test_watchfiles_serves_where_there_is_no_inotify(project: Path, probe: Path) -> None:
    run = project / "runs" / "r1"
    file, single = run / "cases" / "one" / "out.txt", project / "prompt.md"
    file.parent.mkdir(parents=True)
    file.write_text("1")
    async with watching(probe, files=[single], whole=[run]) as w:
        assert w.watcher.mode == "events"
        for text in ("first", "second"):
            single.write_text(text)
            file.write_text(text)
            await w.told.told(single, file)
            w.told.clear()
            shutil.rmtree(run)
            await w.told.told(file)
            w.told.clear()
            file.parent.mkdir(parents=True)
            file.write_text("back")
            await w.told.told(file)
            w.told.clear()


async def test_watchfiles_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, eval_tui.watch; sys.exit('watchfiles' in sys.modules)"
    process = await asyncio.create_subprocess_exec(os.sys.executable, "-c", code)
    assert await process.wait() == 0


async def test_a_cancelled_watcher_leaves_nothing_open(project: Path) -> None:
    def open_files() -> set[str]:
        links = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
        return {os.readlink(link) for link in links if os.path.lexists(link)}

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    before = "anon_inode:inotify" in open_files()
    seen = Watcher(Told())
    seen.set_roots([project], [])
    task = asyncio.create_task(seen.run())
    await seen.ready()
    assert "anon_inode:inotify" in open_files()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ("anon_inode:inotify" in open_files()) is before
