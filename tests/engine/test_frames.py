"""Messages on a stream: what survives the way, and what is told from a message."""

from __future__ import annotations

import math

import pytest

from eval_tui.engine import frames
from eval_tui.engine.frames import FrameError, FrameReader, encode


def there_and_back(message: frames.Message) -> frames.Message:
    (found,) = FrameReader().feed(encode(message))
    return found


@pytest.mark.parametrize(
    "value",
    ["\ud800 alone", "\u2028", "ü 🙂", 10**40, -0.0, 1e308, [], {"": None}, [True, 1, 1.0]],
    ids=ascii,
)
def test_plain_data_survives(value: object) -> None:
    found = there_and_back({"t": "x", "value": value})["value"]
    assert found == value and type(found) is type(value)


def test_numbers_that_are_none_survive() -> None:
    found = there_and_back({"t": "x", "value": [math.nan, math.inf, -math.inf]})["value"]
    assert math.isnan(found[0]) and found[1:] == [math.inf, -math.inf]


def test_a_stream_may_be_cut_anywhere() -> None:
    messages = [{"t": "a", "text": "x" * size} for size in (0, 1, 100, 3)]
    data = b"".join(encode(message) for message in messages)
    for step in (1, 7, 50, len(data)):
        reader = FrameReader()
        found = [m for at in range(0, len(data), step) for m in reader.feed(data[at : at + step])]
        assert found == messages


@pytest.mark.parametrize(
    "garbage",
    [b"AAAAAAAAAAAA", b"\x00" * 8, encode({"t": "x"})[:8] + b"no json", encode({"no": "kind"})],
    ids=["letters", "zeros", "no JSON", "no kind"],
)
def test_garbage_is_told_and_what_came_before_is_kept(garbage: bytes) -> None:
    with pytest.raises(FrameError) as caught:
        FrameReader().feed(encode({"t": "good"}) + garbage + b"      ")
    assert caught.value.before == [{"t": "good"}]


def test_too_much_is_refused_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_FRAME", 100)
    with pytest.raises(FrameError, match="over the limit"):
        encode({"t": "x", "text": "y" * 100})
    with pytest.raises(TypeError):
        encode({"t": "x", "value": object()})
