"""What is seen through events alone: no sweep ever runs here."""

import asyncio
import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from eval_tui.watch import Change, Watcher
from tests.watch.support import Told, watching


async def test_a_save_is_told_with_its_path_alone(project: Path, probe: Path) -> None:
    config = project / "eval.yaml"
    config.write_text("a")
    (project / "other.py").write_text("x")
    async with watching(probe, [project]) as w:
        config.write_text("ab")
        await w.told.told(config)
        await w.settle()
        assert w.seen() == {str(config)}
        assert not any(change.rescan for change in w.told.changes)
        assert w.watcher.mode == "events" and w.watcher.why_polling == ""


async def test_a_rewrite_of_same_size_and_time_is_seen(project: Path, probe: Path) -> None:
    file = project / "a.txt"
    file.write_text("one")
    before = file.stat()
    async with watching(probe, [project]) as w:
        file.write_text("two")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        await w.told.told(file)


async def test_twenty_saves_at_once_are_one_change(project: Path, probe: Path) -> None:
    file = project / "judge.py"
    file.write_text("")
    async with watching(probe, [project]) as w:
        for n in range(20):
            file.write_text("x" * n)
        await w.told.told(file)
        await w.settle()
        assert sum(str(file) in change.paths for change in w.told.changes) == 1


async def test_editors_own_files_are_no_changes(project: Path, probe: Path) -> None:
    kept = project / "eval-tui.lock"
    async with watching(probe, [project]) as w:
        for name in (".eval.yaml.swp", ".a.swx", "4913", "a.py~", ".#a.py", "#a.py#", "x.lck"):
            (project / name).write_text("x")
        (project / "__pycache__").mkdir()
        (project / "__pycache__" / "a.pyc").write_text("x")
        (project / "half").write_text("x")
        (project / "half").unlink()
        await w.settle()
        assert w.seen() <= {str(project), str(project / "__pycache__")}
        kept.write_text("x")
        await w.told.told(kept)


async def test_a_folder_named_like_vims_probe_counts(project: Path, probe: Path) -> None:
    async with watching(probe, whole=[project]) as w:
        case = project / "4913" / "output.txt"
        case.parent.mkdir()
        case.write_text("x")
        await w.told.told(case, case.parent)


def _rename_over(file: Path, text: str) -> None:
    new = file.with_name(".new-" + file.name)
    new.write_text(text)
    new.rename(file)


def _vim(file: Path, text: str) -> None:
    swap, backup = file.with_name(f".{file.name}.swp"), file.with_name(file.name + "~")
    swap.write_text("swap")
    probe = file.with_name("4913")
    probe.write_text("")
    probe.unlink()
    file.rename(backup)
    file.write_text(text)
    backup.unlink()
    swap.unlink()


def _sed(file: Path, text: str) -> None:
    subprocess.run(["sed", "-i", f"s/.*/{text}/", str(file)], check=True)


@pytest.mark.parametrize("save", [_rename_over, _vim, _sed])
@pytest.mark.parametrize("single", [True, False])
async def test_every_save_is_seen_whatever_the_editor_does(
    project: Path, probe: Path, save, single: bool
) -> None:
    file = project / "prompt.md"
    file.write_text("zero\n")
    folders, files = ([], [file]) if single else ([project], [])
    async with watching(probe, folders, files) as w:
        for text in ("one", "two", "three"):
            w.told.clear()
            save(file, text)
            await w.told.told(file)
        await w.settle()
        assert w.seen() <= {str(file), str(project)}


async def test_only_the_file_that_was_asked_for(project: Path, probe: Path) -> None:
    wanted, other = project / "context.md", project / "other.md"
    async with watching(probe, files=[wanted]) as w:
        other.write_text("x")
        wanted.write_text("appeared")
        await w.told.told(wanted)
        other.write_text("y")
        wanted.unlink()
        w.told.clear()
        await w.told.told(wanted)
        await w.settle()
        assert w.seen() == {str(wanted)}


async def test_a_file_in_folders_that_do_not_exist_yet(project: Path, probe: Path) -> None:
    wanted = project / "a" / "b" / "context.md"
    async with watching(probe, files=[wanted]) as w:
        for text in ("first", "second"):
            wanted.parent.mkdir(parents=True)
            wanted.write_text(text)
            await w.told.told(wanted)
            w.told.clear()
            shutil.rmtree(project / "a")
            await w.told.told(wanted)
            w.told.clear()


