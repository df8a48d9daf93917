"""Templates of prompts: a sandboxed Jinja2 whose errors name the author's file and line."""

from __future__ import annotations

import contextvars
import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, cast

import jinja2
from jinja2 import meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from eval_tui.config.problems import Problem
from eval_tui.judges.base import JudgeUnusable
from eval_tui.judges.model.material import Variables, fenced, to_json
from eval_tui.judges.model.prompt import Place, Source
from eval_tui.judges.text import exception_words
from eval_tui.record.errors import PartUnreadable, StepMissing

MAX_PROMPT = 4_000_000
"""Characters above which a rendered prompt is refused: about a million tokens."""

_MAX_NOTES = 50
_SURROGATE = re.compile("[\ud800-\udfff]")
_RANDOM = {"filters": ("random",), "globals": ("lipsum",)}
"""What would make a different request of the same case each time."""


class PromptFailed(Exception):
    """A template that cannot be rendered for a case; the text names file and line."""


@dataclass(frozen=True)
class Undefined:
    """A name that had no value where a template printed it or went over it."""

    name: str
    """As the template has it: `nope`, `outputs.response`."""
    place: Place


@dataclass(frozen=True)
class Rendered:
    """A rendered template."""

    text: str
    undefined: tuple[Undefined, ...]


_noticed: contextvars.ContextVar[list[tuple[str, int]] | None] = contextvars.ContextVar(
    "noticed", default=None
)


class _Noted(jinja2.Undefined):
    """Renders as nothing, and is noted when it does; anything deeper raises."""

    def __str__(self) -> str:
        self.__note()
        return super().__str__()

    def __iter__(self) -> Iterator[Any]:
        self.__note()
        return super().__iter__()

    def __note(self) -> None:
        noticed = _noticed.get()
        if noticed is not None and len(noticed) < _MAX_NOTES:
            path = getattr(self._undefined_obj, "path", "")
            name = f"{path}.{self._undefined_name}" if path else str(self._undefined_name)
            noticed.append((name, _template_line(sys._getframe(2))))


class _Sandbox(ImmutableSandboxedEnvironment):
    """No way out of the template, no chance in it, and no text without end from one operator."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" and not (_small(left, 1e6) and _small(right, 100)):
            raise PromptFailed("the power is too large")
        for some, times in ((left, right), (right, left)):
            sized = isinstance(some, (str, bytes, list, tuple))
            if sized and isinstance(times, int) and len(cast(str, some)) * times > MAX_PROMPT:
                raise PromptFailed(f"it makes a text of more than {MAX_PROMPT:,} characters")
        return super().call_binop(context, operator, left, right)


def _small(value: object, limit: float) -> bool:
    return isinstance(value, (int, float)) and abs(value) <= limit


def _environment() -> _Sandbox:
    env = _Sandbox(undefined=_Noted, autoescape=False, optimized=False, cache_size=0)
    env.filters.update(tojson=to_json, fenced=fenced)
    for name in _RANDOM["filters"]:
        del env.filters[name]
    for name in _RANDOM["globals"]:
        del env.globals[name]
    return env


class Template:
    """A compiled template."""

    def __init__(self, source: Source) -> None:
        """Raises JudgeUnusable for bad syntax and unknown filters or tests, with file and line."""
        self._source = source
        env = _environment()
        env.trim_blocks = env.lstrip_blocks = source.is_ours
        try:
            tree = env.parse(source.text)
            names = meta.find_undeclared_variables(tree)
            self._template = env.from_string(source.text)
        except jinja2.TemplateSyntaxError as error:
            place = source.place(error.lineno)
            detail = f"the template cannot be used: {error.message} ({place})"
            raise JudgeUnusable(detail, line=place.line) from None
        except RecursionError:
            raise JudgeUnusable("the template is nested too deeply") from None
        self.names: Set[str] = frozenset(names - set(env.globals))
        """The variables that the template asks for, wherever in it."""
        self._lines = _first_lines(tree, self.names)
        self._excused = _excused_names(tree)
        self.is_static = not any(True for _ in tree.find_all((nodes.Name, nodes.Call)))
        """Whether the template is plain text."""

    def unknown(self, known: Iterable[str]) -> tuple[Undefined, ...]:
        """Names outside `known` that the template uses without asking whether they are there."""
        lost = self.names - set(known) - self._excused
        found = [(self._lines.get(name, 1), name) for name in lost]
        return tuple(Undefined(name, self._source.place(line)) for line, name in sorted(found))

    def render(self, variables: Variables) -> Rendered:
        """The text for one case; reads only the variables that the template names.

        Raises PromptFailed, and what reading the case raises: PartUnreadable.
        """
        noticed: list[tuple[str, int]] = []
        token = _noticed.set(noticed)
        try:
            values = {name: variables[name]() for name in sorted(self.names & set(variables))}
            text = self._text(values)
        finally:
            _noticed.reset(token)
        places = dict.fromkeys(noticed)
        looks = tuple(Undefined(name, self._source.place(line)) for name, line in places)
        return Rendered(_SURROGATE.sub("\ufffd", text), looks)

    def _text(self, values: dict[str, object]) -> str:
        pieces: list[str] = []
        size = 0
        try:
            for piece in self._template.root_render_func(self._template.new_context(values)):
                pieces.append(piece)
                size += len(piece)
                if size > MAX_PROMPT:
                    raise PromptFailed(
                        f"the prompt for this case is longer than {MAX_PROMPT:,} characters; "
                        "show less of the case in it"
                    )
        except (PartUnreadable, StepMissing):
            raise
        except Exception as error:
            place = self._source.place(_error_line(error.__traceback__))
            raise PromptFailed(f"{_words(error)} ({place})") from None
        return "".join(pieces)


def undefined_problem(look: Undefined, known: Iterable[str], judge: str) -> Problem:
    """The note about an undefined name (D23)."""
    near = difflib.get_close_matches(look.name, sorted(known), 1, 0.6)
    hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(sorted(known))}"
    message = f"`{look.name}` is not defined, so the prompt shows nothing in its place"
    place = look.place
    return Problem("note", "undefined-variable", message, place.file, place.line, 0, judge, hint)


def _words(error: Exception) -> str:
    if isinstance(error, PromptFailed):
        return str(error)
    if isinstance(error, jinja2.TemplateError):
        return f"the template failed: {error.message}"
    if isinstance(error, RecursionError):
        return "the template failed: it calls itself without end"
    return f"the template failed: {exception_words(error)}"


def _error_line(traceback: TracebackType | None) -> int:
    """The template's line of the innermost frame that runs a template."""
    line = 1
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line


def _template_line(frame: FrameType | None) -> int:
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.get_corresponding_lineno(frame.f_lineno)
        frame = frame.f_back
    return 1


def _first_lines(tree: nodes.Template, names: Set[str]) -> dict[str, int]:
    lines: dict[str, int] = {}
    for name in tree.find_all(nodes.Name):
        if name.name in names:
            lines.setdefault(name.name, name.lineno)
    return lines


def _excused_names(tree: nodes.Template) -> Set[str]:
    """Names that the template knows may be absent: `x is defined`, `x|default(...)`."""
    excused: set[str] = set()
    for node in tree.find_all((nodes.Test, nodes.Filter)):
        if node.name in ("defined", "undefined", "default", "d") and isinstance(
            node.node, nodes.Name
        ):
            excused.add(node.node.name)
    return excused
