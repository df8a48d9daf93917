"""The typed, immutable values of an `eval.yaml`.

Plain data that also crosses to the workers, so: standard library only, Python 3.10 syntax.
Loading and checking live in `eval_tui.config.load`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from eval_tui.config.problems import Problem

JudgeKind = Literal["builtin", "check", "agent", "model", "code", "grader", "unknown"]
"""How a judge scores (D14). `grader`: an entry of `graders:` (D37). `unknown`: the entry is of no
kind, a column with its problem."""

Authority = Literal["ground_truth", "objective", "judge", "observational"]
"""How much a metric's word counts in a case's verdict (measurement rules, section 4.4)."""

Direction = Literal["higher_is_better", "lower_is_better", "neutral"]

ThresholdMetric = Literal["min_pass_rate", "min_mean", "min_win_rate", "max_error_rate", "max_drop"]
"""`max_drop` (ours): how far the figure may fall below that of the baseline."""


PAIRWISE = "pairwise"
"""The name of the entry that compares two runs; a column only while they are compared (D30)."""


def _mapping() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Criterion:
    """One entry of a model judge's `criteria:` (ours): a question of its own in the same call."""

    id: str
    description: str = ""
    weight: float = 1.0
    """Its share in the judge's own value; at 0 it is asked and shown, and decides nothing."""
    pass_if: str = ""
    """Like the judge's `pass_if`, for this criterion; empty when absent."""


@dataclass(frozen=True)
class Metric:
    """What a grader's spec declares about one metric that it emits."""

    id: str
    authority: Authority | None = None
    direction: Direction | None = None
    pass_if: str = ""
    """Like a judge's `pass_if` (ours); empty when absent."""
    of_cases: bool = False
    """Single cases declare it, in their `annotations.yaml`, and not the config."""


@dataclass(frozen=True)
class Grader:
    """The spec of one entry of `graders:`, as documented: `{id, config, metrics}` (D37)."""

    id: str
    """Which implementation: `tests-pass`, `script`, `cost`, ..."""
    config: Mapping[str, Any] = field(default_factory=_mapping)
    metrics: tuple[Metric, ...] = ()
    """Declared metrics; one owner each (D38)."""
    foreign: tuple[str, ...] = ()
    """Metrics that belong to other specs of the config: this one may not emit them (D38)."""
    per_case: bool = False
    """Whether cases may have a spec of their own, in their `annotations.yaml`; then an empty `id`
    means that the config has none for the others."""


@dataclass(frozen=True)
class VerdictRules:
    """The `verdict:` block (ours, D41)."""

    mode: Literal["flat", "ladder"] = "flat"
    on_dead_authority: Literal["withhold", "fall_through"] = "withhold"
    unreviewed: Literal["withhold", "ignore"] = "withhold"
    critical_cases: tuple[Mapping[str, Any], ...] = ()
    trials: tuple[str, ...] = ()
    """Ids of runs that are repetitions of one configuration."""


@dataclass(frozen=True)
class Judge:
    """One column: an entry of `judges:` or of `graders:`."""

    name: str
    kind: JudgeKind
    description: str = ""
    condition: str | bool | None = None
    """`if:`: Python source, or an unquoted true / false (D8); None when absent."""
    step: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=_mapping)
    check: str = ""
    """Source of an inline check, exactly as YAML gives it."""
    check_line: int = 0
    """1-based line in the config of the first line of `check`."""
    module: str = ""
    function: str = ""
    builtin: str = ""
    """The built-in's bare name, e.g. `cost_budget` (D15); `category/name` of the project's own,
    `plugin/name` of a package's."""
    source: str = ""
    """Absolute path of the file of a project's own built-in; empty for all others."""
    llm_rubric: str = ""
    prompt: str = ""
    prompt_file: str = ""
    """As written; see `prompt_path`."""
    prompt_line: int = 0
    """1-based line in the config of the first line of `llm_rubric` or `prompt`; 0 without them."""
    prompt_path: str = ""
    """Absolute path of the prompt file, as found; empty when there is none."""
    context: tuple[str, ...] = ()
    """As written; see `context_paths`."""
    context_paths: tuple[str, ...] = ()
    """Absolute paths of the context files that were found."""
    material: str = ""
    """Digest of the contents of the prompt file and the context files; empty without any."""
    feedback_type: str = ""
    score_range: tuple[float, float] | None = None
    pass_if: str = ""
    """A comparison such as `>= 4` that gives a number a pass or fail (ours); empty when absent."""
    criteria: tuple[Criterion, ...] = ()
    """What a model judge is asked point by point, in one call (ours)."""
    model: str = ""
    samples: int = 1
    agent: Mapping[str, Any] = field(default_factory=_mapping)
    grader: Grader | None = None
    """The spec of a judge of kind `grader`; None for all others."""
    cache: bool = True
    """`cache: false` (ours, D26): depends on time or chance; runs whenever its row is looked at."""
    auto: bool = True
    """`auto: false` (ours, D26): runs only when asked for."""
    line: int = 0
    """1-based line of the entry in the config."""
    file: str = ""
    """Absolute path of the file that it stands in, when that is not the config (D52)."""
    problem: Problem | None = None
    """Set when this judge cannot be used: its column is `unsupported` with this message (D3)."""

    @property
    def asks_model(self) -> bool:
        """Whether scoring costs a model call (model and agent judges, model built-ins)."""
        return self.kind in ("model", "agent") or self.builtin in MODEL_BUILTINS

    @property
    def compares(self) -> bool:
        """Whether it compares two runs: the reserved name, which no other column has (D30)."""
        return self.name == PAIRWISE


