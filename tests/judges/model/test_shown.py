"""A request as people read it."""

from __future__ import annotations

import json
from pathlib import Path

from eval_tui.judges.model.shown import request_diff, request_text, without_images
from tests.judges.model.support import model_judge, request_of
from tests.record.support import case_of, write

PNG = b"\x89PNG\r\n\x1a\n" + bytes(21)


def test_the_whole_request_is_shown_with_images_by_their_size(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/z.png": PNG + b"\xff"})
    judge = model_judge("Is the chart right?", feedback_type="bool")
    request = request_of(judge, case_of(tmp_path))
    text = request_text(request.params)
    assert text.startswith("model: m\n")
    for words in (request.params["system"], "Is the chart right?", '"passed"', "artifacts/z.png"):
        assert words in text
    assert "[image/png, 30 bytes]" in text


def test_a_diff_shows_what_would_be_asked_otherwise(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "x"})
    old, new = (
        request_text(request_of(model_judge(f"Same.\nIs it {word}?"), case_of(tmp_path)).params)
        for word in ("good", "right")
    )
    lines = request_diff(old, new)
    assert lines is not None
    assert [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")] == [
        "-Is it good?",
        "+Is it right?",
    ]
    assert request_diff(new, new) == []
    assert request_diff(old, "line\n" * 30_000) is None


def test_images_are_left_out_and_still_named(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/z.png": PNG + b"\xff"})
    request = request_of(model_judge("Is the chart right?"), case_of(tmp_path))
    small = without_images(request.params)
    assert request_text(small) == request_text(request.params)
    assert "iVBOR" not in json.dumps(small)
