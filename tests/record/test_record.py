"""The lazy record behaves as the plain dict that it stands for, and tells what was looked at."""

from __future__ import annotations

import collections
import copy
import itertools
import json
import operator
import pickle
import pprint
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import pytest
import yaml

from eval_tui.config.schema import Output
from eval_tui.record.case import load_case
from eval_tui.record.record import (
    MissingKey,
    PartUnreadable,
    Record,
    current_version,
    make_record,
    part_of,
    plain_record,
    tripped,
)
from tests.record.support import case_of, observer, said, sources_of, spec_for, write

EVENTS = said("hello", "world")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "run/cases/c1/conversation": "a file of that name\n",
            "run/cases/c1/artifacts/a.md": "alpha\n",
            "run/cases/c1/artifacts/b.md": "beta\n",
            "run/cases/c1/artifacts/pic.png": b"\x89PNG\xff\x00",
            "run/cases/c1/_modified/src/x.py": "x = 1\n",
            "run/cases/c1/events.json": EVENTS,
            "run/cases/c1/stdout.log": "log\n",
            "run/run_result.json": {"per_case": {"c1": {"cost_usd": 0.5, "num_turns": 2}}},
            "dataset/c1/annotations.yaml": "tier: hard\ngold: gold.md\nconversation: a note\nday: 2026-01-02\n1: one\n",
            "dataset/c1/gold.md": "gold\n",
            "dataset/c1/input.yaml": "task: do it\n",
        },
    )


def match_keys(d: Any) -> Any:
    match d:
        case {"conversation": said, **rest}:
            return said, sorted(map(str, rest))
    return None


def consume(d: Any) -> Any:
    taken = []
    while d:
        taken.append(d.popitem())
    return taken


