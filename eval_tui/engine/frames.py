"""Messages between the app, the supervisor and the workers.

A message is a JSON object with a word `t` for its kind. On the stream it is preceded by eight
bytes: a fixed mark, so that garbage which a judge writes to every open file is told from a
message at once, and its length. Only plain data crosses; nothing of the user's is unpickled.

Runs in the app and, on any Python from 3.10 on, in workers.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, cast

try:
    import msgspec
except ImportError:  # the project's interpreter need not have it
    _fast_decode: Callable[[bytes], Any] | None = None
    _fast_encode: Callable[[Any], bytes] | None = None
else:
    _fast_decode = msgspec.json.Decoder().decode
    _fast_encode = msgspec.json.Encoder().encode

Message = dict[str, Any]

MAX_FRAME = 128 * 1024 * 1024
"""Bytes of one message. More is refused on both sides; nothing the engine sends comes near."""

_HEADER = struct.Struct(">4sI")
_MARK = b"\xffet1"


class FrameError(ValueError):
    """What arrived is no message, or a message is too large to be sent."""

    def __init__(self, text: str, before: list[Message] | None = None) -> None:
        super().__init__(text)
        self.before = before or []
        """The messages that arrived whole before it."""


def encode(message: Mapping[str, Any]) -> bytes:
    """The message as bytes for the stream.

    Raises TypeError or ValueError for what is not plain data, FrameError for what is too large.
    ASCII only, so that lone surrogates survive the way.
    """
    return _framed(json.dumps(message, separators=(",", ":")).encode("ascii"))


def encode_finite(message: Mapping[str, Any]) -> bytes:
    """The same, and faster, for a message without NaN and infinities. Raises what `encode` raises."""
    if _fast_encode is not None:
        try:
            return _framed(_fast_encode(message))
        except (TypeError, ValueError, RecursionError):  # lone surrogates: json takes them
            pass
    return encode(message)


def _framed(payload: bytes) -> bytes:
    if len(payload) > MAX_FRAME:
        raise FrameError(f"a message of {len(payload)} bytes is over the limit of {MAX_FRAME}")
    return _HEADER.pack(_MARK, len(payload)) + payload


def _decode(payload: bytes) -> Message:
    try:
        value = _load(payload)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise FrameError("not a JSON object")
    message = cast(Message, value)
    if not isinstance(message.get("t"), str):
        raise FrameError("a message without a kind")
    return message


def _load(payload: bytes) -> object:
    if _fast_decode is not None:
        try:
            return _fast_decode(payload)
        except ValueError:  # NaN, infinities, lone surrogates: json takes them
            pass
    return json.loads(payload)


class FrameReader:
    """Puts messages together from the pieces in which a stream delivers them."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages completed by `data`. Raises FrameError; the stream is lost then."""
        self._buffer += data
        messages: list[Message] = []
        start = 0
        while len(self._buffer) - start >= _HEADER.size:
            mark, length = _HEADER.unpack_from(self._buffer, start)
            if mark != _MARK or length > MAX_FRAME:
                raise FrameError("not a message", messages)
            end = start + _HEADER.size + length
            if len(self._buffer) < end:
                break
            try:
                messages.append(_decode(bytes(self._buffer[start + _HEADER.size : end])))
            except FrameError as error:
                raise FrameError(str(error), messages) from error
            start = end
        del self._buffer[:start]
        return messages


def send(sock: socket.socket, message: Mapping[str, Any]) -> None:
    """Send one message over a blocking socket. Raises what `encode` raises, and OSError."""
    sock.sendall(encode(message))
