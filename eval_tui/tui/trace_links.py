"""What a rationale cites of its case: numbered calls, tools, files and lines, and quoted words.

Only what is found in the trace or among the case's files is a citation.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from eval_tui.tui.document import Document, Span, SpanStyle, without_colours
from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_text import as_text, call_of, message_text, name_of

LINKS: Final[tuple[SpanStyle, ...]] = ("link", "link-here")

MOST: Final = 200
"""Citations of one rationale that are looked up."""

READ: Final = 200_000
"""Characters of a rationale in which citations are looked for."""

SCANNED: Final = 8_000_000
"""Characters of a trace in which quoted words are looked for."""

SLICE_S: Final = 0.004
"""Seconds of work between two looks at the keyboard."""


class FilePlace(NamedTuple):
    """A file of the case, by its name, and a line of it (from 1; 0: not told)."""

    name: str
    line: int = 0


class TracePlace(NamedTuple):
    """An entry of the trace, and words in it."""

    entry: int
    text: str = ""


class Citation(NamedTuple):
    """Characters `start` to `end` of a line of a document, and where they lead."""

    line: int
    start: int
    end: int
    place: FilePlace | TracePlace


_NUMBER: Final = re.compile(
    r"(?<![\w#])(?:(?:tool )?(?:call|step)s? (?:#|no\. ?|number )?|#)(\d{1,6})\b", re.IGNORECASE
)
_QUOTED: Final = re.compile(
    r'"([^"\n]{3,400})"|“([^”\n]{3,400})”|`([^`\n]{2,400})`|(?<!\w)\'([^\'\n]{3,400})\'(?!\w)'
)
_ITEM: Final = re.compile(r"^\s*[-*•] (\w+): (\S[^\n]{2,399})")
"""What went wrong with a tool, as an item of a list: its words are quoted without marks."""
_LEFT_OUT: Final = re.compile(r"… \+[\d,]+ chars$|…$")
_PATH: Final = re.compile(
    r"(?<![\w/.@~+-])((?:[\w@~+.-]*/)*[\w@+-][\w@+.-]*\.\w{1,8}|/?(?:[\w@+.-]+/)+)"
)
_LINE: Final = re.compile(r"(?::| line |, line |#L)(\d{1,7})\b")
_PATH_KEYS: Final = ("file_path", "notebook_path", "path")


class _Candidate(NamedTuple):
    line: int
    start: int
    end: int
    text: str
    number: int = 0
    quoted: bool = False


class _Known(NamedTuple):
    """What citations can lead to, by name."""

    files: Sequence[str]
    calls: Mapping[int, int]
    tools: Mapping[str, int]
    paths: Mapping[str, int]


class _Turn:
    """Gives the keyboard its turn when enough was done in one go."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + SLICE_S

    async def end(self) -> None:
        if time.monotonic() > self._ends:
            await asyncio.sleep(0)
            self._ends = time.monotonic() + SLICE_S


async def find_citations(document: Document, trace: Trace, files: Sequence[str]) -> list[Citation]:
    """The citations of a document, top to bottom. Lets the keyboard have its turn while it looks."""
    known = await _known(trace, files)
    pattern, tools = _tool_pattern(known.tools), known.tools
    found: list[Citation] = []
    quotes: list[_Candidate] = []
    for candidate in _candidates(document.lines, pattern, tools):
        place = _named_place(candidate, document.lines[candidate.line], known)
        if place is not None:
            found.append(Citation(*candidate[:3], place))
        elif candidate.quoted:
            quotes.append(candidate)
        if len(found) + len(quotes) >= MOST:
            break
    found += await _find_quotes(quotes, trace)
    return sorted(found)


def with_links(document: Document, citations: Sequence[Citation], here: int) -> Document:
    """The document with its citations marked; `here` is the one that the reader followed last."""
    spans = {
        line: tuple(span for span in there if span.style not in LINKS)
        for line, there in document.spans.items()
    }
    for number, (line, start, end, _) in enumerate(citations):
        style: SpanStyle = "link-here" if number == here else "link"
        spans[line] = (*spans.get(line, ()), Span(start, end, style))
    return Document(document.lines, spans, document.raw)


