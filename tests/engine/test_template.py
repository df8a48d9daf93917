"""Heavy imports are made once for many plans, and nobody can tell but by the time that it takes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.driver import Driver
from eval_tui.engine.pool import Pool
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from tests.engine.support_pool import PROJECT, alive, descendants, gone
from tests.engine.support_world import differing, signatures
from tests.engine.test_property import essence, live
from tests.support.cold import cold_score
from tests.support.live import PATIENCE
from tests.support.small import run_dir, write_project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a template needs Linux")

HEAVY = """
import os, time
import heavy_part
with open(os.environ["HEAVY_LOG"], "a") as log:
    log.write("heavy\\n")
time.sleep(0.03)
FLAG = os.environ.get("HEAVY_FLAG", "unset")
SETTINGS = os.path.join(os.environ["HEAVY_HOME"], "settings")
LEVEL = open(SETTINGS).read() if os.path.exists(SETTINGS) else "none"
try:
    import heavy_extra
except ImportError:
    heavy_extra = None
"""
PART = "import os\nPART = os.environ.get('HEAVY_PART', 'unset')\nNUMBER = 1\n"
JUDGE = """
import heavy
from helper import offset


def score(outputs):
    return heavy.heavy_part.NUMBER + offset(), f"{heavy.FLAG} {heavy.LEVEL} {heavy.heavy_extra}"
