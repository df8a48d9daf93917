"""What is loaded before the first frame: every module more is a later frame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.small import write_project

MOST_MODULES = 196
"""Modules of our own. Each takes a third of a millisecond, most of it for its dataclasses."""

AT_FIRST_FRAME = """
import os, sys
from textual.app import App
from eval_tui.tui import run

def first_frame(app, screen, renderable):
    print(*sys.modules, file=sys.__stdout__, flush=True)
    os._exit(0)

App._display = first_frame
run._on_terminal = lambda: True
run_async = run.EvalApp.run_async
run.EvalApp.run_async = lambda app, **options: run_async(app, headless=True)
from eval_tui.cli import main
main(["."])
"""


def test_the_first_frame_waits_for_nothing_that_it_does_not_show(tmp_path: Path):
    root = write_project(tmp_path / "p", [{"name": "fine", "check": "return True"}])
    words = [sys.executable, "-c", AT_FIRST_FRAME]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    prefix = "eval_tui.tui.screens."
    screens = {name.removeprefix(prefix) for name in loaded if name.startswith(prefix)}
    assert {name for name in screens if not name.startswith("grid")} == {"base"}
    assert not loaded & {"anthropic", "httpx", "jinja2", "markdown_it", "pygments", "watchfiles"}
    assert not loaded & {"PIL", "textual_image"}
    # What runs in workers, and has no business in the app at this time.
    assert not loaded & {"eval_tui.engine.casework", "eval_tui.engine.worker"}
    ours = [name for name in loaded if name.partition(".")[0] == "eval_tui"]
    assert len(ours) <= MOST_MODULES, sorted(ours)
