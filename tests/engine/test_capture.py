"""What a judge prints: order, both ends, and characters that are cut in two."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator

import pytest

from eval_tui.engine.capture import KEPT, Capture, Output, Sink, excerpt


@pytest.fixture
def fd() -> Iterator[int]:
    with tempfile.TemporaryFile() as file:
        appending = os.open(f"/dev/fd/{file.fileno()}", os.O_RDWR | os.O_APPEND)
        yield appending
        os.close(appending)


def test_python_and_raw_writes_keep_their_order(fd: int) -> None:
    output = Output(fd)
    sink = Sink(output, fd, "<stdout>")
    with Capture(output) as printed:
        print("one", file=sink)
        os.write(fd, b"two\n")
        sink.buffer.write(b"three\n")
        io.TextIOWrapper(sink.buffer, encoding="utf-8", write_through=True).write("four\n")
        sink.close()
        print("five", file=sink)
    assert printed.text == "one\ntwo\nthree\nfour\nfive\n"
    with Capture(output) as printed:
        pass
    assert printed.text == ""


def test_what_is_no_text_is_refused_as_by_any_stream(fd: int) -> None:
    sink = Sink(Output(fd), fd, "<stdout>")
    with pytest.raises(TypeError, match="must be str, not bytes"):
        sink.write(b"x")  # type: ignore[arg-type]
    assert (sink.encoding, sink.isatty(), sink.fileno(), sink.writable()) == (
        "utf-8",
        False,
        fd,
        True,
    )


@pytest.mark.parametrize("character", ["x", "ü", "€", "🙂"])
@pytest.mark.parametrize("shift", range(4))
def test_the_middle_is_left_out_and_counted(fd: int, character: str, shift: int) -> None:
    text = "-" * shift + character * 100_000
    os.write(fd, text.encode())
    head, middle, tail = excerpt(fd).split("\n")
    count = int(middle.split()[1].replace(",", ""))
    assert text.startswith(head) and text.endswith(tail)
    assert "\ufffd" not in head + tail
    assert len(head.encode()) > KEPT - 4 and len(tail.encode()) > KEPT - 4
    assert abs(len(head) + count + len(tail) - len(text)) <= 1


def test_more_than_the_file_should_hold_is_counted_too(fd: int) -> None:
    output = Output(fd)
    sink = Sink(output, fd, "<stdout>")
    with Capture(output) as printed:
        for number in range(200):
            sink.write(f"{number:05}" + "z" * 99_995)
        sink.write("the end")
    assert printed.text.startswith("00000zzz") and printed.text.endswith("zzzthe end")
    assert f"… {20_000_007 - 2 * KEPT:,} characters left out …" in printed.text
    assert os.fstat(fd).st_size < 10_000_000