MODEL_BUILTINS = frozenset({"output_completeness", "no_harmful_content"})
PYTHON_BUILTINS = frozenset({"cost_budget", "consulted_docs", "tool_call_validation"})


@dataclass(frozen=True)
class Output:
    """One entry of `outputs:`; `path` and `tool` are empty when not given."""

    path: str = ""
    tool: str = ""
    schema: str = ""
    batch_pattern: str = ""


@dataclass(frozen=True)
class Traces:
    """`traces:` switches; absent means all on."""

    stdout: bool = True
    stderr: bool = True
    events: bool = True
    metrics: bool = True


@dataclass(frozen=True)
class Threshold:
    """One gate. A limit that is no number is a problem and does not get here."""

    judge: str
    metric: ThresholdMetric
    limit: float
    line: int = 0


@dataclass(frozen=True)
class RewardRules:
    """The `reward:` block: how one number is made of a case's values (D29)."""

    judge: str = ""
    """The judge whose value is the reward; empty where it is composed."""
    formula: str = "weighted"
    """`weighted`, else a formula that was checked (`config.formula`)."""
    weights: Mapping[str, float] = field(default_factory=_mapping)
    raw: tuple[str, ...] = ()
    """Judges whose values are cut to 0 to 1 instead of being put on their scale."""
    normalize: bool = False
    """Whether the value of `judge` is put on its scale."""
    gate: bool = True
    """Whether a judge that says false makes the reward 0."""
    score_range: tuple[float, float] | None = None
    """The scale of judges that declare none; None for 1 to 5."""


@dataclass(frozen=True)
class Hook:
    """One command of `hooks.<phase>`."""

    phase: str
    command: str
    timeout: int = 120
    description: str = ""
    on_failure: Literal["fail", "continue"] = "fail"
    condition: str = ""


@dataclass(frozen=True)
class Models:
    """`models:`; empty text when absent."""

    skill: str = ""
    subagent: str = ""
    judge: str = ""
    hook: str = ""


@dataclass(frozen=True)
class EvalConfig:
    """One eval as loaded. `usable` is False when nothing at all can be scored with it (D3)."""

    path: str
    """Absolute path of the config file."""
    root: str
    """Absolute path of the project root."""
    name: str = ""
    """`name`, or the file's stem."""
    eval_name: str = ""
    """The name that the runs folder uses (harness.md section 2)."""
    description: str = ""
    mode: Literal["case", "batch"] = "case"
    steps: tuple[str, ...] = ()
    """Ids of `execution.steps`."""
    dataset: str = ""
    """Absolute path of the dataset folder, or empty (D5)."""
    outputs: tuple[Output, ...] = ()
    traces: Traces = Traces()
    models: Models = Models()
    judges: tuple[Judge, ...] = ()
    """The columns: judges in file order, without `pairwise`, then graders. Nameless entries are
    called `#3` (D3)."""
    pairwise: tuple[Judge, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    verdict: VerdictRules | None = None
    """The `verdict:` block, with its defaults filled in; None without one."""
    reward: RewardRules | None = None
    hooks: tuple[Hook, ...] = ()
    problems: tuple[Problem, ...] = ()
    usable: bool = True
    digest: str = ""
    """Digest of the file's bytes, line ends normalised."""
    looked_for: tuple[str, ...] = ()
    """Every path that was read or looked for in vain while loading: what to watch."""
    source: Mapping[str, Any] = field(default_factory=_mapping)
    """The document as plain values, for keys that later features read."""

    @property
    def has_verdicts(self) -> bool:
        """Whether somebody said what passing means: faces show verdicts of cases only then."""
        return self.verdict is not None or any(judge.grader is not None for judge in self.judges)
