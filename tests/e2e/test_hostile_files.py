"""Files as they are in the wild: the app keeps running, and each bad one costs exactly the cells
that read it, with the right reason."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eval_tui.scores import Measured, Unmeasured
from tests.support.live import Live, live
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

EVAL_TUI = str(Path(sys.executable).with_name("eval-tui"))
CHECKS = {
    "page": "return outputs['files']['out/page.md'].startswith('page of')",
    "names": "return len(list(outputs['files'])) == 1",
    "every": "return sum(len(str(text)) for text in outputs['files'].values()) < 1_000_000",
    "first": "return len(outputs['out_content']) > 0",
    "talk": "return 'wrote' in outputs['conversation']",
    "ann": "return outputs['annotations']['kind'] == 'plain'",
    "inp": "return 'write' in outputs['inputs']",
    "cost": "return outputs.get('cost_usd', 0) == 0",
    "lists": "import os\nreturn 'out' in os.listdir(outputs['case_dir'])",
    "walks": "import os\nreturn sum(1 for _ in os.walk(outputs['case_dir'])) > 0",
    "const": "return True",
}
JUDGES = [{"name": name, "check": check} for name, check in CHECKS.items()]
HUGE = 500_000_000

Bad = tuple[str, ...]
"""A reason, and words that the detail holds."""


@dataclass(frozen=True)
class Hostile:
    """What is done to a case (its folder in the run, its folder in the dataset)."""

    name: str
    do: Callable[[Path, Path], object]
    affects: Mapping[str, Bad | bool] = field(default_factory=dict[str, "Bad | bool"])
    """Judge -> what differs from `True`."""


def missing(*words: str) -> Bad:
    return ("missing_evidence", *words)


def huge(path: Path, start: bytes = b"") -> None:
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(HUGE)


def fifo(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(before)


def replaced(path: Path, target: str) -> None:
    shutil.rmtree(path)
    path.symlink_to(target)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def many(path: Path) -> None:
    for i in range(5_000):
        (path / f"z{i}.md").touch()


def named(path: Path, *names: str | bytes) -> None:
    for name in names:
        (path / os.fsdecode(name)).write_text("x")


def times(path: Path) -> None:
    os.utime(path / "out" / "page.md", (4e9, 4e9))
    os.utime(path / "events.json", (0, 0))


def lines(path: Path) -> None:
    (path / "events.json").unlink()
    said = {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "I \u2028wrote"}]},
    }
    text = json.dumps(said, ensure_ascii=False)
    odd = ["123", "null", "[1]", '{"a": NaN}', '{"a": 1e999}', '"\\ud800"', "{", "", "\ufeff{}"]
    (path / "events.jsonl").write_text("\n".join([*odd, text]))  # no newline at the end


def bomb(levels: int) -> str:
    entries = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    entries += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join([*entries, "kind: plain\n"])


def put(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


TALKS = {"talk": missing("events.json")}
ANNOTATIONS = "annotations.yaml"
OUTPUTS = {
    "page": missing("out", "leads out of the case folder"),
    "names": missing("out", "leads out of the case folder"),
    "every": missing("out", "leads out of the case folder"),
    "first": missing("leads out of the case folder"),
}
PLAIN = "kind: plain\n"
HOSTILE = [
    Hostile("pipe in the artifacts", lambda run, _: fifo(run / "out" / "a-pipe")),
    Hostile("pipe beside them", lambda run, _: fifo(run / "note")),
    Hostile(
        "pipe for events",
        lambda run, _: fifo(run / "events.json"),
        {"talk": missing("events.json", "named pipe")},
    ),
    Hostile(
        "pipe for input",
        lambda _, data: fifo(data / "input.yaml"),
        {"inp": missing("input.yaml", "named pipe")},
    ),
    Hostile(
        "pipe for annotations",
        lambda _, data: fifo(data / ANNOTATIONS),
        {"ann": missing(ANNOTATIONS, "named pipe")},
    ),
    Hostile(
        "pipe for metrics",
        lambda run, _: fifo(run / "run_result.json"),
        {"cost": missing("run_result.json", "named pipe")},
    ),
    Hostile("pipe for a log", lambda run, _: fifo(run / "stderr.log")),
    Hostile(
        "pipe that an annotation names",
        lambda _, data: (fifo(data / "ref"), put(data / ANNOTATIONS, PLAIN + "ref: ref\n")),
    ),
    Hostile("socket", lambda run, _: unix_socket(run / "out" / "a-socket")),
    Hostile("link to itself", lambda run, _: (run / "out" / "a").symlink_to("a")),
    Hostile("loop of folders", lambda run, _: (run / "out" / "a").symlink_to(run / "out")),
    Hostile("dangling link", lambda run, _: (run / "out" / "a").symlink_to("/nowhere/at/all")),
    Hostile("link to stdout", lambda run, _: (run / "out" / "a.md").symlink_to("/dev/stdout")),
    Hostile("link to zeros", lambda run, _: (run / "out" / "a.md").symlink_to("/dev/zero")),
    Hostile("link out", lambda run, _: (run / "out" / "a.md").symlink_to("/etc/passwd")),
    Hostile("artifacts behind a link", lambda run, _: replaced(run / "out", "/etc"), OUTPUTS),
    Hostile(
        "annotations behind a link",
        lambda _, data: (
            (data / ANNOTATIONS).unlink(),
            (data / ANNOTATIONS).symlink_to("/etc/hostname"),
        ),
        {"ann": missing(ANNOTATIONS, "leads out of the dataset")},
    ),
    Hostile(
        "huge text",
        lambda run, _: huge(run / "out" / "z.md"),
        {"names": False, "every": missing("z.md", "500,000,000 bytes")},
    ),
    Hostile(
        "huge first text",
        lambda run, _: huge(run / "out" / "a.md"),
        {
            "names": False,
            "every": missing("a.md", "500,000,000 bytes"),
            "first": missing("a.md", "500,000,000 bytes"),
        },
    ),
    Hostile(
        "huge video", lambda run, _: huge(run / "out" / "z.mp4", b"\xff" * 8), {"names": False}
    ),
    Hostile("huge and asked by nobody", lambda run, _: huge(run / "core")),
    Hostile(
        "huge events",
        lambda run, _: huge(run / "events.json"),
        {"talk": missing("events.json", "500,000,000 bytes")},
    ),
    Hostile(
        "huge annotations",
        lambda _, data: huge(data / ANNOTATIONS),
        {"ann": missing(ANNOTATIONS, "500,000,000 bytes")},
    ),
    Hostile("5,000 files", lambda run, _: many(run / "out"), {"names": False}),
    Hostile(
        "file names of any kind",
        lambda run, _: named(
            run / "out", b"caf\xe9", "a\nb", " sp ace ", "日本語", "\u202eabc", "\x1b[31m"
        ),
        {"names": False},
    ),
    Hostile("no text", lambda run, _: put(run / "out" / "z", b"\xff\xfe\0\1"), {"names": False}),
    Hostile("folder for events", lambda run, _: folder(run / "events.json"), TALKS),
    Hostile("half a document", lambda run, _: put(run / "events.json", '[{"type": "ass'), TALKS),
    Hostile(
        "a number for events",
        lambda run, _: put(run / "events.json", "123"),
        {"talk": missing("not a list of events")},
    ),
    Hostile("nothing for events", lambda run, _: put(run / "events.json", "null"), TALKS),
    Hostile("numbers for events", lambda run, _: put(run / "events.json", "[1]"), TALKS),
    Hostile(
        "nested without end",
        lambda run, _: put(run / "events.json", "[" * 100_000),
        {"talk": missing("nested too deeply")},
    ),
    Hostile("odd lines", lambda run, _: lines(run)),
    Hostile(
        "a date that does not exist",
        lambda _, data: put(
            data / ANNOTATIONS, PLAIN + "when: 2026-13-45\nnan: .nan\ninf: 1e999\n"
        ),
    ),
    Hostile(
        "annotations that hold themselves",
        lambda _, data: put(data / ANNOTATIONS, PLAIN + "a: &a [*a]\n"),
        {"ann": missing(ANNOTATIONS, "line 2", "contains itself")},
    ),
    Hostile(
        "alias bomb",
        lambda _, data: put(data / ANNOTATIONS, bomb(9)),
        {"ann": missing(ANNOTATIONS, "aliases")},
    ),
    Hostile(
        "annotations that are a list",
        lambda _, data: put(data / ANNOTATIONS, "- kind\n"),
        {"ann": missing(ANNOTATIONS, "a list, not a mapping")},
    ),
    Hostile("twice the same key", lambda _, data: put(data / ANNOTATIONS, "kind: odd\n" + PLAIN)),
    Hostile("UTF-16", lambda _, data: put(data / ANNOTATIONS, PLAIN.encode("utf-16"))),
    Hostile(
        "BOM and CRLF", lambda _, data: put(data / ANNOTATIONS, b"\xef\xbb\xbfkind: plain\r\n\r\n")
    ),
    Hostile("times of another age", lambda run, _: times(run)),
]
NAMES = ["with space", "new\nline", "日本語 עברית", "caf\udce9", "\x1b[31mred", "-rf", "' OR 1=1"]


@dataclass(frozen=True)
class Scored:
    root: Path
    document: dict[str, Any]
    err: str

    def value(self, case: str, judge: str) -> object:
        """The value, or the reason with the detail."""
        cell = self.document["cells"][case][judge]
        if cell["status"] == "measured":
            return cell["value"]
        return cell["reason"], cell["detail"]


def score(root: Path, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """`eval-tui score` of a project, in a terminal of its own kind: none."""
    return subprocess.run(
        [EVAL_TUI, "score", str(root), "--format", "json", *more],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def document(root: Path, *more: str) -> dict[str, Any]:
    done = score(root, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    """One project with every kind of bad file, scored once."""
    root = write_project(
        tmp_path_factory.mktemp("hostile") / "p", JUDGES, [h.name for h in HOSTILE]
    )
    for name in NAMES:
        write_case(root, "plain")
        for place in (case_dir(root, "plain"), root / "data" / "plain"):
            place.rename(place.with_name(name))
    for hostile in HOSTILE:
        hostile.do(case_dir(root, hostile.name), root / "data" / hostile.name)
    fifo(run_dir(root) / "stderr.log")
    fifo(run_dir(root) / "cases" / "not-a-case")
    fifo(root / "data" / "not-a-case-either")
    (run_dir(root) / "cases" / "behind-a-link").symlink_to(case_dir(root, NAMES[0]))
    fifo(root / "other.yaml")
    (root / "self.yaml").symlink_to("self.yaml")
    done = score(root)
    assert done.returncode == 0, done.stderr
    return Scored(root, json.loads(done.stdout), done.stderr)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_bad_file_costs_the_cells_that_read_it(scored: Scored, hostile: Hostile) -> None:
    for judge in CHECKS:
        wanted = hostile.affects.get(judge, True)
        found = scored.value(hostile.name, judge)
        if isinstance(wanted, bool):
            assert found is wanted, (judge, found)
        else:
            assert isinstance(found, tuple), (judge, found)
            assert found[0] == wanted[0], (judge, found)
            assert all(word in found[1] for word in wanted[1:]), (judge, found)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_may_have_any_name(scored: Scored, name: str) -> None:
    assert [scored.value(name, judge) for judge in CHECKS] == [True] * len(CHECKS)


def test_what_is_no_case_is_none(scored: Scored) -> None:
    assert set(scored.document["cells"]) == {*(h.name for h in HOSTILE), *NAMES}


def test_nothing_of_it_is_judged_again(scored: Scored) -> None:
    again = document(scored.root)
    assert again["ran"] == 0
    assert again["cells"] == scored.document["cells"]


async def test_the_app_lives_with_all_of_it(scored: Scored) -> None:
    """Watching such a project works: one change is seen and concerns its own case."""
    async with live(scored.root) as project:
        assert project.ran == 0
        case = HOSTILE[0].name
        (case_dir(scored.root, case) / "out" / "page.md").write_text("another")
        await project.until(lambda: project.value(case, "page") is False)
        assert {key.case for key, info in project.driver.session.infos.items() if info.ran} == {
            case
        }
        (case_dir(scored.root, case) / "out" / "page.md").write_text(f"page of {case}\n")
        await project.until(lambda: project.value(case, "page") is True)
        for hostile in HOSTILE:
            view = await project.driver.view(hostile.name)
            assert view.case == hostile.name
        view = await project.driver.view("pipe for events")
        assert any("named pipe" in note for note in view.notes)
        assert [entry.size for entry in view.files] == [len("page of pipe for events\n")]
        huge_text = await project.driver.file_text("huge text", "out/z.md")
        assert (huge_text.text, huge_text.truncated, huge_text.size) == ("", True, HUGE)


CONFIGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (fifo, "not a regular file"),
    "a folder": (folder, "no eval config"),
    "a link to itself": (lambda p: (p.unlink(), p.symlink_to(p.name)), "there is no"),
    "a dangling link": (lambda p: (p.unlink(), p.symlink_to("gone.yaml")), "there is no"),
    "too large": (huge, "larger than 16 MB"),
    "binary": (lambda p: put(p, bytes(range(256)) * 9), "eval.yaml:1"),
    "a list": (lambda p: put(p, "- judges\n"), "must be a mapping"),
    "broken": (lambda p: put(p, "name: x\njudges:\n  - name: [\n"), "eval.yaml:4"),
    "an endless nest": (lambda p: put(p, "judges: " + "[" * 20_000), "eval.yaml"),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_config_that_cannot_be_used_is_told_with_its_place(tmp_path: Path, kind: str) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    spoil, words = CONFIGS[kind]
    spoil(root / "eval.yaml")
    done = score(root / "eval.yaml")
    assert done.returncode == 2, done.stdout
    assert "eval.yaml" in done.stderr
    assert words in done.stderr, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("kind", CONFIGS)
async def test_while_the_config_cannot_be_used_the_last_good_grid_stays(
    tmp_path: Path, kind: str
) -> None:
    """S10: for anything that may become of the file, and it goes on once it is mended."""
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    config = root / "eval.yaml"
    good = config.read_bytes()
    async with live(root) as project:
        CONFIGS[kind][0](config)
        await project.until(lambda: "last good one stays" in project.driver.status.banner)
        assert project.value("a", "page") is True
        assert len(project.driver.grid.columns) == len(JUDGES)
        write_case(root, "b")
        await project.until(lambda: project.value("b", "page") is True)
        shutil.rmtree(config) if config.is_dir() else config.unlink()
        config.write_bytes(good)
        await project.until(lambda: project.driver.status.banner == "")
        before = project.ran
        assert project.value("a", "const") is True
        assert before == 2 * len(JUDGES)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\r\n").encode("utf-16-be").join([b"\xfe\xff", b""]),
    ],
    ids=["CRLF", "BOM", "UTF-16", "UTF-16 BE and CRLF"],
)
def test_how_a_config_is_encoded_makes_nothing_stale(
    tmp_path: Path, encode: Callable[[str], bytes]
) -> None:
    judge = {"name": "two-lines", "check": "text = 'ä'\nreturn text in outputs['out_content'] or 1"}
    root = write_project(tmp_path / "p", [*JUDGES, judge], ["a"])
    before = document(root)
    text = (root / "eval.yaml").read_text()
    (root / "eval.yaml").write_bytes(encode(text))
    after = document(root)
    assert (after["ran"], after["cells"]) == (0, before["cells"])


def test_what_is_odd_in_a_config_is_told_with_its_line(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    text = (root / "eval.yaml").read_text()
    odd = "name: again\ndescription: 2026-13-45\nhooks: &h\n  x: *h\n" + bomb(9)
    (root / "eval.yaml").write_text(text + odd)
    line = text.count("\n") + 1
    done = score(root, "--runs", str(run_dir(root).parent))
    assert f"eval.yaml:{line}:1 `name` is given twice" in done.stderr
    assert f"eval.yaml:{line + 1}:14 `2026-13-45` is no date" in done.stderr
    assert f"eval.yaml:{line + 2}:8 an alias refers to a value that contains it" in done.stderr
    assert f"eval.yaml:{line + 4}:" in done.stderr
    assert "aliases of this file expand to too many values" in done.stderr
    assert json.loads(done.stdout)["cells"]["a"]["page"]["value"] is True


async def test_a_summary_cut_short_keeps_the_recorded_values(tmp_path: Path) -> None:
    """While it is rewritten, or when it becomes something else."""
    judge = {"name": "m", "prompt": "{{ conversation }}", "model": "some-model"}
    cell = {"value": 4, "rationale": "fine"}
    root = write_project(tmp_path / "p", [judge], ["a"], summary={"per_case": {"a": {"m": cell}}})
    path = run_dir(root) / "summary.yaml"
    good = path.read_bytes()
    async with live(root) as project:
        assert project.value("a", "m") == 4
        for spoil in (
            lambda: path.write_bytes(good[: len(good) // 2] + b": [\n"),
            lambda: fifo(path),
            lambda: (path.unlink(), path.symlink_to(path.name)),
            lambda: (path.unlink(), huge(path)),
        ):
            write_case(root, "a")
            spoil()
            await project.shown(
                lambda: any(p.code == "recorded-unreadable" for p in project.driver.problems)
            )
            assert project.value("a", "m") == 4
            assert project.driver.grid.cell("a", "m").recorded
        path.unlink()
        path.write_bytes(good.replace(b"4", b"2"))
        await project.until(lambda: project.value("a", "m") == 2)
        assert not [p for p in project.driver.problems if p.code == "recorded-unreadable"]


async def test_a_large_summary_is_shown_like_any_other(tmp_path: Path) -> None:
    judge = {"name": "m", "prompt": "{{ conversation }}", "model": "some-model"}
    cell = {"value": 4, "rationale": "fine " * 300_000}
    root = write_project(tmp_path / "p", [judge], ["a"], summary={"per_case": {"a": {"m": cell}}})
    path = run_dir(root) / "summary.yaml"
    good = path.read_bytes()
    async with live(root) as project:
        assert project.value("a", "m") == 4
        path.write_bytes(good.replace(b"value: 4", b"value: 2"))
        await project.until(lambda: project.value("a", "m") == 2)
        path.write_bytes(good + b": [\n")
        await project.shown(
            lambda: any(p.code == "recorded-unreadable" for p in project.driver.problems)
        )
        assert project.value("a", "m") == 2
    done = json.loads(score(root).stdout)
    assert done["cells"]["a"]["m"]["status"] == "unmeasured"


@pytest.mark.parametrize("kind", ["a pipe", "cut short", "huge"])
def test_a_summary_that_cannot_be_read_is_told(tmp_path: Path, kind: str) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    path = run_dir(root) / "summary.yaml"
    do = {"a pipe": fifo, "cut short": lambda p: put(p, "a: [\n"), "huge": huge}[kind]
    do(path)
    done = score(root)
    assert done.returncode == 0
    assert "summary.yaml" in done.stderr
    assert "cannot be read" in done.stderr
    assert json.loads(done.stdout)["cells"]["a"]["page"]["value"] is True


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("value: *a8", "which is no verdict"),
        ("value: .nan", "no usable number"),
        ("value: 1e999", "1e999"),
        ("value: 2026-13-45", "2026-13-45"),
        ("error: *a8", "..."),
        ("reason: *a8", "no reason recorded"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_odd_recorded_values_cost_their_own_cells(
    tmp_path: Path, cell: str, words: str, encoding: str
) -> None:
    judge = {"name": "m", "prompt": "{{ conversation }}", "model": "some-model"}
    root = write_project(tmp_path / "p", [judge], ["a", "b"])
    recorded = f"per_case:\n  a: {{m: {{{cell}}}}}\n  b: {{m: {{value: 4}}}}\n"
    (run_dir(root) / "summary.yaml").write_bytes((bomb(9) + recorded).encode(encoding))
    async with live(root, watch=False) as project:
        score = project.driver.detail("a", "m").score
        assert isinstance(score, Unmeasured)
        assert words in score.detail
        assert project.value("b", "m") == 4


def test_a_run_result_that_is_a_pipe(tmp_path: Path) -> None:
    """It is the run's, so it concerns every cell that asks for metrics, and no other."""
    root = write_project(tmp_path / "p", JUDGES, ["a", "b"])
    fifo(run_dir(root) / "run_result.json")
    found = Scored(root, document(root), "")
    for case in ("a", "b"):
        cost = found.value(case, "cost")
        assert isinstance(cost, tuple)
        assert "named pipe" in cost[1]
        assert [found.value(case, j) for j in CHECKS if j != "cost"] == [True] * (len(CHECKS) - 1)


