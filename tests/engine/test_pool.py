"""The pool: batches, generations, cancelling, limits, views, and workers that fail in between."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from eval_tui.engine.batches import Batch, Flight
from eval_tui.engine.lookups import LOOKUPS
from eval_tui.engine.views import WORTH_SHARING, ViewError, halves, joined
from tests.engine.support_pool import PoolRun


async def test_every_cell_is_told_once_and_every_batch_ends(root: str) -> None:
    async with PoolRun(root) as run:
        batches = [
            run.submit(*((f"{batch}-{case}", ["good", "sees_environ"]) for case in range(16)))
            for batch in range(12)
        ]
        await run.finished(*batches)
        assert len(run.cells()) == 12 * 16 * 2
        assert sorted(message["id"] for message in run.of("done")) == batches
        assert len({cell["pid"] for cell in run.cells().values()}) <= 2
        for message, info in zip(run.messages, run.infos, strict=True):
            assert info is not None
            assert (info.id, info.generation) == (message["id"], run.generation)
        assert run.cells()["3-5", "good"]["extra"] == "y"


async def test_a_cell_that_a_worker_tells_again_is_told_once(root: str) -> None:
    async with PoolRun(root, 1) as run:
        batch = run.submit(("a", ["good", "good2", "good"]))
        await run.finished(batch)
        told = [message["judge"] for message in run.of("cell", batch)]
    assert told == ["good", "good2"]


async def test_output_is_kept_with_its_cell_only(root: str) -> None:
    async with PoolRun(root, 1) as run:
        batch = run.submit(("a", ["say", "good"]), ("b", ["say"]))
        await run.finished(batch)
        cells = run.cells(batch)
    assert cells["a", "say"]["out"].splitlines() == [
        "hello from a",
        "raw one",
        "to stderr",
        "from a child",
        "bytes ü",
    ]
    assert cells["a", "good"]["out"] == ""
    assert cells["b", "say"]["out"].startswith("hello from b\n")


async def test_room_is_one_running_and_one_ahead_per_worker(root: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with PoolRun(root, 2) as run:
        assert run.pool.room == 4
        batches = [run.submit((str(gate), ["wait_for_file"])) for _ in range(3)]
        assert run.pool.room == 1
        batches += [run.submit((str(gate), ["wait_for_file"])) for _ in range(3)]
        assert run.pool.room == 0
        gate.touch()
        await run.finished(*batches)
        assert run.pool.room == 4
        assert len(run.of("cell")) == 6


async def test_a_limit_holds_for_the_judge_that_it_names(root: str) -> None:
    async with PoolRun(root, 1) as run:
        jobs = [{"judge": name} for name in ("endless", "endless_c")]
        run.pool.submit(
            Batch(
                7,
                run.generation,
                [{"case": "a", "jobs": jobs}],
                limits={"endless": 0.1},
                limit=0.2,
            )
        )
        await run.finished(7)
        texts = {judge: cell.get("text") for (_, judge), cell in run.cells().items()}
    assert texts == {
        "endless": "ran past its limit of 0.1 s",
        "endless_c": "ran past its limit of 0.2 s",
    }


async def test_a_new_generation_has_fresh_workers_and_drops_the_old(
    root: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    async with PoolRun(root, 1) as run:
        first = run.submit(("a", ["good"]))
        await run.finished(first)
        old = [run.submit((str(gate), ["wait_for_file"])) for _ in range(3)]
        run.renew()
        gate.touch()
        new = run.submit(("b", ["good"]))
        await run.finished(new, *old)
        assert [message["id"] for message in run.of("cancelled")] == old
        assert run.cells(first)["a", "good"]["generation"] == "g1"
        assert run.cells(new)["b", "good"]["generation"] == "g2"
        assert run.cells(first)["a", "good"]["pid"] != run.cells(new)["b", "good"]["pid"]
        assert len(run.of("cell")) == 2


async def test_what_came_in_before_a_new_generation_is_not_told_after_it(root: str) -> None:
    async with PoolRun(root, 1) as run:
        batch = run.submit(("a", ["good"]))
        lane = next(iter(run.pool._hands.values())).lane
        async with asyncio.timeout(60):
            while run.pool._hands and not run.pool._outbox._pending:
                lane.channel.drain()
                if not run.pool._outbox._pending:
                    await asyncio.sleep(0)
        run.renew()
        await run.finished(batch)
        assert run.of("cancelled", batch)
        at = run.messages.index(run.of("cancelled", batch)[0])
        assert not [m for m in run.messages[at:] if m["t"] == "cell"]


async def test_a_new_generation_can_let_the_old_finish(root: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with PoolRun(root, 2) as run:
        old = [run.submit((str(gate), ["wait_for_file", "good"])) for _ in range(3)]
        run.renew(keep_running=True)
        new = run.submit(("b", ["good"]))
        gate.touch()
        await run.finished(new, *old)
        assert {message["id"] for message in run.of("done")} == {*old[:2], new}
        assert [message["id"] for message in run.of("cancelled")] == old[2:]
        assert {cell["generation"] for cell in run.of("cell", old[0])} == {"g1"}
        assert run.of("cell", new)[0]["generation"] == "g2"


async def test_a_batch_of_an_old_generation_is_cancelled(root: str) -> None:
    async with PoolRun(root) as run:
        stale = run.generation
        run.renew()
        run.pool.submit(Batch(99, stale, [{"case": "a", "jobs": [{"judge": "good"}]}]))
        await run.finished(99)
        assert [message["t"] for message in run.messages] == ["cancelled"]


async def test_cancelling_some_keeps_what_is_done_and_the_others(root: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with PoolRun(root, 1) as run:
        running = run.submit(("a", ["good"]), (str(gate), ["wait_for_file"]))
        ahead = run.submit(("b", ["good"]))
        queued = run.submit(("c", ["good"]))
        kept = run.submit(("d", ["good"]))
        await run.until(lambda: ("a", "good") in run.cells())
        run.pool.cancel({running, queued})
        await run.finished(running, ahead, queued, kept)
        assert sorted(message["id"] for message in run.of("cancelled")) == [running, queued]
        assert sorted(message["id"] for message in run.of("done")) == [ahead, kept]
        assert set(run.cells()) == {("a", "good"), ("b", "good"), ("d", "good")}


async def test_cancelling_all_leaves_a_pool_that_works(root: str) -> None:
    async with PoolRun(root, 2) as run:
        batches = [run.submit((f"case {n}", ["endless"])) for n in range(300)]
        run.pool.cancel()
        last = run.submit(("z", ["good"]))
        await run.finished(last, *batches)
        assert sorted(message["id"] for message in run.of("cancelled")) == batches
        assert ("z", "good") in run.cells()


async def test_a_batch_that_was_taken_back_from_a_worker_is_told_once(root: str) -> None:
    async with PoolRun(root, 2) as run:
        for round_ in range(5):
            batches = [run.submit((f"{round_} {n}", ["good"])) for n in range(20)]
            hanging = run.submit((f"{round_} x", ["endless"]), limits={"endless": 0.1})
            batches += [run.submit((f"{round_} after {n}", ["good"])) for n in range(4)]
            await run.finished(hanging, *batches)
        assert len(run.cells()) == 5 * 25
        assert len(run.of("done")) == 5 * 25


@pytest.mark.parametrize("way", ["exit", "raise"])
async def test_a_case_that_ends_its_worker_while_it_is_loaded(root: str, way: str) -> None:
    async with PoolRun(root, 1) as run:
        bad = run.submit(("bad", ["good", "sees_environ"]), loading=way)
        fine = run.submit(("fine", ["good"]))
        await run.finished(bad, fine)
        cells = run.cells()
    assert ("fine", "good") in cells and cells["fine", "good"]["t"] == "cell"
    assert {cell["t"] for (case, _), cell in cells.items() if case == "bad"} == {"lost"}
    text = cells["bad", "good"]["text"]
    assert text == (
        "the process exited with code 5"
        if way == "exit"
        else "the worker failed: ValueError: cannot load bad"
    )
    assert len(run.of("crashed", bad)) == (0 if way == "exit" else 2)


@pytest.mark.parametrize("way", ["exit", "raise"])
async def test_workers_that_cannot_be_set_up_are_told_once(root: str, way: str) -> None:
    async with PoolRun(root, 2) as run:
        run.renew(fail=way)
        batches = [run.submit((f"case {n}", ["good"])) for n in range(6)]
        await run.finished(*batches)
        assert [message["id"] for message in run.of("cancelled")] != []
        assert {message["id"] for message in run.of("cancelled")} == set(batches)
        broken = run.of("broken")
        assert len(broken) == 1
        assert ("set up to fail" if way == "raise" else "code 4") in broken[0]["text"]
        run.renew()
        again = run.submit(("a", ["good"]))
        await run.finished(again)
        assert ("a", "good") in run.cells()


async def test_memory_is_bounded_as_asked(root: str) -> None:
    async with PoolRun(root, 1) as run:
        run.renew(memory_mb=256)
        batch = run.submit(("a", ["takes_300_mb", "good"]))
        await run.finished(batch)
        assert run.cells(batch)["a", "takes_300_mb"]["error"] == "MemoryError"
        run.renew(memory_mb=0)
        batch = run.submit(("a", ["takes_300_mb"]))
        await run.finished(batch)
        assert run.cells(batch)["a", "takes_300_mb"]["value"] == 300 << 20


async def test_views_are_answered_while_all_workers_are_busy(root: str) -> None:
    async with PoolRun(root, 1) as run:
        busy = run.submit(("a", ["endless"]), limits={"endless": 3600})
        answers = await asyncio.gather(*(run.pool.view({"op": f"question {n}"}) for n in range(5)))
        assert [answer["answer"] for answer in answers] == [f"question {n}" for n in range(5)]
        assert len({answer["pid"] for answer in answers}) == 1
        assert not run.of("done", busy)


async def test_a_view_that_fails_costs_only_itself(root: str) -> None:
    async with PoolRun(root, 1) as run:
        results = await asyncio.gather(
            run.pool.view({"op": "fail"}),
            run.pool.view({"op": "exit"}),
            run.pool.view({"op": "hang"}, timeout=0.1),
            run.pool.view({"op": "fine"}),
            return_exceptions=True,
        )
        failed, exited, late, fine = results
        assert isinstance(failed, ViewError) and "cannot be read" in str(failed)
        assert isinstance(exited, ViewError) and "code 9" in str(exited)
        assert isinstance(late, TimeoutError)
        assert isinstance(fine, dict) and fine["answer"] == "fine"


async def test_an_answer_in_pieces_comes_whole_and_in_order(root: str) -> None:
    async with PoolRun(root, 1) as run:
        asked = (run.pool.view({"op": "pieces"}), run.pool.view({"op": "pieces"}))
        for answer in await asyncio.gather(*asked):
            assert answer == {"answer": "whole", "pieces": [[n] * 3 for n in range(200)]}


async def test_a_view_nobody_waits_for_is_not_asked(root: str) -> None:
    async with PoolRun(root, 1) as run:
        first = asyncio.ensure_future(run.pool.view({"op": "hang"}, timeout=0.2))
        second = asyncio.ensure_future(run.pool.view({"op": "hang"}, timeout=3600))
        third = asyncio.ensure_future(run.pool.view({"op": "fine"}))
        await asyncio.sleep(0)
        second.cancel()
        assert (await third)["answer"] == "fine"
        with pytest.raises(TimeoutError):
            await first


async def test_no_files_stay_open(root: str) -> None:
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    async with PoolRun(root, 2) as run:
        for _ in range(10):
            run.renew()
            await run.finished(run.submit(("a", ["good", "exits_3"])), run.submit(("b", ["good"])))
        await run.pool.view({"op": "x"})
    after = set(os.listdir("/proc/self/fd")) if before else set()
    assert len(after) <= len(before) + 4  # the loop's own, and the listing's


def test_what_is_left_of_a_batch_is_sent_again_without_what_was_told() -> None:
    cases = [
        {"case": case, "jobs": [{"judge": "x", "n": 1}, {"judge": "y"}], "more": case}
        for case in ("a", "b", "c")
    ]
    flight = Flight(Batch(1, 1, cases))
    for told in (("a", "x"), ("a", "y"), ("b", "x")):
        flight.told(*told)
    flight.trim()
    assert flight.cases == [
        {"case": "b", "jobs": [{"judge": "y"}], "more": "b"},
        {"case": "c", "jobs": [{"judge": "x", "n": 1}, {"judge": "y"}], "more": "c"},
    ]
    assert flight.first_left() == ("b", "y")


@pytest.mark.parametrize(
    "judge", ["closes_all", "closes_and_sleeps", "writes_everywhere", "kills_itself", "exits_3"]
)
async def test_cells_that_are_held_back_are_not_lost_with_the_worker(root: str, judge: str) -> None:
    async with PoolRun(root, 1) as run:
        names = ["good", "sees_environ", judge, "environment", "interpreter"]
        batch = run.submit(("a", names), ("b", ["good"]), held=True)
        await run.finished(batch)
        cells = run.cells(batch)
    assert cells.keys() == {*(("a", name) for name in names), ("b", "good")}
    assert [name for name, cell in cells.items() if cell["t"] == "lost"] == [("a", judge)]


def test_a_large_run_that_two_look_through_looks_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "cases"
    for number in range(0, WORTH_SHARING, 100):
        (folder / f"case-{number:04}").mkdir(parents=True)
    (tmp_path / "code.py").write_text("X = 1")
    request = {
        "op": "scan",
        "run_dir": str(tmp_path / "run"),
        "dataset_dir": "",
        "cases": [(f"case-{number:04}", []) for number in range(WORTH_SHARING)],
        "ambients": {"holds": [], "not": [["exists", str(tmp_path / "code.py"), "-"]]},
    }
    parts = [LOOKUPS["scan"](half) for half in halves(request)]
    assert len(parts) == 2
    assert joined(parts) == LOOKUPS["scan"](request)
    assert joined(parts)["holds"] == ["holds"]
    assert not halves({**request, "cases": request["cases"][1:]})
    assert not halves({"op": "case", "record": {}, "case": "a"})
