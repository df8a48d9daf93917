"""Documents of a case (JSON, YAML): read, parsed, and reported when they are not what they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from eval_tui.record.context import Context
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.parts import digest_bytes

T = TypeVar("T")


def read_document(ctx: Context, path: str, parse: Callable[[bytes], T]) -> T | None:
    """The parsed document at `path`, or None when there is none.

    `parse` raises ValueError (its words are shown) or RecursionError for what it cannot read.
    Raises PartUnreadable (D10); that a young file may still be being written (D13) is for the
    reader to judge by the path it carries.
    """
    data = ctx.disk.read(path)
    if data is None:
        return None
    try:
        return parse(data)
    except RecursionError:
        problem = "it is nested too deeply"
    except ValueError as error:
        problem = str(error)
    raise PartUnreadable(path, problem, digest_bytes(data))