def test_a_file_that_disappears_between_listing_and_opening(tmp_path: Path) -> None:
    gone = (
        "import os\npath = os.path.join(outputs['case_dir'], 'out', 'z.md')\n"
        "open(path, 'w').close()\n"
        "names = list(outputs['files'])\n"
        "os.remove(path)\n"
        "return outputs['files'][names[-1]] == ''"
    )
    root = write_project(tmp_path / "p", [{"name": "gone", "check": gone}, *JUDGES[-1:]], ["a"])
    found = Scored(root, document(root), "")
    reason, detail = found.value("a", "gone")  # type: ignore[misc]
    assert reason == "missing_evidence"
    assert "z.md" in detail
    assert "disappeared" in detail
    assert found.value("a", "const") is True


async def test_a_rewrite_of_the_same_size_and_time_is_seen(tmp_path: Path) -> None:
    """Live and at the next start: the time of the change of the file's own entry tells."""
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    page = case_dir(root, "a") / "out" / "page.md"

    def rewrite(text: str) -> None:
        info = page.stat()
        page.write_text(text)
        os.utime(page, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert (page.stat().st_size, page.stat().st_mtime_ns) == (info.st_size, info.st_mtime_ns)

    async with live(root) as project:
        rewrite("PAGE of a\n")
        await project.until(lambda: project.value("a", "page") is False)
    rewrite("page of a\n")
    async with live(root) as project:
        assert project.value("a", "page") is True


def test_a_clock_that_jumps_back_after_scoring(tmp_path: Path) -> None:
    """Files are then of the future: what was scored still holds, and a change is still seen."""
    root = write_project(tmp_path / "p", JUDGES, ["a", "b"])
    for path in root.rglob("*"):
        os.utime(path, (4e9, 4e9))
    assert document(root)["ran"] == 2 * len(JUDGES)
    assert document(root)["ran"] == 0
    page = case_dir(root, "a") / "out" / "page.md"
    page.write_text("other")
    os.utime(page, (1e9, 1e9))
    again = document(root)
    assert again["cells"]["a"]["page"]["value"] is False
    assert again["cells"]["b"]["page"]["value"] is True


def test_a_project_behind_a_link(tmp_path: Path) -> None:
    """It is the same project: what was scored under one name holds under the other."""
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    (tmp_path / "link").symlink_to(root)
    first = document(tmp_path / "link")
    assert (first["ran"], first["cells"]["a"]["page"]["value"]) == (len(JUDGES), True)
    assert document(root)["ran"] == 0


async def test_a_project_behind_a_link_is_watched(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    (tmp_path / "link").symlink_to(root)
    project = Live(root)
    project.driver.reader.options = project.driver.reader.options.__class__(
        root=str(tmp_path / "link")
    )
    try:
        await project.start()
        (case_dir(root, "a") / "out" / "page.md").write_text("other")
        await project.until(lambda: project.value("a", "page") is False)
    finally:
        await project.driver.close()


def test_a_git_worktree(tmp_path: Path) -> None:
    """There `.git` is a file: the root is found, and each worktree keeps its own results."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("needs git")
    main = write_project(tmp_path / "main", JUDGES, ["a"])
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"],
        ["worktree", "add", "-q", str(tmp_path / "tree")],
    ):
        subprocess.run([git, *command], cwd=main, check=True, capture_output=True)
    tree = tmp_path / "tree"
    assert (tree / ".git").is_file()
    done = score(tree / "eval.yaml")
    assert json.loads(done.stdout)["cells"]["a"]["page"]["value"] is True
    assert (tree / ".eval-tui" / "store.db").exists()
    status = subprocess.run([git, "status", "--short"], cwd=tree, capture_output=True, check=True)
    assert status.stdout == b""


def test_a_project_that_cannot_be_written(tmp_path: Path) -> None:
    """Results are kept in the cache folder, and the command says so."""
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    (root / ".eval-tui").write_text("no folder")
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = score(root, env=environ)
    assert first.returncode == 0
    assert f"results are kept in {tmp_path / 'cache'}" in first.stderr
    assert json.loads(score(root, env=environ).stdout)["ran"] == 0
    assert (root / ".eval-tui").read_text() == "no folder"


async def test_a_store_that_is_set_aside_is_told_in_the_banner(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    (root / ".eval-tui").mkdir()
    (root / ".eval-tui" / "store.db").write_bytes(b"no database at all, but something else" * 99)
    async with live(root) as project:
        assert "could not be read" in project.driver.status.banner
        assert "store.db.aside-" in project.driver.status.banner
        assert project.value("a", "page") is True
    async with live(root) as project:
        assert (project.driver.status.banner, project.ran) == ("", 0)


async def test_a_disk_that_is_full_leaves_the_values_on_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_tui.engine.store.RETRY_S", 0.0)
    root = write_project(tmp_path / "p", JUDGES, ["a"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with live(root) as project:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        long = {"name": "long", "check": "return True, 'x' * 2_000_000"}
        write_config(root, [*JUDGES, long])
        try:
            await project.until(lambda: project.value("a", "long") is True)
            while "cannot be stored" not in project.driver.status.banner:
                await asyncio.sleep(0.01)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert project.value("a", "long") is True
        score = project.driver.detail("a", "long").score
        assert isinstance(score, Measured)
        assert len(score.rationale) == 2_000_000


@contextlib.contextmanager
def readable_by_all() -> Generator[Path]:
    """A folder that another user can reach; those of the tests are the user's own."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_without_permission() -> None:
    """Unreadable is not empty: files and folders that may not be read are named."""
    as_other: dict[str, Any] = {}
    if os.geteuid() == 0:  # whom permissions do not bind
        as_other = {"user": 65534, "group": 65534, "extra_groups": []}
    with readable_by_all() as place:
        names = ["page", "events", "output folder", "below it", "case", "good"]
        root = write_project(place / "p", JUDGES, names)
        locked = [
            case_dir(root, "page") / "out" / "page.md",
            case_dir(root, "events") / "events.json",
            case_dir(root, "output folder") / "out",
            case_dir(root, "below it") / "out" / "sub",
            case_dir(root, "case"),
        ]
        locked[3].mkdir()
        for path in locked:
            path.chmod(0)
        environ = {**os.environ, "HOME": str(place), "XDG_CACHE_HOME": str(place / "cache")}
        (place / "cache").mkdir(mode=0o777)
        (place / "cache").chmod(0o777)
        try:
            done = score(root, env=environ, **as_other)
        except PermissionError:
            pytest.skip("another user cannot run the product here")
        finally:
            for path in locked:
                path.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "results are kept in" in done.stderr  # the project belongs to someone else
    found = Scored(root, json.loads(done.stdout), done.stderr)
    unreadable = {
        "page": {"page": "page.md", "every": "page.md", "first": "page.md"},
        "events": {"talk": "events.json"},
        "output folder": dict.fromkeys(("page", "names", "every", "first"), "out"),
        "below it": dict.fromkeys(("page", "names", "every"), "sub"),
        "good": {},
    }
    for case, affected in unreadable.items():
        for judge in CHECKS:
            value = found.value(case, judge)
            if judge in affected:
                assert isinstance(value, tuple), (case, judge, value)
                assert value[0] == "missing_evidence", (case, judge, value)
                assert affected[judge] in value[1], (case, judge, value)
                assert "permission" in value[1], (case, judge, value)
            else:
                assert value is True, (case, judge, value)
    assert isinstance(found.value("case", "page"), tuple)
    assert isinstance(found.value("case", "talk"), tuple)
    assert found.value("case", "const") is True
