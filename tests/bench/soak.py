"""`python -m tests.bench.soak`: the app in a real terminal while its project is worked on without end.

Edits, saves by rename, run folders that come and go, a `git checkout` between two branches of
2,000 files, fifty updates a second. At the end the grid must equal a cold scoring, and memory must
not have grown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from eval_tui.scores import Measured, Unmeasured
from tests.e2e.support_terminal import Terminal, terminal
from tests.support.cold import cold_score
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

CASES = [f"case-{i:03}" for i in range(200)]
FILES_PER_CASE = 10
UPDATES_A_SECOND = 50

JUDGES = [
    {"name": "length", "check": "return len(outputs['out_content'])"},
    {"name": "talk", "check": "return 'wrote' in outputs['conversation']"},
    {"name": "names", "check": "return len(outputs['files'])"},
    {"name": "module", "module": "judging", "function": "score"},
    {"name": "opens", "check": "return len(open(outputs['case_dir'] + '/out/f0.txt').read())"},
]


def build(root: Path) -> None:
    """A project of 200 cases in git, with two branches that differ in 2,000 files."""
    write_project(root, JUDGES, CASES, files={"judging.py": "def score(outputs):\n    return 1\n"})
    (root / ".gitignore").write_text(".eval-tui/\n")
    git(root, "init", "-q", "-b", "one")
    fill(root, "one")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "two")
    fill(root, "two, and longer")
    git(root, "commit", "-qam", "two")


def fill(root: Path, text: str) -> None:
    for case in CASES:
        for i in range(FILES_PER_CASE):
            (case_dir(root, case) / "out" / f"f{i}.txt").write_text(f"{text} {i}\n")


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=soak", "-c", "user.email=soak@localhost"]
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


class Worker:
    """What a person, an agent and git do to the project."""

    def __init__(self, root: Path) -> None:
        self.root, self.rng = root, random.Random(7)
        self.branch, self.done = "two", 0

    def update(self) -> None:
        """One of fifty a second: an agent writes."""
        page = case_dir(self.root, self.rng.choice(CASES)) / "out" / "page.md"
        text = "x" * self.rng.randrange(1, 200)
        if self.done % 3:
            page.write_text(text)
        else:
            fresh = page.with_name("page.md.tmp")
            fresh.write_text(text)
            os.replace(fresh, page)
        self.done += 1

    def disturb(self, second: int) -> None:
        """Once a second: the rest."""
        if second % 7 == 0:
            value = self.rng.randrange(9)
            (self.root / "judging.py").write_text(f"def score(outputs):\n    return {value}\n")
        if second % 11 == 0:
            words = "return len(outputs['out_content'])" + " + 0" * self.rng.randrange(3)
            write_config(self.root, [{"name": "length", "check": words}, *JUDGES[1:]])
        if second % 13 == 0:
            write_case(self.root, "passing", "r0")
            shutil.rmtree(run_dir(self.root, "r0"))
        if second % 17 == 0:
            events = case_dir(self.root, self.rng.choice(CASES)) / "events.json"
            events.write_text(json.dumps([{"type": "assistant", "text": "wrote", "tools": []}]))
        if second % 30 == 0:
            self.branch = "one" if self.branch == "two" else "two"
            git(self.root, "checkout", "-qf", self.branch)


def memory_kb(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def work(term: Terminal, root: Path, minutes: float) -> list[int]:
    """Work on the project for so long; the app's memory after each minute, in kB."""
    worker, keys = Worker(root), random.Random(3)
    begin = time.monotonic()
    memory: list[int] = []
    second = 0
    while (passed := time.monotonic() - begin) < minutes * 60:
        while worker.done < passed * UPDATES_A_SECOND:
            worker.update()
        if passed > second:
            worker.disturb(second)
            term.press(keys.choice(["j", "k", "l", "h", "f", "f", "n", "N"]))
            second += 1
        if passed > 60 * (len(memory) + 1):
            memory.append(memory_kb(term.process.pid))
            print(f"minute {len(memory)}: {memory[-1] / 1024:.1f} MB, {worker.done:,} updates")
        term._read(0.01)
    return [*memory, memory_kb(term.process.pid)]


def values(root: Path) -> dict[tuple[str, str], object]:
    """What the product says now, and how many cells it had to run for that."""
    command = [sys.executable, "-m", "eval_tui.cli", "score", str(root), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    print(f"after the soak: {document['ran']} of {len(CASES) * len(JUDGES)} cells had to run")
    cells = document["cells"]
    return {(c, j): cell.get("value") for c, row in cells.items() for j, cell in row.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(prefix="eval-tui-soak-") as folder:
        root = Path(folder).resolve() / "project"
        build(root)
        with terminal(root) as term:
            term.shows("cases")
            memory = work(term, root, minutes)
            term.settled()
            told = term.text
            term.press("q")
            code = term.end()
        live = values(root)
        scores = cold_score(root, root / "eval.yaml", run_dir(root))
        cold = {
            (case, judge): score.value if isinstance(score, Measured) else None
            for case, row in scores.items()
            for judge, score in row.items()
            if isinstance(score, Measured | Unmeasured)
        }
    growth = memory[-1] / memory[0] - 1
    print(f"exit code {code}; memory after the first minute and at the end: {growth:+.1%}")
    print("the grid equals a cold scoring" if live == cold else "THE GRID DIFFERS")
    trouble = "internal error" in told
    if trouble:
        print(told)
    return int(live != cold or code != 0 or growth > 0.10 or trouble)


if __name__ == "__main__":
    sys.exit(main())
