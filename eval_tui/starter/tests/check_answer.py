"""Run by the grader `tests-pass` in a copy of the case's folder; exit code 0 is a pass."""

import pathlib
import sys

answer = pathlib.Path("output/answer.md").read_text(encoding="utf-8")
if len(answer.split()) > 80:
    sys.exit("the answer is longer than 80 words")
