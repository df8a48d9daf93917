"""Typed access to the mappings of a config, with a problem for whatever is not as it should be."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.positions import Keys, Place, Positions
from eval_tui.config.problems import Problem, Severity


@dataclass
class Report:
    """The problems of one config, in the order in which they are found."""

    file: str
    positions: Positions
    problems: list[Problem] = field(default_factory=list[Problem])
    looked_for: list[str] = field(default_factory=list[str])
    """Every path that was read or looked for in vain."""

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        place: Place,
        *,
        judge: str | None = None,
        hint: str = "",
    ) -> Problem:
        problem = Problem(severity, code, message, self.file, place.line, place.column, judge, hint)
        self.problems.append(problem)
        return problem

    def errors_since(self, count: int) -> list[Problem]:
        """The errors found after there were `count` problems."""
        return [p for p in self.problems[count:] if p.severity == "error"]


@dataclass(frozen=True)
class Section:
    """One mapping of the config. Getters never raise: a value of the wrong form is a problem."""

    report: Report
    values: Mapping[object, object]
    keys: Keys
    """The way to this mapping from the top."""
    judge: str | None = None
    """The judge that its problems belong to."""

    # Problems

    def error(self, key: str | None, code: str, message: str, hint: str = "") -> None:
        self._add("error", key, code, message, hint)

    def warn(self, key: str | None, code: str, message: str, hint: str = "") -> None:
        self._add("warning", key, code, message, hint)

    def note(self, key: str | None, code: str, message: str, hint: str = "") -> None:
        self._add("note", key, code, message, hint)

    def _add(self, severity: Severity, key: str | None, code: str, message: str, hint: str) -> None:
        place = self.place(key)
        self.report.add(severity, code, message, place, judge=self.judge, hint=hint)

    def place(self, key: str | None = None) -> Place:
        """Where the value of `key` stands, or this mapping."""
        keys = self.keys if key is None else (*self.keys, key)
        return self.report.positions.value(keys)

    def note_unknown(self, known: Collection[str]) -> None:
        """A note for each key that nothing reads, with the nearest one that is read (D1)."""
        for key in self.values:
            if key not in known:
                text, place = self.name_of(key)
                message, hint = (
                    f"`{text}` is not a key that is used here",
                    did_you_mean(text, known),
                )
                self.report.add("note", "unknown-key", message, place, judge=self.judge, hint=hint)

    # Values

    def has(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> object:
        return self.values.get(key)

    def given(self, key: str) -> bool:
        """Whether there is something: neither null nor an empty text, list or mapping."""
        value = self.values.get(key)
        return value is not None and value != "" and value != [] and value != {}

    def text(self, key: str) -> str:
        """A text; other scalars keep the text they are written with (D8). Empty when absent."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        written = self.report.positions.text((*self.keys, key))
        if written is None:
            self.error(key, "not-text", f"`{key}` must be text, not {kind_of(value)}")
        return written or ""

    def flag(self, key: str, default: bool) -> bool:
        """A YAML boolean; `default` when absent."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            message = f"`{key}` must be true or false, not {kind_of(value)}"
            self.error(key, "not-boolean", message, f"write `{key}: true` or `{key}: false`")
            return default
        return value

    def choice(self, key: str, allowed: tuple[str, ...], code: str) -> str:
        """One of some words, the first of which stands for an absent value."""
        text = self.text(key)
        if not text or text in allowed:
            return text or allowed[0]
        words = ", ".join(f"`{word}`" for word in allowed)
        self.error(
            key, code, f"`{key}` is one of {words}, not `{text}`", did_you_mean(text, allowed)
        )
        return allowed[0]

    def section(self, key: str, code: str = "not-mapping") -> Section | None:
        """A mapping; None when absent, null or (with a problem) something else."""
        value = self.values.get(key)
        mapping = as_mapping(value)
        if mapping is None:
            if value is not None:
                self.error(key, code, f"`{key}` must be a mapping, not {kind_of(value)}")
            return None
        return Section(self.report, mapping, (*self.keys, key), self.judge)

    def items(self, key: str, code: str = "not-list") -> list[object]:
        """A list; empty when absent, null or (with a problem) something else."""
        value = self.values.get(key)
        items = as_list(value)
        if items is None and value is not None:
            self.error(key, code, f"`{key}` must be a list, not {kind_of(value)}")
        return items or []

    def sections(self, key: str, code: str = "not-mapping") -> Iterator[Section]:
        """The mappings of a list; other items are problems."""
        for index, item in enumerate(self.items(key)):
            keys = (*self.keys, key, index)
            mapping = as_mapping(item)
            if mapping is not None:
                yield Section(self.report, mapping, keys, self.judge)
            else:
                place = self.report.positions.value(keys)
                message = f"each entry of `{key}` must be a mapping, not {kind_of(item)}"
                self.report.add("error", code, message, place, judge=self.judge)

    def entries(self) -> Iterator[tuple[str, object, Place]]:
        """The entries of a mapping whose keys are names: name, value, place of the name (D8)."""
        for key, value in self.values.items():
            name, place = self.name_of(key)
            yield name, value, place

    def name_of(self, key: object) -> tuple[str, Place]:
        """A key as it is written, and where it stands."""
        keys = (*self.keys, key)
        return self.report.positions.key_text(keys), self.report.positions.key(keys)


def kind_of(value: object) -> str:
    """A value's kind in the words of a YAML author."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        finite = isinstance(value, int) or math.isfinite(value)
        return "a number" if finite else "NaN" if math.isnan(value) else "an infinity"
    if isinstance(value, str):
        return "text"
    if as_list(value) is not None:
        return "a list"
    return "a mapping" if as_mapping(value) is not None else "a date"


def is_number(value: object) -> bool:
    """Whether it is a number that can be compared: no boolean, no NaN."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and not (isinstance(value, float) and math.isnan(value))
    )


def did_you_mean(word: str, known: Collection[str]) -> str:
    """`did you mean ...?` for a word close to a known one, else empty."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else ""