def _candidates(
    lines: Sequence[str], pattern_of_tools: re.Pattern[str] | None, tools: Mapping[str, int]
) -> Iterator[_Candidate]:
    """Everything that looks like a citation; of overlapping ones the first of these kinds."""
    room = READ
    for number, whole in enumerate(lines):
        line = whole[: max(room, 0)]
        room -= len(whole)
        taken: list[tuple[int, int]] = []
        item = _ITEM.match(line)
        if item is not None and item.group(1) in tools:
            text = _LEFT_OUT.sub("", item.group(2)).rstrip(" .")
            start = item.start(2)
            yield _Candidate(number, start, start + len(text), text, quoted=True)
            continue
        for hit in _QUOTED.finditer(line):
            text = next(filter(None, hit.groups()))
            taken.append(hit.span())
            yield _Candidate(number, hit.start() + 1, hit.end() - 1, text, quoted=True)
        for pattern in filter(None, (_PATH, _NUMBER, pattern_of_tools)):
            for hit in pattern.finditer(line):
                start, end = hit.span()
                if any(start < b and a < end for a, b in taken):
                    continue
                taken.append((start, end))
                text = hit.group().rstrip(".")
                call = int(hit.group(1)) if pattern is _NUMBER else 0
                yield _Candidate(number, start, start + len(text), text, call)


def _tool_pattern(tools: Mapping[str, int]) -> re.Pattern[str] | None:
    """Names of tools, but not where they may be the verb that begins a sentence."""
    if not tools:
        return None
    names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)[:MOST]))
    return re.compile(rf"(?<=[\w,;:(] )(?<!\w)(?:{names})(?!\w)|(?<!\w)(?:{names})(?= tool| call)")


async def _known(trace: Trace, files: Sequence[str]) -> _Known:
    calls: dict[int, int] = {}
    tools: dict[str, int] = {}
    paths: dict[str, int] = {}
    errors = set(trace.errors)
    turn = _Turn()
    for at, entry in enumerate(trace.entries):
        await turn.end()
        if entry.kind != "call":
            continue
        calls[entry.number] = at
        name = name_of(trace, at)
        # A tool is cited for what went wrong with it more often than for its first call.
        if name not in tools or (at in errors and tools[name] not in errors):
            tools[name] = at
        given = call_of(trace, entry).get("input")
        if isinstance(given, Mapping):
            arguments = cast("Mapping[str, Any]", given)
            for key in _PATH_KEYS:
                if isinstance(path := arguments.get(key), str):
                    paths.setdefault(path, at)
    return _Known(files, calls, tools, paths)


def _named_place(candidate: _Candidate, line: str, known: _Known) -> FilePlace | TracePlace | None:
    """Where a number, a path or the name of a tool leads; None where there is no such thing."""
    if candidate.number:
        entry = known.calls.get(candidate.number)
        return None if entry is None else TracePlace(entry)
    text = candidate.text
    if text in known.tools:
        return TracePlace(known.tools[text])
    text, _, inner = text.partition(":")
    if not text or " " in text:
        return None
    after = _LINE.match(line, candidate.end)
    number = int(inner) if inner.isdecimal() else int(after.group(1)) if after else 0
    if name := _same_path(text, known.files):
        return FilePlace(name, number)
    path = _same_path(text, known.paths)
    return TracePlace(known.paths[path], text) if path else None


def _same_path(text: str, paths: Sequence[str] | Mapping[str, int]) -> str:
    """The path that a text means: the same, or one of which it is the end or which is its end."""
    if text in paths:
        return text
    wanted = text.removeprefix("./").strip("/")
    if not wanted:
        return ""
    for path in paths:
        whole = f"/{path.strip('/')}"
        if whole.endswith(f"/{wanted}") or ("/" in path and f"/{wanted}".endswith(whole)):
            return path
    return ""


async def _find_quotes(quotes: Sequence[_Candidate], trace: Trace) -> list[Citation]:
    """The quotes that some entry holds, at the first that does."""
    found: list[Citation] = []
    open_quotes = list(quotes)
    scanned = 0
    turn = _Turn()
    for entry in range(len(trace.entries)):
        if not open_quotes or scanned > SCANNED:
            break
        text = _text_of(trace, entry)
        scanned += len(text)
        for quote in [quote for quote in open_quotes if quote.text in text]:
            open_quotes.remove(quote)
            found.append(Citation(*quote[:3], TracePlace(entry, quote.text)))
        await turn.end()
    return found


def _text_of(trace: Trace, position: int) -> str:
    """All that an entry says, for looking up quoted words."""
    entry = trace.entries[position]
    if entry.kind in ("message", "thinking"):
        return message_text(trace, position)
    if entry.kind == "result":
        return without_colours(as_text(trace.events[entry.at].get("content")))
    if entry.kind != "call":
        return ""
    given = call_of(trace, entry).get("input")
    values = cast("Mapping[str, Any]", given).values() if isinstance(given, Mapping) else (given,)
    texts = [as_text(value) for value in values]
    if (at := trace.results.get(position)) is not None:
        texts.append(without_colours(as_text(trace.events[at].get("content"))))
    return "\n".join(texts)
