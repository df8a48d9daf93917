"""A small project that hypothesis edits, with judges of every way to look at a case."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CASES = ("alpha", "beta", "gamma")
WORDS = ("red", "green", "blue!", "BLACK")

JUDGES: dict[str, dict[str, Any]] = {
    "conv": {"check": "return len(outputs['conversation'])"},
    "absent": {"check": "return outputs.get('metrics', 7)"},
    "ann": {"check": "return outputs['annotations'].get('color', 'none') == 'red'"},
    "ann_file": {"check": "return len(outputs.get('annotation_ref_content', ''))"},
    "names": {"check": "return len(list(outputs['files']))"},
    "first": {"check": "return outputs.get('out_content', '') == 'red'"},
    "choosy": {
        "check": (
            "files = outputs['files']\n"
            "if 'out/a.txt' in files and files['out/a.txt'] == 'red':\n"
            "    return len(files.get('out/b.txt', ''))\n"
            "return 99"
        )
    },
    "keys": {"check": "return len(outputs)"},
    "everything": {"check": "import json\nreturn len(json.dumps({**outputs, 'case_dir': ''}))"},
    "cost": {"builtin": "cost_budget", "arguments": {"max_cost_usd": 0.5}},
    "docs": {"builtin": "consulted_docs"},
    "opens": {
        "check": (
            "import os\n"
            "try:\n"
            "    return len(open(os.path.join(outputs['case_dir'], 'note.txt')).read())\n"
            "except OSError:\n"
            "    return -1"
        )
    },
    "lists": {"check": "import os\nreturn len(os.listdir('shared'))"},
    "exists": {"check": "import os\nreturn os.path.exists('shared/flag')"},
    "module": {"module": "judging", "function": "score"},
    "cached": {"module": "judging", "function": "cached"},
    "cached_too": {"module": "helper_a", "function": "again"},
    "lazy": {"module": "judging", "function": "lazy"},
    "checks_helper": {"check": "import helper_b\nreturn helper_b.VALUE"},
    "optional": {
        "check": (
            "try:\n    import extra_module\nexcept ImportError:\n    return 0\n"
            "return extra_module.VALUE"
        )
    },
    "if_color": {
        "if": "annotations.get('color') != 'green'",
        "check": "return outputs.get('exit_code') == 0",
    },
    "if_key": {
        "if": "'modified_files' in outputs",
        "check": "return len(outputs['modified_files'])",
    },
    "raises": {"check": "return outputs['files']['out/b.txt'] == 'red'"},
    "asserts": {"check": "assert outputs['inputs'], 'no input'\nreturn True"},
    "changes": {"check": "outputs['events'].append(1)\nreturn len(outputs['events'])"},
    "ranged": {"score_range": [0, 4], "check": "return len(outputs.get('out_content', ''))"},
}

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "conv": [{"check": "return len(outputs['conversation']) + 1"}],
    "if_color": [
        {"if": "annotations.get('color') == 'red'"},
        {"if": False},
        {"if": "nonsense +"},
    ],
    "cost": [{"arguments": {"max_cost_usd": 0.1}}],
    "ranged": [{"score_range": [0, 10]}, {"score_range": [0, 3]}],
    "module": [{"function": "other"}, {"function": "no_such_function"}, {"module": "nowhere"}],
    "first": [{"description": "another description"}, {"check": "return 1 +"}],
    "names": [{"check": "return sorted(outputs['files'])[0] == 'out/a.txt'"}],
}

MODULES = {
    "judging.py": [
        "import helper_a\nfrom helper_a import twice\n\n\n"
        "def score(outputs):\n    return twice(len(outputs['files']))\n\n\n"
        "def other(outputs):\n    return 5\n\n\n"
        "def cached(outputs):\n    return len(helper_a.rules())\n\n\n"
        "def lazy(outputs):\n    import helper_b\n    return helper_b.VALUE, 'lazy'\n",
        "import helper_a\nfrom helper_a import twice\n\n\n"
        "def score(outputs):\n    return twice(len(outputs['files'])), 'new'\n\n\n"
        "def cached(outputs):\n    return len(helper_a.rules()) > 1\n\n\n"
        "def lazy(outputs):\n    return 3\n",
        "def score(outputs:\n",
    ],
    "helper_a.py": [
        "import helper_b\n\n_RULES = None\n\n\n"
        "def twice(n):\n    return n * 2 + helper_b.VALUE\n\n\n"
        "def rules():\n    global _RULES\n    if _RULES is None:\n"
        "        _RULES = open('shared/rules.txt').read()\n    return _RULES\n\n\n"
        "def again(outputs):\n    return len(rules())\n",
        "_RULES = None\n\n\ndef twice(n):\n    return n * 3\n\n\n"
        "def rules():\n    return 'abc'\n\n\ndef again(outputs):\n    return len(rules())\n",
    ],
    "helper_b.py": [
        "VALUE = 1\n",
        "VALUE = 2\n",
        "VALUE = open('shared/rules.txt').read() == ''\n",
    ],
    "extra_module.py": ["VALUE = 4\n", "VALUE = 5\n"],
}

GRADER: dict[str, Any] = {
    "id": "script",
    "config": {"id": "size", "cmd": "sh ./size.sh"},
    "metrics": [{"id": "share", "pass_if": ">= 0.5"}],
}

GRADERS: list[dict[str, Any]] = [
    {},
    {"metrics": [{"id": "share", "pass_if": ">= 0.1"}]},
    {"metrics": [{"id": "other"}]},
    {"when": "annotations.get('color') == 'red'"},
    {"config": {"id": "size", "cmd": "cat out/*.txt >/dev/null && echo SCORE=1"}},
]

OWN_GRADERS = (
    "graders: [{id: answer-match, config: {expect: red}}]\n",
    "graders: [{id: answer-match, config: {expect: blue}, authority: objective}, {id: steps}]\n",
    "graders: [{id: text-metric, config: {id: size, pattern: '(e)', metric: share}},"
    " {id: answer-match, config: {mode: guess}}]\n",
)
"""What cases declare: nothing but what looks at the record, as commands take their time."""

GRADER_SCRIPTS = [
    "n=$(wc -c < out/a.txt) && echo SCORE=0.$((n))\n",
    "cat note.txt >&2 || exit 4\necho SCORE=1\n",
    'echo SCORE=$(grep -o green "$EVAL_TUI_CONTEXT" | wc -l)\n',
    'echo \'{"metric": "share", "value": 0.7}\'\n',
    "exit 3\n",
]
"""They read nothing but their case: what else a command opens is not seen."""


def events(words: str) -> str:
    """An event list with one text and one tool call."""
    tools = [{"name": "Read", "id": "t", "input": {"file_path": f"docs/{words}.md"}}]
    return json.dumps([{"type": "assistant", "text": words, "tools": tools, "timestamp": None}])


@dataclass
class World:
    """The project on disk, and what its config says."""

    root: Path
    judges: dict[str, dict[str, Any]] = field(default_factory=dict)
    thresholds: dict[str, Any] = field(default_factory=dict)
    graders: list[dict[str, Any]] = field(default_factory=lambda: [dict(GRADER)])
    outputs: list[str] = field(default_factory=lambda: ["out"])
    run: str = "r1"

    def create(self) -> None:
        self.judges = {name: dict(spec) for name, spec in JUDGES.items()}
        (self.root / "shared").mkdir(parents=True)
        (self.root / "shared" / "rules.txt").write_text("rule")
        for name in ("judging.py", "helper_a.py", "helper_b.py"):
            (self.root / name).write_text(MODULES[name][0])
        (self.root / "size.sh").write_text(GRADER_SCRIPTS[0])
        for case in CASES:
            self.add_case(case, "r1", "red")
        self.add_case("alpha", "r2", "green")
        self.results({"alpha": 0.3, "beta": 0.7})
        self.save()

    @property
    def config(self) -> Path:
        return self.root / "eval.yaml"

    def run_dir(self, run: str) -> Path:
        return self.root / "eval" / "runs" / "world" / run

    def add_case(self, case: str, run: str, word: str) -> None:
        folder = self.run_dir(run) / "cases" / case
        (folder / "out").mkdir(parents=True, exist_ok=True)
        (folder / "out" / "a.txt").write_text(word)
        (folder / "events.json").write_text(events(word))
        data = self.root / "data" / case
        data.mkdir(parents=True, exist_ok=True)
        own = OWN_GRADERS[0] if case == CASES[0] else ""
        (data / "annotations.yaml").write_text(f"color: {word}\nref: ref.txt\n{own}")
        (data / "ref.txt").write_text("reference")
        (data / "input.yaml").write_text("prompt: go\n")

    def results(self, costs: dict[str, float]) -> None:
        per_case = {case: {"cost_usd": cost, "exit_code": 0} for case, cost in costs.items()}
        path = self.run_dir("r1") / "run_result.json"
        path.write_text(json.dumps({"cost_usd": 1.0, "exit_code": 0, "per_case": per_case}))

    def save(self) -> None:
        judges = [{"name": name, **spec} for name, spec in self.judges.items()]
        document = {
            "name": "world",
            "dataset": {"path": "data"},
            "outputs": [{"path": path} for path in self.outputs],
            "judges": judges,
            "graders": self.graders,
            "thresholds": self.thresholds,
        }
        self.config.write_text(yaml.safe_dump(document, sort_keys=False))

    # -- edits: each takes small numbers that hypothesis draws ---------------------------------

    def edit(self, kind: str, a: int, b: int) -> None:
        getattr(self, f"edit_{kind}")(a, b)

    def _case(self, a: int) -> Path:
        return self.run_dir(self.run) / "cases" / CASES[a % len(CASES)]

    def edit_artifact(self, a: int, b: int) -> None:
        names = ("out/a.txt", "out/b.txt", "note.txt", "other/c.txt", "_modified/m.md")
        path = self._case(a) / names[b % len(names)]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WORDS[(a + b) % len(WORDS)])

    def edit_same_size(self, a: int, b: int) -> None:
        path = self._case(a) / "out" / "a.txt"
        if path.exists():
            info = path.stat()
            path.write_text("".join(sorted(path.read_text(), reverse=b % 2 == 0)))
            os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))

    def edit_remove_file(self, a: int, b: int) -> None:
        names = ("out/a.txt", "out/b.txt", "events.json", "note.txt", "_modified/m.md")
        (self._case(a) / names[b % len(names)]).unlink(missing_ok=True)

    def edit_remove_folder(self, a: int, b: int) -> None:
        shutil.rmtree(self._case(a) / ("out", "_modified")[b % 2], ignore_errors=True)

    def edit_events(self, a: int, b: int) -> None:
        if self._case(a).exists():
            texts = (events(WORDS[b % 4]), events("a longer text"), "[]", "{broken")
            (self._case(a) / "events.json").write_text(texts[b % 4])

    def edit_run_events(self, a: int, b: int) -> None:
        path = self.run_dir(self.run) / "events.json"
        if a % 2:
            path.unlink(missing_ok=True)
        else:
            path.write_text(events(WORDS[b % 4]))

    def edit_annotations(self, a: int, b: int) -> None:
        texts = (
            "color: red\nref: ref.txt\n",
            "color: green\n",
            "ref: ../../shared/rules.txt\n",
            "- not\n- a mapping\n",
            "color: blue\nref: ../common.txt\nexpected_files: [docs/red.md]\n",
            *(f"color: red\n{own}" for own in OWN_GRADERS),
        )
        path = self.root / "data" / CASES[a % 3] / "annotations.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[b % len(texts)])

    def edit_reference(self, a: int, b: int) -> None:
        (self.root / "data" / "common.txt").write_text(WORDS[b % 4] * (a % 3))
        path = self.root / "data" / CASES[a % 3] / "ref.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WORDS[b % 4])

    def edit_results(self, a: int, b: int) -> None:
        if b % 4 == 3:
            (self.run_dir("r1") / "run_result.json").unlink(missing_ok=True)
        else:
            self.results({"alpha": a / 10, CASES[b % 3]: 0.9})

    def edit_shared(self, a: int, b: int) -> None:
        path = self.root / "shared" / ("rules.txt", "flag", "more.txt")[a % 3]
        if b % 3 == 0 and path.name != "rules.txt":
            path.unlink(missing_ok=True)
        else:
            path.write_text(WORDS[b % 4] * (b % 3))

    def edit_module(self, a: int, b: int) -> None:
        names = sorted(MODULES)
        name = names[a % len(names)]
        texts = MODULES[name]
        if b % 5 == 4 and name != "judging.py":
            (self.root / name).unlink(missing_ok=True)
        else:
            (self.root / name).write_text(texts[b % len(texts)])

    def edit_judge(self, a: int, b: int) -> None:
        names = sorted(VARIANTS)
        name = names[a % len(names)]
        variants = [{}, *VARIANTS[name]]
        if name in self.judges:
            self.judges[name] = {**JUDGES[name], **variants[b % len(variants)]}
        self.save()

    def edit_rename_judge(self, a: int, b: int) -> None:
        names = list(self.judges)
        old = names[a % len(names)]
        new = old + "_2" if not old.endswith("_2") else old[:-2]
        self.judges = {(new if n == old else n): spec for n, spec in self.judges.items()}
        self.save()

    def edit_drop_judge(self, a: int, b: int) -> None:
        if len(self.judges) > 5:
            self.judges.pop(list(self.judges)[a % len(self.judges)])
        self.save()

    def edit_add_judge(self, a: int, b: int) -> None:
        name = sorted(JUDGES)[a % len(JUDGES)]
        self.judges.setdefault(name, dict(JUDGES[name]))
        self.save()

    def edit_threshold(self, a: int, b: int) -> None:
        self.thresholds = {"conv": {"min_mean": a}}
        self.save()

    def edit_outputs(self, a: int, b: int) -> None:
        self.outputs = (["out"], ["out", "other"], ["other"])[b % 3]
        self.save()

    def edit_grader(self, a: int, b: int) -> None:
        self.graders = [{**GRADER, **GRADERS[b % len(GRADERS)]}] if a else []
        self.save()

    def edit_grader_script(self, a: int, b: int) -> None:
        path = self.root / "size.sh"
        if a % 4 == 3:
            path.unlink(missing_ok=True)
        else:
            path.write_text(GRADER_SCRIPTS[b % len(GRADER_SCRIPTS)])

    def edit_remove_case(self, a: int, b: int) -> None:
        shutil.rmtree(self._case(a), ignore_errors=True)

    def edit_add_case(self, a: int, b: int) -> None:
        self.add_case(CASES[a % 3], self.run, WORDS[b % 4])

    def edit_rename_case(self, a: int, b: int) -> None:
        old, new = self._case(a), self._case(b)
        if old.exists() and not new.exists():
            old.rename(new)

    def edit_break_config(self, a: int, b: int) -> None:
        """Broken now, right again with the next edit of the config."""
        if b % 2:
            self.config.write_text("judges: [\n")
        else:
            self.save()


EDITS = tuple(name.removeprefix("edit_") for name in dir(World) if name.startswith("edit_"))


def signatures(root: Path) -> dict[str, tuple[int, ...]]:
    """Every path below the root with its signature, as the watcher would know it."""
    found: dict[str, tuple[int, ...]] = {}
    for folder, folders, files in os.walk(root):
        if ".eval-tui" in folders:
            folders.remove(".eval-tui")
        for name in files + folders:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            found[path] = (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
    return found


def differing(
    before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]]
) -> frozenset[str]:
    """Paths that came, went or changed."""
    return frozenset(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