def change(action: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The result of an action and what the mapping is afterwards."""

    def both(d: Any) -> Any:
        return action(d), dict(d)

    return both


def keywords(**given: Any) -> dict[str, Any]:
    return given


def ordered(d: Any) -> Any:
    return list(collections.OrderedDict(d).items())


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "getitem": lambda d: d["conversation"],
    "get": lambda d: d.get("conversation"),
    "get absent": lambda d: d.get("nope"),
    "get absent default": lambda d: d.get("nope", 7),
    "in": lambda d: "conversation" in d,
    "not in": lambda d: "nope" not in d,
    "in unhashable": lambda d: raises(lambda: [] in d),
    "getitem absent": lambda d: raises(lambda: d["nope"]),
    "getitem unhashable": lambda d: raises(lambda: d[[]]),
    "get unhashable": lambda d: raises(lambda: d.get([])),
    "len": len,
    "bool": bool,
    "not": operator.not_,
    "iter": lambda d: list(iter(d)),
    "list": list,
    "tuple": tuple,
    "set": lambda d: sorted(set(d), key=str),
    "sorted": lambda d: sorted(d, key=str),
    "reversed": lambda d: list(reversed(d)),
    "keys": lambda d: list(d.keys()),
    "keys view": lambda d: type(d.keys()).__name__,
    "keys and": lambda d: sorted(d.keys() & {"files", "nope"}),
    "keys minus": lambda d: sorted(map(str, d.keys() - {"files"})),
    "keys le": lambda d: {"files"} <= d.keys() if "files" in d else None,
    "values": lambda d: list(d.values()),
    "items": lambda d: list(d.items()),
    "items repr": lambda d: repr(d.items()),
    "values repr": lambda d: repr(d.values()),
    "keys repr": lambda d: repr(d.keys()),
    "items len": lambda d: len(d.items()),
    "values len": lambda d: len(d.values()),
    "items reversed": lambda d: list(reversed(d.items())),
    "values reversed": lambda d: list(reversed(d.values())),
    "items contains": lambda d: ("conversation", d["conversation"]) in d.items(),
    "items lacks": lambda d: ("conversation", "x") in d.items(),
    "values contains": lambda d: d["conversation"] in d.values(),
    "items is a view": lambda d: isinstance(d.items(), collections.abc.ItemsView),
    "values is a view": lambda d: isinstance(d.values(), collections.abc.ValuesView),
    "loop": lambda d: [(k, v) for k, v in d.items()],
    "enumerate": lambda d: list(enumerate(d)),
    "zip": lambda d: list(zip(d, d.values(), strict=True)),
    "comprehension": lambda d: {k: d[k] for k in d},
    "max": lambda d: max(d, key=str),
    "unpacked": lambda d: [*d],
    "spread": lambda d: {**d},
    "spread with": lambda d: {"first": 1, **d, "conversation": 2},
    "keywords": lambda d: keywords(**{k: v for k, v in d.items() if isinstance(k, str)}),
    "keywords direct": lambda d: raises_or(lambda: keywords(**d)),
    "dict": dict,
    "dict with": lambda d: raises_or(lambda: dict(d, extra=1)),
    "update of another": lambda d: updated({"a": 1}, d),
    "ior of another": lambda d: operator.ior({"a": 1}, d),
    "or": lambda d: d | {"a": 1},
    "ror": lambda d: {"a": 1} | d,
    "or other type": lambda d: raises(lambda: d | [1]),
    "copy method": lambda d: d.copy(),
    "dict.copy": dict.copy,
    "copy.copy": copy.copy,
    "copy is a dict": lambda d: type(copy.copy(d)) is dict,
    "deepcopy": copy.deepcopy,
    "pickle": lambda d: pickle.loads(pickle.dumps(d)),
    "pickle 2": lambda d: pickle.loads(pickle.dumps(d, protocol=2)),
    "eq": lambda d: d == dict(d),
    "req": lambda d: dict(d) == d,
    "ne": lambda d: d != {"a": 1},
    "rne": lambda d: d != {},
    "eq other": lambda d: d == 3,
    "hash": lambda d: raises(lambda: hash(d)),
    "less": lambda d: raises(lambda: d < {}),
    "repr": repr,
    "str": str,
    "format": "{}".format,
    "pformat": pprint.pformat,
    "pformat narrow": lambda d: pprint.pformat(d, width=20),
    "json": lambda d: json.dumps(d, default=str),
    "json indented": lambda d: json.dumps(d, default=str, indent=1),
    "json round": lambda d: json.loads(json.dumps(d, default=str)),
    "yaml safe": yaml.safe_dump,
    "yaml": yaml.dump,
    "yaml c": lambda d: yaml.dump(d, Dumper=yaml.CSafeDumper),
    "yaml nested": lambda d: yaml.safe_dump({"all": d}),
    "isinstance": lambda d: isinstance(d, dict),
    "mapping": lambda d: isinstance(d, Mapping),
    "match": match_keys,
    "percent": lambda d: operator.mod("%(conversation)s", d),
    "format_map": "{conversation}".format_map,
    "format_map absent": lambda d: raises(lambda: "{nope}".format_map(d)),
    "eval locals": lambda d: eval("1 if 1 else conversation", {}, d),
    "eval reads": lambda d: eval("conversation", {}, d),
    "itemgetter": operator.itemgetter("conversation"),
    "proxy": lambda d: dict(types.MappingProxyType(d)),
    "chainmap": lambda d: dict(collections.ChainMap({"a": 1}, d)),
    "ordered": ordered,
    "counter keys": lambda d: sorted(map(str, collections.Counter(list(d)))),
    "fromkeys": lambda d: d.fromkeys([1, 2], 3),
    "jinja loop": lambda d: render("{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", d),
    "jinja attribute": lambda d: render("{{ d.conversation }}{{ d.nope }}", d),
    "jinja length": lambda d: render("{{ d|length }}{{ d|list }}", d),
    "jinja keywords": lambda d: raises_or(lambda: jinja2.Template("{{ conversation }}").render(d)),
    "assign": change(lambda d: operator.setitem(d, "new", 1)),
    "overwrite": change(lambda d: operator.setitem(d, "conversation", 1)),
    "del": change(lambda d: operator.delitem(d, "conversation")),
    "del absent": change(lambda d: raises(lambda: operator.delitem(d, "nope"))),
    "del twice": change(lambda d: (d.pop("conversation", 0), raises(lambda: d["conversation"]))),
    "pop": change(lambda d: d.pop("conversation", None)),
    "pop absent": change(lambda d: raises(lambda: d.pop("nope"))),
    "pop default": change(lambda d: d.pop("nope", 5)),
    "pop too many": change(lambda d: raises(lambda: d.pop("a", 1, 2))),
    "popitem": change(lambda d: d.popitem()),
    "popitem all": change(consume),
    "popitem empty": change(lambda d: (d.clear(), raises(d.popitem))),
    "setdefault": change(lambda d: d.setdefault("conversation", 1)),
    "setdefault new": change(lambda d: d.setdefault("new", 1)),
    "update": change(lambda d: d.update({"conversation": 0, "z": 1})),
    "update pairs": change(lambda d: d.update([("z", 1)], y=2)),
    "ior": change(lambda d: operator.ior(d, {"z": 1}) is d),
    "ior pairs": change(lambda d: dict(operator.ior(d, [("z", 1)]))),
    "clear": change(lambda d: d.clear()),
    "grow while looping": lambda d: raises(lambda: [operator.setitem(d, k, 1) for k in grow(d)]),
}


def grow(d: Any) -> Any:
    for number, _ in enumerate(d.items()):
        yield f"new{number}"


def raises(action: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as caught:
        action()
    return next(c.__name__ for c in type(caught.value).__mro__ if c.__module__ == "builtins")


def raises_or(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except TypeError:
        return "TypeError"


def updated(target: dict[Any, Any], other: Any) -> dict[Any, Any]:
    target.update(other)
    return target


def render(source: str, d: Any) -> str:
    return jinja2.Environment().from_string(source).render(d=d)


def nothing(*look: str) -> None:
    pass


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("part", ["outputs", "files", "annotations"])
def test_behaves_as_a_plain_dict(root: Path, name: str, part: str) -> None:
    parts = load_case(spec_for(root, "artifacts", "conversation"), "c1")
    lazy: Any = make_record(parts, nothing)
    plain: Any = plain_record(parts, nothing)
    if part != "outputs":
        lazy, plain = lazy[part], plain[part]
        assert type(lazy) is Record and type(plain) is dict
    ours, theirs = OPERATIONS[name](lazy), OPERATIONS[name](plain)
    assert ours == theirs
    assert type(ours) is type(theirs)


def test_a_record_of_everything_is_a_real_plain_dict(root: Path) -> None:
    plain = plain_record(case_of(root), nothing)
    assert [type(plain), type(plain["files"]), type(plain["annotations"])] == [dict] * 3
    assert plain["conversation"] == "hello\n\nworld"
    assert plain["annotation_gold_content"] == "gold\n"
    assert plain["modified_files"] == {"src/x.py": "x = 1\n"}
    assert plain["cost_usd"] == 0.5


def test_type_called_like_dict() -> None:
    assert Record({"a": 1}, b=2) == {"a": 1, "b": 2}
    assert raises(lambda: Record()["a"]) == "KeyError"


def test_reading_nothing_observes_nothing_and_opens_no_events(root: Path) -> None:
    looks, observe = observer()
    parts = case_of(root)
    record = make_record(parts, observe)
    assert record["cost_usd"] == 0.5
    assert [(kind, key) for kind, key, _ in looks] == [("value", "cost_usd")]
    assert not [path for path in parts.disk.opened if "events" in path or "stdout" in path]


def test_what_is_observed(root: Path) -> None:
    looks, observe = observer()
    record = make_record(case_of(root), observe)

    def seen(action: Callable[[], Any]) -> list[tuple[str, str]]:
        looks.clear()
        action()
        return sorted({(kind, key) for kind, key, _ in looks})

    assert seen(lambda: record.get("metrics")) == [("absent", "metrics")]
    assert seen(lambda: "inputs" in record) == [("present", "inputs")]
    assert seen(lambda: record["inputs"]) == [("value", "inputs")]
    assert seen(lambda: "inputs" in record) == []
    assert seen(lambda: len(record)) == [("keys", "")]
    files, annotations = record["files"], record["annotations"]
    assert seen(lambda: record["files"]) == []
    assert seen(lambda: "nope" in files) == [("file-", "nope")]
    assert seen(lambda: "artifacts/b.md" in files) == [("file+", "artifacts/b.md")]
    assert seen(lambda: list(files)) == [("files", "")]
    assert seen(lambda: list(itertools.islice(files.values(), 2))) == [
        ("file", "artifacts/a.md"),
        ("file", "artifacts/b.md"),
        ("files", ""),
    ]
    assert seen(lambda: annotations.get("none")) == [("ann-", "none")]
    assert seen(lambda: annotations["tier"]) == [("ann", "tier")]
    assert seen(lambda: "gold" in annotations) == [("ann+", "gold")]
    assert seen(lambda: list(annotations)) == [("anns", "")]
    assert seen(lambda: record["artifacts_file"]) == [("case_dir", ""), ("value", "artifacts_file")]


def test_a_path_handed_out_is_told(root: Path) -> None:
    looks, observe = observer()
    record = make_record(case_of(root), observe)
    marker = record["files"]["artifacts/pic.png"]
    assert marker["_binary"] is True and marker["name"] == "pic.png"
    assert Path(marker["path"]).read_bytes().startswith(b"\x89PNG")
    assert ("case_dir", "", "") in looks


def test_every_observation_can_be_verified_and_is_mapped_to_paths(root: Path) -> None:
    looks, observe = observer()
    parts = case_of(root)
    record = make_record(parts, observe)
    json.dumps(record, default=str)
    for action in (lambda: record["nope"], lambda: record["files"]["nope"]):
        assert raises(action) == "KeyError"
    for part in ("files", "annotations"):
        assert "nope" not in record[part] and record[part].get("x") is None
    looks.append(("present", "inputs", ""))
    again = case_of(root)
    sources = parts.disk.sources
    for kind, key, version in looks:
        assert current_version(again, kind, key) == version, (kind, key)
        assert part_of(kind, key) in sources, (kind, key)


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"run/cases/c1/artifacts/a.md": "other\n"}, {("file", "artifacts/a.md")}),
        ({"run/cases/c1/artifacts/0.md": "new\n"}, {("files", "")}),
        ({"run/cases/c1/events.json": said("hello", "you")}, {("value", "conversation")}),
        ({"dataset/c1/annotations.yaml": "tier: easy\ngold: gold.md\n"}, {("ann", "tier")}),
        (
            {"dataset/c1/annotations.yaml": "tier: hard\ngold: other\n"},
            {("ann", "gold"), ("value", "annotation_gold_content")},
        ),
        ({"dataset/c1/gold.md": "silver\n"}, {("value", "annotation_gold_content")}),
        ({"run/cases/c1/stderr.log": ""}, {("absent", "stderr")}),
        ({"run/run_result.json": {"per_case": {"c1": {"cost_usd": 1}}}}, {("value", "cost_usd")}),
        ({"dataset/c1/input.yaml": "task: other\n"}, {("value", "inputs")}),
        ({"run/cases/c1/input.yaml": "task: do it\n"}, set()),
        ({"run/cases/c1/unrelated.txt": "x"}, set()),
        ({"run/events.json": said("no")}, set()),
    ],
)
def test_a_change_makes_exactly_its_observations_differ(
    root: Path, change: dict[str, Any], stale: set[tuple[str, str]]
) -> None:
    looks, observe = observer()
    parts = case_of(root)
    record = make_record(parts, observe)
    assert record["files"]["artifacts/a.md"] and list(record["files"])
    assert record["conversation"] and record["cost_usd"] and record["inputs"]
    assert record["annotations"]["tier"] and record["annotations"]["gold"]
    assert record["annotation_gold_content"] and "stderr" not in record
    write(root, change)
    now = case_of(root)
    differ = {(k, key) for k, key, version in looks if current_version(now, k, key) != version}
    assert differ == stale
    for kind, key in stale:
        # The path that changed, or its folder, is among what the part was made from.
        sources = sources_of(parts, part_of(kind, key))
        changed = set(change) | {str(Path(path).parent) for path in change}
        assert changed & set(sources), (kind, key, sources)


def test_new_timestamps_leave_the_conversation_as_it_was(root: Path) -> None:
    before = case_of(root)
    versions = before.digest("conversation"), before.digest("events")
    write(root, {"run/cases/c1/events.json": [{**e, "timestamp": "2026"} for e in EVENTS]})
    after = case_of(root)
    assert after.digest("conversation") == versions[0]
    assert after.digest("events") != versions[1]


def test_what_a_judge_changes_is_its_own(root: Path) -> None:
    parts = case_of(root)
    first, second = make_record(parts, nothing), make_record(parts, nothing)
    first["events"].clear()
    first["annotations"]["tier"] = "changed"
    first["steps"]["x"] = 1
    del first["files"]["artifacts/a.md"]
    first["conversation"] = "mine"
    assert second["events"] == EVENTS
    assert second["annotations"]["tier"] == "hard"
    assert second["steps"] == {}
    assert second["files"]["artifacts/a.md"] == "alpha\n"
    assert second["conversation"] == "hello\n\nworld"
    assert parts.shared("events") == EVENTS


def test_what_a_judge_wrote_is_not_an_input(root: Path) -> None:
    looks, observe = observer()
    record = make_record(case_of(root), observe)
    record["mine"] = 1
    assert record["mine"] == 1
    assert record.pop("mine") == 1
    assert raises(lambda: record["mine"]) == "KeyError"
    assert looks == []


def test_missing_evidence_is_told_from_a_judges_own_key_error(root: Path) -> None:
    record = make_record(case_of(root), nothing)
    for mapping, path in (
        (record, "outputs"),
        (record["files"], "files"),
        (record["annotations"], "annotations"),
    ):
        with pytest.raises(MissingKey) as caught:
            mapping["nope"]
        assert (caught.value.key, caught.value.path) == ("nope", path)
    with pytest.raises(KeyError) as own:
        record["steps"]["nope"]
    assert not isinstance(own.value, MissingKey)
    del record["inputs"]
    with pytest.raises(KeyError) as own:
        record["inputs"]
    assert not isinstance(own.value, MissingKey)


class TestWhoBypassesTheMethods:
    """C code that walks the storage sees a placeholder; that is noticed."""

    def test_msgspec(self, root: Path) -> None:
        record = make_record(case_of(root), nothing)
        with pytest.raises(TypeError) as caught:
            msgspec.json.encode(record)
        assert tripped(record, caught.value)

    def test_wrapped_error(self, root: Path) -> None:
        record = make_record(case_of(root), nothing)
        with pytest.raises(ValueError) as caught:
            try:
                msgspec.json.encode(record)
            except TypeError as error:
                raise ValueError("my judge's words") from error
        assert tripped(record, caught.value)

    def test_unbound_methods(self, root: Path) -> None:
        record = make_record(case_of(root), nothing)
        assert not tripped(record)
        with pytest.raises(TypeError):
            str(dict.get(record, "conversation"))
        assert tripped(record)

    def test_in_a_nested_mapping(self, root: Path) -> None:
        record = make_record(case_of(root), nothing)
        with pytest.raises(TypeError):
            [value == "x" for _, value in dict.items(record["files"])]
        assert tripped(record)

    def test_an_exception_that_cannot_be_shown(self, root: Path) -> None:
        class Broken(Exception):
            def __str__(self) -> str:
                raise RuntimeError("no words")

        assert not tripped(make_record(case_of(root), nothing), Broken())

    def test_ordinary_use_does_not_trip(self, root: Path) -> None:
        record = make_record(case_of(root), nothing)
        json.dumps({**record}, default=str)
        assert not tripped(record, KeyError("x"))


def test_an_unreadable_part_is_told_only_to_who_asks(root: Path) -> None:
    write(root, {"dataset/c1/annotations.yaml": "- a list\n", "run/cases/c1/events.json": "{"})
    looks, observe = observer()
    record = make_record(case_of(root), observe)
    assert record["inputs"] == "**task**: do it"
    assert record["files"]["artifacts/a.md"] == "alpha\n"
    for key in ("annotations", "events", "conversation"):
        assert key in record
        with pytest.raises(PartUnreadable):
            record[key]
        with pytest.raises(PartUnreadable):
            record.get(key)
    assert ("anns", "") in {(kind, key) for kind, key, _ in looks}
    again = case_of(root)
    assert all(current_version(again, kind, key) == version for kind, key, version in looks)
    write(root, {"dataset/c1/annotations.yaml": "tier: hard\n", "run/cases/c1/events.json": EVENTS})
    mended = case_of(root)
    broken = {(k, key) for k, key, v in looks if current_version(mended, k, key) != v}
    assert broken == {("anns", ""), ("value", "events"), ("value", "conversation")}


def test_undeclared_outputs_are_not_in_files(root: Path) -> None:
    record = make_record(load_case(spec_for(root, "reports"), "c1"), nothing)
    assert list(record["files"]) == ["_modified/src/x.py"]
    assert "artifacts_content" not in record


def test_outputs_of_a_tool(root: Path) -> None:
    tools = [{"name": "mcp__t__create", "id": "1", "input": {"a": 1}}]
    write(root, {"run/cases/c1/events.json": [{"type": "assistant", "text": "", "tools": tools}]})
    spec = spec_for(root)
    spec = type(spec)(spec.run_dir, spec.dataset_dir, (Output(tool="create"),), spec.traces)
    record = make_record(load_case(spec, "c1"), nothing)
    assert record["tool_calls"] == [{"name": "mcp__t__create", "input": {"a": 1}}]
