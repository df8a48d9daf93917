"""An image in a terminal that can show it: what is sent for it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import PIL.Image

from tests.e2e.support_terminal import DOWN, ENTER, ESC, terminal

PIXELS = b"\x1b_G"
"""How every message about images begins."""


def project(root: Path) -> None:
    case = root / "eval" / "runs" / "shots" / "r1" / "cases" / "one"
    (case / "output").mkdir(parents=True)
    (root / "data" / "one").mkdir(parents=True)
    (root / "data" / "one" / "input.yaml").write_text("task: draw\n")
    judge = "  - {name: fine, check: 'return True'}\n"
    (root / "eval.yaml").write_text(
        f"name: shots\ndataset: {{path: data}}\noutputs: [{{path: output}}]\njudges:\n{judge}"
    )
    (case / "output" / "a.txt").write_text("not \x1b_Ga=T,f=100;AAAA\x1b\\ sent")
    PIL.Image.new("RGB", (300, 200), (200, 10, 10)).save(case / "output" / "b.png")


def test_only_the_image_in_view_is_sent_and_it_is_taken_back(tmp_path: Path) -> None:
    project(tmp_path)
    kitty = {"TERM": "xterm-kitty", "COLORTERM": "truecolor"}
    with terminal(tmp_path, size=(100, 30), **kitty) as window:
        window.shows("one", "1 cell ran")
        window.press(ENTER)
        window.shows("fine")
        window.press("3")
        window.shows("not ␛_Ga=T")
        assert PIXELS not in window.raw and b"\x1b[16t" not in window.raw
        window.press(DOWN)
        window.shows("PNG, 300 x 200 pixels")
        window.wait(lambda: b"U=1" in window.raw, "the image is placed")
        assert window.raw.count(PIXELS + b"a=p") == 1
        assert b"\x1b[16t" not in window.raw and b"\x1b[c" not in window.raw
        window.wait(lambda: "\U0010eeee".encode() in window.raw, "the image is drawn")
        window.press(ESC)
        window.wait(lambda: PIXELS + b"a=d,d=I" in window.raw, "it is taken back")
        window.press("q")
        assert window.end() == 0
        window.assert_whole()