"""
HELPER = "def offset():\n    return 10\n"
JUDGES: list[dict[str, Any]] = [
    {"name": "module", "module": "judging", "function": "score"},
    {"name": "part", "check": "import heavy_part\nreturn heavy_part.NUMBER"},
    {"name": "late", "check": "if 'out_content' in outputs:\n    import heavy\nreturn True"},
    {"name": "light", "check": "return outputs['out_content'].count('page')"},
]


class Bed:
    """A project, a package folder outside of it, and the engine on the project."""

    def __init__(self, root: Path, site: Path) -> None:
        self.root, self.site = root, site
        self.driver: Driver
        self._known = signatures(root)

    @property
    def pool(self) -> Pool:
        return self.driver.work.pool

    @property
    def imports(self) -> int:
        """How often the heavy package was imported by now."""
        log = Path(os.environ["HEAVY_LOG"])
        return len(log.read_text().splitlines()) if log.exists() else 0

    async def prepared(self) -> None:
        """Wait until the next workers can be born with what these had to import."""
        async with asyncio.timeout(PATIENCE):
            while not self._is_prepared():
                await asyncio.sleep(0.01)

    def _is_prepared(self) -> bool:
        order = self.pool._births.order(self.pool._setup, self.pool._memory_mb)
        return order is not None and self.pool._crew.prepared == order["key"]

    async def save(self, name: str, text: str) -> None:
        """Write a file of the project, and wait until everything is judged."""
        (self.root / name).write_text(text)
        now = signatures(self.root)
        self.driver.apply(differing(self._known, now))
        self._known = now
        async with asyncio.timeout(PATIENCE):
            await self.driver.idle()

    def check(self) -> None:
        """The grid is that of a cold scoring, in which everything is imported anew."""
        path = {"PYTHONPATH": os.pathsep.join([PROJECT, str(self.site)])}
        config = self.root / "eval.yaml"
        scores = cold_score(self.root, config, run_dir(self.root), env=path)
        expected = {(c, j): essence(s) for c, row in scores.items() for j, s in row.items()}
        assert live(self.driver) == expected

    def inputs(self) -> dict[tuple[str, str], set[tuple[str, ...]]]:
        """What each cell rests on."""
        session, found = self.driver.session, dict[tuple[str, str], set[tuple[str, ...]]]()
        for key, info in session.infos.items():
            result = session.store.result(info.result)
            assert result is not None
            ambient = session.dependencies.inputs(info.ambient)
            found[tuple(key)] = {tuple(entry) for entry in (*result.inputs, *ambient)}
        return found


@contextlib.asynccontextmanager
async def running(bed: Bed) -> AsyncGenerator[Bed]:
    root = str(bed.root)
    bed.driver = Driver(Options(root=root, watch=False), supervisors(None, root))
    try:
        await bed.driver.start()
        async with asyncio.timeout(PATIENCE):
            await bed.driver.idle()
        yield bed
    finally:
        await bed.driver.close()


@pytest.fixture
def bed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bed:
    site = tmp_path / "lib" / "site-packages"
    site.mkdir(parents=True)
    (site / "heavy.py").write_text(HEAVY)
    (site / "heavy_part.py").write_text(PART)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("HEAVY_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("HEAVY_HOME", str(tmp_path))
    files = {"judging.py": JUDGE, "helper.py": HELPER}
    root = write_project((tmp_path / "project").resolve(), JUDGES, files=files)
    return Bed(root, site)


async def test_a_heavy_package_is_imported_once_for_many_saves(bed: Bed) -> None:
    async with running(bed):
        await bed.prepared()
        before = bed.imports
        for number in range(5):
            await bed.save("helper.py", f"def offset():\n    return {number}\n")
            assert bed.driver.session.ran
        assert bed.imports == before
        bed.check()


async def test_cells_rest_on_the_same_whether_or_not_their_worker_was_born_with_it(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bed.site.parent.parent / "settings").write_text("high")
    async with running(bed):
        await bed.prepared()
        before = bed.imports
        await bed.save("eval.yaml", (bed.root / "eval.yaml").read_text() + "# the same\n")
        assert bed.driver.rerun(list(bed.driver.session.infos))
        await bed.driver.idle()
        assert bed.imports == before
        born_with = bed.inputs()
    with monkeypatch.context() as patch:
        patch.setattr(Pool, "_prepare", lambda self: None)
        async with running(bed):
            assert bed.driver.rerun(list(bed.driver.session.infos))
            await bed.driver.idle()
            assert bed.imports > before
            imported = bed.inputs()
    assert born_with == imported
    some = {entry[:2] for entry in born_with["a", "module"]}
    settings = str(bed.site.parent.parent / "settings")
    assert {("env", "HEAVY_FLAG"), ("env", "HEAVY_PART"), ("open", settings)} <= some
    assert ("exists", str(bed.root / "heavy_extra.py")) in some
    assert ("env", "HEAVY_PART") in {entry[:2] for entry in born_with["a", "part"]}


def upgraded(bed: Bed) -> None:
    (bed.site / "heavy_part.py").write_text(PART.replace("1", "2"))


def installed(bed: Bed) -> None:
    (bed.site / "heavy_extra.py").write_text("")


def shadowed(bed: Bed) -> None:
    (bed.root / "heavy_part.py").write_text(PART.replace("1", "7"))


def configured(bed: Bed) -> None:
    (bed.site.parent.parent / "settings").write_text("high")


@pytest.mark.parametrize("change", [upgraded, installed, shadowed, configured])
async def test_what_was_imported_is_dropped_when_what_it_rests_on_changes(
    bed: Bed, change: Callable[[Bed], None]
) -> None:
    async with running(bed):
        await bed.prepared()
        change(bed)
        await bed.save("judging.py", JUDGE + "# saved\n")
        if change is shadowed:  # the config is what all cells rest on
            assert bed.driver.grid.cell("a", "part").score.value == 7  # type: ignore[union-attr]
        await bed.save("eval.yaml", (bed.root / "eval.yaml").read_text())
        assert bed.driver.rerun(list(bed.driver.session.infos))
        await bed.driver.idle()
        bed.check()


SETS_FLAG = "import os\nos.environ['HEAVY_FLAG'] = 'set'\n" + JUDGE


async def test_a_judge_that_prepares_the_import_gets_its_own(bed: Bed) -> None:
    async with running(bed):
        await bed.prepared()
        await bed.save("judging.py", SETS_FLAG)
        assert bed.driver.session.full_score(next(iter(bed.driver.session.infos)))
        bed.check()
        await bed.save("judging.py", SETS_FLAG + "# again\n")
        bed.check()


DEEDS = {
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
    "processes": "import subprocess\nsubprocess.Popen(['sleep', '60'], stdout=-3, stderr=-3)\n",
    "files": "kept = open(__file__)\n",
    "environment": "import os\nos.environ['TZ'] = 'Asia/Tokyo'\n",
    "builtins": "import json\njson.dumps = lambda *a, **k: 'patched'\n",
    "project modules": "import helper\n",
    "shared memory": "import mmap\nkept = mmap.mmap(-1, 4096)\n",
    "its end": "import os, sys\nif 'judging' not in sys.modules: os._exit(3)\n",
}


@pytest.mark.parametrize("deed", DEEDS)
async def test_an_import_that_does_more_is_left_to_the_workers(bed: Bed, deed: str) -> None:
    (bed.site / "heavy_too.py").write_text("import time\ntime.sleep(0.03)\n" + DEEDS[deed])
    judge = JUDGE.replace("import heavy\n", "import heavy\nimport heavy_too\n")
    (bed.root / "judging.py").write_text(judge)
    async with running(bed):
        await bed.prepared()
        before = bed.imports
        await bed.save("helper.py", HELPER.replace("10", "20"))
        assert bed.imports == before, "the harmless package is imported beforehand all the same"
        bed.check()


async def test_nothing_is_left_when_the_supervisor_is_killed(bed: Bed) -> None:
    async with running(bed):
        await bed.prepared()
        crew: Any = bed.pool._crew
        below = descendants(crew._handle.process.pid)
        os.kill(crew._supervisor_pid, signal.SIGKILL)
        await gone([*below])
        await bed.save("helper.py", HELPER.replace("10", "30"))
        await bed.prepared()
        bed.check()
        below = descendants(crew._handle.process.pid)
    assert not [pid for pid in below if alive(pid)]
