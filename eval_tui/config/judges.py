"""`judges:`: one entry of the config -> one `Judge`, with everything that is wrong with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import cast

from eval_tui.config.agents import read_agent
from eval_tui.config.criteria import read_criteria, read_pass_if
from eval_tui.config.judge_files import Material, mentions_case, own_material, read_material
from eval_tui.config.judge_kind import WAYS, Builtin, Kind, infer_kind, read_builtin
from eval_tui.config.paths import Base
from eval_tui.config.plain import as_mapping, to_json
from eval_tui.config.scale import read_feedback_type, read_score_range
from eval_tui.config.schema import PAIRWISE, Judge, JudgeKind
from eval_tui.config.section import Report, Section, kind_of
from eval_tui.config.settings import read_integer

_KEYS = (
    "name",
    "description",
    "if",
    "check",
    "prompt",
    "prompt_file",
    "llm_rubric",
    "context",
    "feedback_type",
    "score_range",
    "pass_if",
    "criteria",
    "model",
    "module",
    "function",
    "builtin",
    "arguments",
    "step",
    "samples",
    "agent",
    "cache",
    "auto",
)


@dataclasses.dataclass(frozen=True)
class JudgeContext:
    """What an entry is checked against."""

    base: Base
    steps: tuple[str, ...]
    """Ids of the pipeline's steps."""
    model: str
    """The model of judges that name none; empty when there is no such default."""
    timeout: float | None = None
    """Seconds that `execution:` gives an agent; None when it does not say."""


@dataclasses.dataclass(frozen=True)
class JudgeList:
    """The entries of `judges:`, in file order."""

    columns: tuple[Judge, ...]
    pairwise: tuple[Judge, ...]
    unique: bool
    """False when two columns have one name, which makes the config unusable (D3)."""


def read_judges(top: Section, context: JudgeContext) -> JudgeList:
    """All entries; one that cannot be used carries its `problem` (D3)."""
    if top.has("judges") and top.get("judges") is None:
        top.error("judges", "judges-not-list", "`judges` has no entries", "add one, or remove it")
    columns: dict[str, Judge] = {}
    pairwise: list[Judge] = []
    unique = True
    for index, item in enumerate(top.items("judges", "judges-not-list")):
        judge = _read_entry(top.report, item, index, context)
        if judge.name == PAIRWISE:
            pairwise.append(judge)
        elif judge.name in columns:
            unique = False
            _tell_duplicate(top.report, judge, columns[judge.name], index)
        else:
            columns[judge.name] = judge
    return JudgeList(tuple(columns.values()), tuple(pairwise), unique)


def _tell_duplicate(report: Report, judge: Judge, first: Judge, index: int) -> None:
    message = f"two judges are called `{judge.name}`: this one and that of line {first.line}"
    place = report.positions.value(("judges", index, "name"))
    hint = "give one of them another name"
    report.add("error", "duplicate-judge", message, place, judge=judge.name, hint=hint)


def _read_entry(report: Report, item: object, index: int, context: JudgeContext) -> Judge:
    keys = ("judges", index)
    nameless = f"#{index + 1}"
    line = report.positions.value(keys).line
    before = len(report.problems)
    mapping = as_mapping(item)
    if mapping is not None:
        entry = Section(report, mapping, keys, nameless)
        name = entry.text("name")
        if name.strip():
            entry = dataclasses.replace(entry, judge=name)
        else:
            entry.error(None, "nameless-judge", "this judge has no name", "add `name: ...`")
        judge = _read_fields(entry, name if name.strip() else nameless, line, context)
    else:
        message = f"a judge must be a mapping, not {kind_of(item)}"
        hint = "e.g. `- name: has_title` with `check: ...` below it"
        place = report.positions.value(keys)
        report.add("error", "judge-not-mapping", message, place, judge=nameless, hint=hint)
        judge = Judge(nameless, "unknown", line=line)
    errors = report.errors_since(before)
    return dataclasses.replace(judge, problem=errors[0]) if errors else judge


