"""The help texts: what a person sees who has only the command."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [[], ["authority"]])
def test_the_list_of_commands_says_each_in_a_whole_sentence(words: list[str]) -> None:
    command = [sys.executable, "-m", "eval_tui.cli", *words, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    listed = done.stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert listed and all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("name", ["app", "score", "check", "explain", "export"])
def test_options_are_written_as_the_readme_has_them(name: str) -> None:
    command = [sys.executable, "-m", "eval_tui.cli", name, "--help"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for option in ("--root DIR", "--eval NAME", "--run RUN", "--runs DIR", "--python PATH"):
        assert option in told
