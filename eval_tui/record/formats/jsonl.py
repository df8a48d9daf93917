"""Lines of JSON: `\\n` ends a line and nothing else does (U+2028 inside a string is data)."""

from __future__ import annotations

from typing import NamedTuple, cast

from eval_tui.record.jsonish import decode

Line = dict[str, object]


class Lines(NamedTuple):
    """The objects of a JSON-lines file, and how many of its lines were none (D10)."""

    values: list[Line]
    malformed: int


def json_lines(data: bytes) -> Lines:
    """Reads JSON lines.

    Blank lines are skipped; a line that is no JSON object is counted as malformed. A last line
    without its end that does not parse is still being written: it is no error (D13).
    """
    values: list[Line] = []
    malformed = 0
    pieces = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for index, piece in enumerate(pieces):
        line = piece.strip()
        if not line:
            continue
        try:
            value = decode(line)
        except (ValueError, RecursionError):
            malformed += index < len(pieces) - 1
            continue
        if isinstance(value, dict):
            values.append(cast(Line, value))
        else:
            malformed += 1
    return Lines(values, malformed)
