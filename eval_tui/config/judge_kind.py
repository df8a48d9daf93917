"""Which kind of judge an entry is, and which of its fields lose (D14)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from eval_tui.config.own_judges import find_own, own_name
from eval_tui.config.paths import Base
from eval_tui.config.schema import MODEL_BUILTINS, PYTHON_BUILTINS, JudgeKind
from eval_tui.config.section import Section, did_you_mean, kind_of
from eval_tui.plugins import plugin_name

INSTRUCTIONS = ("llm_rubric", "prompt", "prompt_file")
"""What a model or an agent is told, the first of them that is given."""
WAYS = ("builtin", "check", "agent", *INSTRUCTIONS, "module", "function")
"""The fields that say how to judge, the strongest first."""

CATEGORIES = {
    "cost_budget": ("efficiency",),
    "consulted_docs": ("process", "docs"),
    "tool_call_validation": ("process",),
    "output_completeness": ("quality",),
    "no_harmful_content": ("safety",),
}
_HINT = (
    "give it one of: builtin, check, llm_rubric, prompt, prompt_file, agent, module and function"
)


@dataclass(frozen=True)
class Kind:
    """A judge's kind and those of its `WAYS` that count; the others are as if not given."""

    name: JudgeKind
    used: Set[str]


def infer_kind(entry: Section) -> Kind:
    """The first of built-in, check, agent, model and code that the entry's fields allow."""
    given = [way for way in WAYS if entry.given(way)]
    kind = _first_kind(given)
    if kind.name == "unknown":
        _explain_unknown(entry, given)
        return kind
    surplus = [way for way in given if way not in kind.used]
    if kind.name == "builtin" and surplus:
        message = f"`builtin` excludes `{surplus[0]}`"
        entry.error(surplus[0], "builtin-conflict", message, "make two judges of it")
        return kind
    for way in surplus:
        winner = next(iter(sorted(kind.used, key=WAYS.index)))
        message = f"`{way}` is ignored: `{winner}` comes first"
        entry.warn(way, "ignored-field", message, "remove it, or make two judges of it")
    return kind


def _first_kind(given: list[str]) -> Kind:
    instruction = set([way for way in given if way in INSTRUCTIONS][:1])
    if "builtin" in given:
        return Kind("builtin", {"builtin"})
    if "check" in given:
        return Kind("check", {"check"})
    if "agent" in given:
        return Kind("agent", {"agent"} | instruction)
    if instruction:
        return Kind("model", instruction)
    if "module" in given and "function" in given:
        return Kind("code", {"module", "function"})
    return Kind("unknown", set(given))


def _explain_unknown(entry: Section, given: list[str]) -> None:
    if given:
        other = {"module": "function", "function": "module"}[given[0]]
        entry.error(given[0], "no-kind", f"`{given[0]}` needs `{other}` beside it")
    else:
        entry.error(None, "no-kind", "this entry does not say how to judge", _HINT)


@dataclass(frozen=True)
class Builtin:
    """What an entry's `builtin` stands for."""

    name: str = ""
    """The bare name of one of ours, `category/name` of the project's own, `plugin/name`; empty if
    there is no such judge."""
    kind: JudgeKind = "builtin"
    """How it scores: one of ours, the project's or a package's Python, the project's prompt."""
    path: str = ""
    """Absolute path of the project's own file; else empty."""

    @property
    def passes(self) -> bool:
        """Whether a model answers it, with pass or fail."""
        return self.kind == "model" or self.name in MODEL_BUILTINS


def read_builtin(entry: Section, base: Base) -> Builtin:
    """The built-in that is given as `name` or `category/name` (D15), the project's own included.

    Whether a package offers a plugin is known under the judges' interpreter only.
    """
    value = entry.get("builtin")
    if not isinstance(value, str):
        entry.error("builtin", "builtin-not-text", f"`builtin` must be text, not {kind_of(value)}")
        return Builtin()
    text = value.strip()
    if plugin_name(text):
        return Builtin(text, "code")
    category, slash, name = text.rpartition("/")
    known = PYTHON_BUILTINS | MODEL_BUILTINS
    if name in known and (not slash or category in CATEGORIES[name]):
        return Builtin(name)
    if path := find_own(entry, base, category, name):
        return Builtin(own_name(path), "model" if path.endswith(".md") else "code", path)
    hint = did_you_mean(name, known) or f"known: {', '.join(sorted(known))}"
    entry.error("builtin", "unknown-builtin", f"there is no built-in judge `{value}`", hint)
    return Builtin()