async def test_folders_made_and_filled_at_once(project: Path, probe: Path) -> None:
    async with watching(probe, whole=[project]) as w:
        files = [project / f"run-{n}" / "cases" / "one" / "result.json" for n in range(100)]
        for file in files:
            file.parent.mkdir(parents=True)
            file.write_text("{}")
        await w.told.told(*files, *(file.parent for file in files))


async def test_a_folder_moved_in_and_renamed(project: Path, probe: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "a.txt").write_text("old")
    async with watching(probe, [project]) as w:
        outside.rename(project / "in")
        await w.told.told(project / "in" / "deep" / "a.txt")
        w.told.clear()
        (project / "in").rename(project / "renamed")
        await w.told.told(project / "in" / "deep" / "a.txt", project / "renamed" / "deep" / "a.txt")
        w.told.clear()
        (project / "renamed" / "deep" / "a.txt").write_text("new")
        await w.told.told(project / "renamed" / "deep" / "a.txt")
        await w.settle()
        assert w.seen() == {str(project / "renamed" / "deep" / "a.txt")}


async def test_two_thousand_files_are_one_change_with_the_final_state(
    project: Path, probe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the bound on the wait, which a slow machine might reach in between.
    monkeypatch.setattr("eval_tui.watch.watcher.LONGEST_S", 60.0)
    files = [project / f"d{n % 40}" / f"f{n}.txt" for n in range(2000)]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("old")
    async with watching(probe, [project]) as w:
        for file in files:
            file.write_text("newer")
        await w.told.told(*files)
        await w.settle()
        # The event loop stood still while we wrote, so this is one burst and one change.
        assert sum(bool(c.paths & {str(f) for f in files}) for c in w.told.changes) == 1
        assert w.seen() == {str(f) for f in files}


async def test_a_burst_without_end_is_told_in_time(project: Path, probe: Path) -> None:
    busy = project / "log.txt"
    busy.write_text("")
    async with watching(probe, [project]) as w:

        async def write_on() -> None:
            for n in itertools.count():
                busy.write_text(str(n))
                await asyncio.sleep(0.005)

        writer = asyncio.create_task(write_on())
        # No quiet ever comes, and still one change after the other is told.
        await w.told.until(lambda: len(w.told.changes) >= 2)
        writer.cancel()


async def test_more_events_than_the_system_keeps(project: Path, probe: Path) -> None:
    limit = Path("/proc/sys/fs/inotify/max_queued_events")
    if not limit.exists() or int(limit.read_text()) > 20_000:
        pytest.skip("needs a small queue of events")
    files = [project / f"f{n}" for n in range(int(limit.read_text()) // 3 + 200)]
    async with watching(probe, [project]) as w:
        for file in files:
            file.write_text("x")
        await w.told.told(*files)
        assert any(change.rescan for change in w.told.changes)
        w.told.clear()
        files[0].write_text("again")
        await w.told.told(files[0])


async def test_a_root_deleted_and_recreated_comes_back(project: Path, probe: Path) -> None:
    run = project / "runs" / "r1"
    artifact = run / "cases" / "one" / "out.txt"
    artifact.parent.mkdir(parents=True)
    artifact.write_text("1")
    async with watching(probe, whole=[run]) as w:
        for text in ("second", "third"):
            shutil.rmtree(project / "runs")
            await w.told.told(artifact, run)
            assert any(change.rescan for change in w.told.changes)
            w.told.clear()
            artifact.parent.mkdir(parents=True)
            artifact.write_text(text)
            await w.told.told(artifact, run)
            w.told.clear()
            artifact.write_text(text + " edited")
            await w.told.told(artifact)
            w.told.clear()


async def test_a_root_replaced_in_one_go(project: Path, probe: Path) -> None:
    run = project / "r1"
    run.mkdir()
    (run / "out.txt").write_text("1")
    async with watching(probe, whole=[run]) as w:
        shutil.rmtree(run)
        run.mkdir()
        (run / "out.txt").write_text("2")
        (run / "more.txt").write_text("2")
        await w.told.told(run / "out.txt", run / "more.txt")
        w.told.clear()
        (run / "more.txt").write_text("33")
        await w.told.told(run / "more.txt")


async def test_a_root_that_does_not_exist_yet(project: Path, probe: Path) -> None:
    run = project / "eval" / "runs" / "r1"
    async with watching(probe, whole=[run]) as w:
        run.mkdir(parents=True)
        (run / "out.txt").write_text("1")
        await w.told.told(run / "out.txt")


async def test_a_link_to_the_newest_run_is_swapped(project: Path, probe: Path) -> None:
    for name in ("r1", "r2"):
        (project / name).mkdir()
        (project / name / "out.txt").write_text(name)
    latest = project / "latest"
    latest.symlink_to("r1")
    async with watching(probe, whole=[latest]) as w:
        (project / "r1" / "out.txt").write_text("changed")
        await w.told.told(latest / "out.txt")
        w.told.clear()
        swap = project / "swap"
        swap.symlink_to("r2")
        swap.rename(latest)
        await w.told.told(latest, latest / "out.txt")
        w.told.clear()
        (project / "r2" / "out.txt").write_text("changed too")
        await w.told.told(latest / "out.txt")
        w.told.clear()
        (project / "r1" / "out.txt").write_text("of no interest now")
        await w.settle()
        assert w.seen() == set()


async def test_a_link_on_the_way_is_swapped(project: Path, probe: Path) -> None:
    for name in ("v1", "v2"):
        (project / name / "data").mkdir(parents=True)
        (project / name / "data" / "a.txt").write_text(name)
    current = project / "current"
    current.symlink_to("v1")
    async with watching(probe, whole=[current / "data"]) as w:
        current.unlink()
        current.symlink_to("v2")
        await w.told.told(current / "data" / "a.txt")
        w.told.clear()
        (project / "v2" / "data" / "a.txt").write_text("edited")
        await w.told.told(current / "data" / "a.txt")


async def test_a_linked_file_changes_where_it_lies(
    project: Path, probe: Path, tmp_path: Path
) -> None:
    real, second = tmp_path / "lib" / "helper.py", tmp_path / "lib" / "other.py"
    real.parent.mkdir()
    real.write_text("1")
    second.write_text("longer")
    link = project / "helper.py"
    link.symlink_to(real)
    async with watching(probe, [project]) as w:
        real.write_text("22")
        await w.told.told(link)
        w.told.clear()
        link.unlink()
        link.symlink_to(second)
        await w.told.told(link)
        w.told.clear()
        second.unlink()
        await w.told.told(link)
        w.told.clear()
        second.write_text("back")
        await w.told.told(link)


async def test_links_that_lead_up_or_round_end(project: Path, probe: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "a.txt").write_text("1")
    (project / "up").symlink_to("..")
    (project / "self").symlink_to("self")
    (project / "shared").symlink_to(shared)
    (shared / "again").symlink_to(project)
    async with watching(probe, [project]) as w:
        (shared / "a.txt").write_text("22")
        await w.told.told(project / "shared" / "a.txt")
        await w.settle()
        assert w.seen() == {str(project / "shared" / "a.txt")}


async def test_a_run_that_appears_is_told_and_others_are_not_descended_into(
    project: Path, probe: Path
) -> None:
    runs = project / "eval" / "runs"
    old = runs / "old" / "cases" / "one"
    old.mkdir(parents=True)
    async with watching(probe, [project], flat=[runs], whole=[runs / "open"]) as w:
        (old / "out.txt").write_text("nobody looks here")
        new = runs / "new"
        new.mkdir()
        await w.told.told(new, runs)
        (new / "cases").mkdir()
        await w.told.told(new / "cases", new)
        (new / "cases" / "one").mkdir()
        opened = runs / "open" / "cases" / "one"
        opened.mkdir(parents=True)
        (opened / "out.txt").write_text("x")
        await w.told.told(opened / "out.txt")
        await w.settle()
        assert str(old / "out.txt") not in w.seen()
        assert str(new / "cases" / "one") not in w.seen()


async def test_code_trees_leave_out_what_nobody_edits_and_runs_do_not(
    project: Path, probe: Path
) -> None:
    run = project / "runs" / "r1"
    for folder in (project / ".venv" / "lib", project / "node_modules", run / "node_modules"):
        folder.mkdir(parents=True)
    async with watching(probe, [project], whole=[run]) as w:
        (project / ".venv" / "lib" / "a.py").write_text("x")
        (project / "node_modules" / "a.js").write_text("x")
        (run / "node_modules" / "a.js").write_text("x")
        await w.told.told(run / "node_modules" / "a.js")
        await w.settle()
        assert w.seen() == {str(run / "node_modules"), str(run / "node_modules" / "a.js")}


async def test_own_writes_are_not_told_and_the_next_of_others_are(
    project: Path, probe: Path
) -> None:
    own = project / ".eval-tui"
    own.mkdir()
    summary = project / "summary.yaml"
    async with watching(probe, whole=[project], ignore=[own]) as w:
        (own / "store.db").write_text("x")
        with w.watcher.expect(summary):
            summary.write_text("ours")
        await w.settle()
        assert w.seen() == set()
        summary.write_text("theirs!")
        await w.told.told(summary)


async def test_what_changed_while_it_was_being_set_up_is_told(project: Path) -> None:
    file, old = project / "a.txt", project / "old.txt"
    for path in (file, old):
        path.write_text("1")
        os.utime(path, (1, 1))
    told = Told()
    watcher = Watcher(told)
    # The time of the last change of `old` must lie clearly before the start.
    while (
        os.stat(old).st_ctime_ns + 50_000_000 > Path(_touch(project / "clock")).stat().st_ctime_ns
    ):
        await asyncio.sleep(0)
    watcher.set_roots([project], [])
    file.write_text("22")
    task = asyncio.create_task(watcher.run())
    await told.told(file)
    assert str(old) not in told.paths
    task.cancel()


def _touch(path: Path) -> Path:
    path.write_text("")
    return path


async def test_roots_can_change_while_it_runs(project: Path, probe: Path) -> None:
    first, second = project / "r1", project / "r2"
    for run in (first, second):
        (run / "cases").mkdir(parents=True)
        (run / "cases" / "a.txt").write_text("1")
    async with watching(probe, whole=[first]) as w:
        w.watcher.set_roots([], [], whole=[second, probe])
        await w.watcher.ready()
        await w.settle()
        w.told.clear()
        (first / "cases" / "a.txt").write_text("22")
        (second / "cases" / "a.txt").write_text("22")
        await w.told.told(second / "cases" / "a.txt")
        await w.settle()
        assert w.seen() == {str(second / "cases" / "a.txt")}


async def test_same_roots_again_cost_nothing(project: Path, probe: Path) -> None:
    async with watching(probe, [project]) as w:
        w.watcher.set_roots([project], [], whole=[probe])
        await asyncio.wait_for(w.watcher.ready(), 1)
        (project / "a").write_text("x")
        await w.told.told(project / "a")


async def test_an_error_in_the_receiver_is_not_swallowed(project: Path) -> None:
    def fail(change: Change) -> None:
        raise RuntimeError("receiver")

    watcher = Watcher(fail)
    watcher.set_roots([project], [])
    task = asyncio.create_task(watcher.run())
    await watcher.ready()
    (project / "a").write_text("x")
    with pytest.raises(RuntimeError, match="receiver"):
        await task


async def test_files_asked_for_one_after_the_other(
    project: Path, probe: Path, tmp_path: Path
) -> None:
    inside = [project / f"{n}.txt" for n in range(300)]
    outside = [tmp_path / "elsewhere" / f"{n}.txt" for n in range(3)]
    outside[0].parent.mkdir()
    for file in (*inside, *outside):
        file.write_text("1")
    async with watching(probe, whole=[project]) as w:
        files: list[Path] = []
        for more in ([inside[0], outside[0]], inside[1:], outside[1:]):
            files += more
            w.watcher.set_roots([], files, whole=[project, probe])
            await w.watcher.ready()
        await w.settle()
        w.told.clear()
        for file in files:
            file.write_text("22")
        await w.told.told(*files)
        w.watcher.set_roots([], [*inside, outside[2]], whole=[project, probe])
        await w.watcher.ready()
        await w.settle()
        w.told.clear()
        for file in outside:
            file.write_text("333")
        await w.settle()
        assert w.seen() == {str(outside[2])}


async def test_files_asked_for_where_no_listing_reaches(
    project: Path, probe: Path, tmp_path: Path
) -> None:
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "far").symlink_to(tmp_path / "target")
    (tmp_path / "target").mkdir()
    (project / "near").symlink_to(tmp_path / "near")
    (project / ".venv").mkdir()
    behind = project / "near" / "far" / "a.txt"
    left_out = project / ".venv" / "pyvenv.cfg"
    swap = project / ".notes.swp"
    async with watching(probe, [project], [behind, left_out, swap]) as w:
        for file in (behind, left_out, swap):
            file.write_text("x")
        await w.told.told(behind, left_out, swap)


async def test_an_absent_file_in_an_absent_folder_of_a_watched_tree(
    project: Path, probe: Path
) -> None:
    absent = project / "case" / "output" / "page.md"
    (project / "case").mkdir()
    async with watching(probe, files=[absent], whole=[project]) as w:
        absent.parent.mkdir()
        absent.write_text("x")
        await w.told.told(absent)
        w.told.clear()
        shutil.rmtree(project / "case")
        await w.told.told(absent)
        w.told.clear()
        absent.parent.mkdir(parents=True)
        absent.write_text("x")
        await w.told.told(absent)
