"""Images in terminals that can show them: told by the terminal's name, sent by the app, and taken back."""

from __future__ import annotations

import io
import re
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

import PIL.Image
import pytest

from eval_tui.tui.files.pictures import NoPicture
from eval_tui.tui.files.sharp import read_sharp, speaks_kitty

PLACEHOLDER = "\U0010eeee"


class AsTerminal(io.StringIO):
    """What textual-image would ask, and write to."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "speaks"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, False),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, False),
        ({}, False),
    ],
)
def test_the_terminal_is_known_by_what_it_says_of_itself(
    environ: Mapping[str, str], speaks: bool
) -> None:
    assert speaks_kitty(environ) is speaks


def test_an_image_fits_keeps_its_shape_and_is_not_written_past_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, outside = tmp_path / "image.png", AsTerminal()
    PIL.Image.new("RGB", (2000, 1000), (200, 10, 10)).save(path)
    monkeypatch.setattr(sys, "__stdout__", outside)
    made = read_sharp(str(path), 40, 30)
    assert made is not None and sys.__stdout__ is outside and not outside.getvalue()
    assert [sum(segment.cell_length for segment in row) for row in made.rows] == [40] * 10
    assert made.rows[0][0].text.startswith(PLACEHOLDER)
    number = re.findall(r"i=(\d+)", made.sent)[0]
    assert "c=40,r=10" in made.sent and f"i={number}" in made.forgotten
    assert set(re.findall("\x1b.", made.sent)) == {"\x1b_", "\x1b\\"}


def test_a_small_image_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    PIL.Image.new("RGB", (20, 20)).save(path)
    made = read_sharp(str(path), 40, 30)
    assert made is not None and (len(made.rows), made.rows[0][0].cell_length) == (1, 2)


def test_without_textual_image_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "image.png"
    PIL.Image.new("RGB", (20, 20)).save(path)
    monkeypatch.setitem(sys.modules, "textual_image.renderable", None)
    assert read_sharp(str(path), 40, 30) is None


def test_a_small_file_that_claims_to_be_huge_is_not_decoded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    head = b"IHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    )
    with pytest.raises(NoPicture):
        read_sharp(str(path), 40, 30)
