"""After any sequence of edits the live grid equals a cold scoring of the same files."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from eval_tui.engine.driver import Driver
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.scores import Measured, Score, Unmeasured
from tests.engine.support_world import EDITS, World, differing, signatures
from tests.support.cold import cold_score

EXAMPLES = int(os.environ.get("EVAL_TUI_EXAMPLES", "6"))

Edit = tuple[str, int, int]
edit = st.tuples(st.sampled_from(EDITS), st.integers(0, 8), st.integers(0, 8))
step = st.tuples(
    st.lists(edit, min_size=1, max_size=3), st.sampled_from(["wait", "hurry", "reopen"])
)


async def opened(root: Path, run: str = "r1") -> Driver:
    options = Options(root=str(root), config=str(root / "eval.yaml"), run=run, watch=False)
    driver = Driver(options, supervisors(None, str(root)))
    await driver.start()
    return driver


def essence(score: Score | None) -> tuple[object, ...] | None:
    """What of a score must be equal: not how often it was tried."""
    if isinstance(score, Measured):
        return ("measured", score.value, score.passed, score.rationale)
    if isinstance(score, Unmeasured):
        return ("unmeasured", score.reason, score.detail)
    return None


def live(driver: Driver) -> dict[tuple[str, str], tuple[object, ...] | None]:
    session = driver.session
    return {tuple(key): essence(session.full_score(key)) for key in session.infos}


def cold(world: World) -> dict[tuple[str, str], tuple[object, ...] | None]:
    scores = cold_score(world.root, world.config, world.run_dir(world.run))
    return {(c, j): essence(s) for c, row in scores.items() for j, s in row.items()}


async def follow(world: World, steps: list[tuple[list[Edit], str]]) -> None:
    driver = await opened(world.root)
    try:
        before = signatures(world.root)
        for edits, how in steps:
            for kind, a, b in edits:
                world.edit(kind, a, b)
            if how == "reopen":
                await driver.close()
                world.save()
                before = signatures(world.root)
                driver = await opened(world.root)
            else:
                after = signatures(world.root)
                driver.apply(differing(before, after))
                before = after
            if how == "hurry":
                continue
            await driver.idle()
            if driver.status.banner:  # a broken config: the last good grid stays
                continue
            assert live(driver) == cold(world), how
        world.save()
        driver.apply(differing(before, signatures(world.root)))
        await driver.idle()
        assert live(driver) == cold(world)
    finally:
        await driver.close()


@pytest.mark.parametrize("part", range(4))
def test_live_grid_equals_cold_scoring(part: int) -> None:
    """The most important property, on sequences that differ by part so that they run side by side."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],  # each example is seconds: no shrinking
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(step, min_size=2, max_size=6), st.just(part))
    def run(steps: list[tuple[list[Edit], str]], seed: int) -> None:
        shift = len(EDITS) // 4 * part
        turned = [
            ([(EDITS[(EDITS.index(k) + shift) % len(EDITS)], a, b) for k, a, b in edits], how)
            for edits, how in steps
        ]
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(os.path.realpath(folder)) / "project")
            world.create()
            asyncio.run(follow(world, turned))

    run()
