"""The whole text of an entry, as it is shown unfolded: edits as diffs, commands as commands."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, cast

from rich.cells import cell_len

from eval_tui.tui.diff import compare, unified_lines, write_diff
from eval_tui.tui.document import Document, Writer, without_colours
from eval_tui.tui.trace import Event, Trace
from eval_tui.tui.trace_text import as_text, call_of, message_text, name_of, system_words
from eval_tui.tui.words import seconds

LONGEST_NAME: Final = 32
"""Cells that a name may take on an entry's line; a longer one is whole in the unfolded entry."""

FIRST_MOMENT: Final = 20
"""Entries in which the first one with a time is looked for."""


def document_of(trace: Trace, position: int) -> Document:
    """Everything about one entry. Copying gives the raw texts."""
    entry = trace.entries[position]
    event = trace.events[entry.at]
    writer = Writer()
    match entry.kind:
        case "call":
            return _call_document(trace, position)
        case "message":
            return writer.text(message_text(trace, position)).done()
        case "thinking":
            return writer.text(message_text(trace, position), "dim").done()
        case "result":
            _write_result(writer, event)
            return writer.done(as_text(event.get("content")))
        case "system":
            return writer.items(system_words(trace, position)).done()
        case _:
            for key, value in event.items():
                writer.field(str(key), as_text(value))
            return writer.done()


def _call_document(trace: Trace, position: int) -> Document:
    writer = Writer()
    name = name_of(trace, position)
    if len(name) > LONGEST_NAME or cell_len(name) > LONGEST_NAME:
        writer.field("tool", name)
    arguments = call_of(trace, trace.entries[position]).get("input")
    if isinstance(arguments, Mapping):
        _write_arguments(writer, cast("Mapping[str, Any]", arguments))
    elif arguments is not None:
        writer.text(as_text(arguments))
    raw = as_text(arguments)
    wait = trace.waits.get(position)
    if wait is not None:
        writer.text(f"(a wait of {seconds(wait)})", "warn")
    at = trace.results.get(position)
    if at is None:
        writer.text("(no result was recorded)", "warn")
    else:
        _write_result(writer, trace.events[at])
        raw += "\n" + as_text(trace.events[at].get("content"))
    return writer.done(raw)


def _write_arguments(writer: Writer, given: Mapping[str, Any]) -> None:
    """A call's arguments: a command as one types it, old and new text as a diff, the rest by name."""
    shown: set[str] = set()
    if isinstance(command := given.get("command"), str):
        writer.field("$", command)
        shown.add("command")
    edits = [given] if _is_edit(given) else []
    if isinstance(several := given.get("edits"), list):
        edits += [edit for edit in cast("list[Any]", several) if _is_edit(edit)]
        if len(edits) == len(cast("list[Any]", several)):
            shown.add("edits")
    if _is_edit(given):
        shown |= {"old_string", "new_string"}
    for key, value in given.items():
        if key not in shown:
            writer.field(str(key), as_text(value))
    for edit in edits:
        _write_diff(writer, edit["old_string"], edit["new_string"])


def _is_edit(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    given = cast("Mapping[str, Any]", value)
    return all(isinstance(given.get(key), str) for key in ("old_string", "new_string"))


def _write_diff(writer: Writer, old: str, new: str) -> None:
    # Pieces of a file need not end with a line feed.
    found = compare(*(text and text + "\n" for text in (old, new)))
    if found is None:
        write_diff(writer, [*_signed("-", old), *_signed("+", new)])
        return
    # Where in the file they are is not known: a place is only said between two parts.
    lines = unified_lines(found, "", "")[2 if len(found.hunks) > 1 else 3 :]
    write_diff(writer, lines or ["(nothing is changed)"])


def _signed(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.split("\n")] if text else []


def _write_result(writer: Writer, result: Event) -> None:
    content = as_text(result.get("content"))
    shown = without_colours(content)
    failed = bool(result.get("is_error"))
    words = "error" if failed else "result"
    if shown != content:
        words += " (colours left out)"
    writer.text(words, "bad" if failed else "label")
    writer.text(shown or "(empty)", None if shown else "dim")
    if result.get("truncated"):
        whole = result.get("original_length")
        size = f": {whole:,} characters" if isinstance(whole, int) else ""
        writer.text(f"(the record holds only the beginning{size})", "warn")


def clock_of(trace: Trace, position: int) -> str:
    """When an entry was, counted from the first event that says when it was; else empty."""
    now = trace.moments[position]
    if now is None:
        return ""
    began = next(filter(None, islice(trace.moments, FIRST_MOMENT)), now)
    past = max(int(now - began), 0)
    hours, minutes = divmod(past // 60, 60)
    return f"{hours}:{minutes:02}:{past % 60:02}" if hours else f"{minutes}:{past % 60:02}"