def _read_fields(entry: Section, name: str, line: int, context: JudgeContext) -> Judge:
    entry.note_unknown(_KEYS)
    # The comparison judge may be a bare name: then the built-in comparison prompt serves.
    is_bare = name == PAIRWISE and not any(entry.given(way) for way in WAYS)
    kind = Kind("model", frozenset()) if is_bare else infer_kind(entry)

    def used(key: str) -> str:
        return entry.text(key) if key in kind.used else ""

    builtin = (
        read_builtin(entry, context.base) if kind.name == "builtin" else Builtin(kind=kind.name)
    )
    scale = read_score_range(entry)
    asks_model = Judge(name, builtin.kind, builtin=builtin.name).asks_model
    material = _read_files(entry, kind, builtin, context.base)
    feedback_type = read_feedback_type(entry, scale, builtin.name if builtin.passes else "")
    is_bool = feedback_type == "bool" or (asks_model and kind.name == "builtin")
    if builtin.path and is_bool:
        feedback_type = "bool"
    return Judge(
        name=name,
        kind=builtin.kind,
        description=entry.text("description"),
        condition=_read_condition(entry),
        step=_read_step(entry, context.steps),
        arguments=_read_arguments(entry),
        check=_read_check(entry, kind),
        check_line=_check_line(entry) if kind.name == "check" else 0,
        module=used("module").strip(),
        function=used("function").strip(),
        builtin=builtin.name,
        source=builtin.path,
        llm_rubric=used("llm_rubric"),
        prompt=used("prompt"),
        prompt_file=used("prompt_file"),
        prompt_path=material.prompt_path,
        prompt_line=_prompt_line(entry, kind),
        context=material.context,
        context_paths=material.context_paths,
        material=material.digest,
        feedback_type=feedback_type,
        score_range=scale,
        pass_if=read_pass_if(entry, is_bool),
        criteria=read_criteria(entry, kind.name == "model", is_bool),
        model=_read_model(entry, name, context.model, asks_model),
        samples=_read_samples(entry, builtin.kind),
        agent=read_agent(entry, kind, context.base, context.timeout),
        cache=entry.flag("cache", True),
        auto=entry.flag("auto", True),
        line=line,
    )


def _read_condition(entry: Section) -> str | bool | None:
    value = entry.get("if")
    if isinstance(value, bool):
        return value
    return entry.text("if") or None


def _read_step(entry: Section, steps: tuple[str, ...]) -> str | None:
    step = entry.text("step")
    if not step:
        return None
    if not steps:
        hint = "name them under `execution.steps`"
        entry.error("step", "step-without-steps", "`step` needs a pipeline of steps", hint)
    elif step not in steps:
        hint = f"steps: {', '.join(steps)}"
        entry.error("step", "unknown-step", f"there is no step `{step}`", hint)
    return step


def _read_arguments(entry: Section) -> Mapping[str, object]:
    block = entry.section("arguments", "arguments-not-mapping")
    if block is None:
        return {}
    plain, changed = to_json(block.values)
    if changed:
        message = "dates and keys that are no text reach the judge as text"
        entry.note("arguments", "arguments-as-text", message, "put them in quotes to say so")
    return cast("Mapping[str, object]", plain)


def _read_check(entry: Section, kind: Kind) -> str:
    if kind.name != "check":
        return ""
    value = entry.get("check")
    if not isinstance(value, str):
        entry.error("check", "check-not-text", f"`check` must be Python, not {kind_of(value)}")
        return ""
    if not value.strip():
        entry.error("check", "check-empty", "`check` holds no Python")
    return value


def _check_line(entry: Section) -> int:
    return entry.report.positions.content_line((*entry.keys, "check"))


def _prompt_line(entry: Section, kind: Kind) -> int:
    inline = next((key for key in ("llm_rubric", "prompt") if key in kind.used), None)
    return entry.report.positions.content_line((*entry.keys, inline)) if inline else 0


def _read_files(entry: Section, kind: Kind, builtin: Builtin, base: Base) -> Material:
    if kind.name not in ("model", "agent"):
        if entry.given("context"):
            message = "`context` is ignored: this judge asks no model"
            entry.warn("context", "ignored-field", message)
        is_prompt = builtin.kind == "model" and builtin.path
        return own_material(entry, builtin.path) if is_prompt else Material()
    material = read_material(entry, base, "prompt_file" in kind.used)
    inline = "".join(entry.text(key) for key in kind.used if key in ("prompt", "llm_rubric"))
    is_rubric = "llm_rubric" in kind.used
    has_text = bool(inline.strip()) or bool(material.digest)
    if (
        has_text
        and entry.judge != PAIRWISE
        and kind.name != "agent"  # it sees the files of the case
        and not is_rubric
        and not (mentions_case(inline) or material.mentions_case)
    ):
        message = "this prompt uses no variable, so the model sees nothing of the case"
        key = "prompt" if "prompt" in kind.used else "prompt_file"
        entry.note(key, "blind-prompt", message, "use e.g. `{{ conversation }}`")
    return material


def _read_model(entry: Section, name: str, default: str, asks_model: bool) -> str:
    """The entry's model, else the default; none costs the judge its column (D22)."""
    model = entry.text("model").strip() or (default if asks_model else "")
    if asks_model and not model and name != PAIRWISE:
        hint = "set `model` here, `models.judge`, or the variable EVAL_JUDGE_MODEL"
        entry.error(None, "no-model", "this judge asks a model, but none is named", hint)
    return model


def _read_samples(entry: Section, kind: JudgeKind) -> int:
    samples = read_integer(entry, "samples", 1, "bad-samples")
    if samples < 1:
        entry.warn("samples", "bad-samples", f"`samples` must be at least 1, not {samples}")
    if samples > 1 and kind not in ("model", "agent"):
        message = "`samples` is ignored: this judge is asked once"
        entry.warn("samples", "ignored-field", message)
        return 1
    return max(samples, 1)
