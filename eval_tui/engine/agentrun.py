"""The run of an agent that judges, inside a worker of its own: stage, start, bound, read.

The worker is the agent's parent, so that whoever ends the worker (the app, or the supervisor when
the app is gone) ends the agent with everything it started. Standard library, PyYAML and Jinja2
only, Python 3.10.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.engine.commands import both_ends, run_command
from eval_tui.engine.environment import MARK
from eval_tui.engine.scratch import worker_folder
from eval_tui.engine.wire import judge_from_plain
from eval_tui.judges.agent.answer import Stop, content_of
from eval_tui.judges.agent.command import Places, command_line
from eval_tui.judges.agent.judge import AgentJudge, Task, load_agent_judge, task_of
from eval_tui.judges.agent.trace import Trace, read_metrics_cost, read_trace
from eval_tui.judges.agent.verdict import last_verdict, read_verdict_file
from eval_tui.judges.agent.workspace import ContextChanged, stage
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.graders.bench import Finished
from eval_tui.judges.model.template import PromptFailed
from eval_tui.record.case import PartUnreadable, StepMissing, load_case
from eval_tui.record.record import make_record
from eval_tui.record.spec import RecordSpec


def run_agent(request: Mapping[str, Any]) -> dict[str, Any]:
    """Runs one agent for one case. Returns an answer as plain data, or `failed` with its kind.

    Kinds: `moved` (the case is not what the request was made of), `missing` (the program is not
    there), `start` (it cannot be started), `stage` (the folder cannot be laid out).
    """
    try:
        loaded, task = _task(request)
    except (JudgeUnusable, PromptFailed, PartUnreadable, StepMissing) as error:
        return _failed("moved", str(error))
    if task.request.digest != request["digest"]:
        return _failed("moved", "the case or the judge changed before the agent was started")
    try:
        folder = os.path.join(worker_folder(), "agent")
        places = stage(folder, task.files, task.prompt, loaded.settings)
    except (ContextChanged, UnreadableFile) as error:
        return _failed("moved", str(error))
    except OSError as error:
        return _failed("stage", f"its folder cannot be laid out: {error}")
    line = command_line(loaded.settings, loaded.model, task.prompt, places, loaded.judge.name)
    stdin = places.prompt if line.prompt_on_stdin else os.devnull
    environ = {**request["environ"], MARK: "1", "TMPDIR": os.path.join(folder, "tmp")}
    try:
        ended = run_command(
            line.words,
            cwd=places.workspace,
            env=environ,
            limit_s=loaded.settings.timeout,
            stdin=stdin,
        )
    except FileNotFoundError:
        return _failed("missing", line.words[0])
    except (OSError, ValueError) as error:
        return _failed("start", _start_words(error, task))
    return _answer(loaded, places, ended)


def _failed(kind: str, text: str) -> dict[str, Any]:
    return {"failed": kind, "text": text}


def _task(request: Mapping[str, Any]) -> tuple[AgentJudge, Task]:
    env = JudgeEnv(request["root"], request["config"])
    loaded = load_agent_judge(judge_from_plain(request["judge"]), env)
    parts = load_case(RecordSpec.from_plain(request["record"]), request["case"])
    parts = parts.scoped(loaded.judge.step) if loaded.judge.step else parts
    return loaded, task_of(loaded, make_record(parts, lambda kind, key, version: None))


def _start_words(error: OSError | ValueError, task: Task) -> str:
    words = getattr(error, "strerror", None) or str(error)
    if len(task.prompt) > 100_000:
        words += "; the prompt may be too long for a command line: use {prompt_file}"
    return words


def _answer(loaded: AgentJudge, places: Places, ended: Finished) -> dict[str, Any]:
    trace = read_trace(ended.stdout)
    stop = _stop(ended, trace)
    found = read_verdict_file(places.output)
    verdict, source = found.verdict, "output/score.json"
    if verdict is None:
        verdict, source = last_verdict(trace.words), "the agent's last words"
    why = "" if verdict is not None else _why(found.why, ended, trace)
    return {
        "content": content_of(
            verdict, source, why, both_ends(trace.transcript), both_ends(ended.stderr)
        ),
        "stop_reason": stop,
        "usage": dict(trace.usage),
        "model": loaded.model,
        "seconds": ended.seconds,
        "cost": trace.cost if trace.cost is not None else _metrics_cost(places.output),
        "gave_up": trace.error if verdict is None and not stop else "",
    }


def _stop(ended: Finished, trace: Trace) -> Stop:
    if ended.timed_out:
        return "timed out"
    return "budget" if trace.subtype == "error_max_budget_usd" else ""


def _why(file: str, ended: Finished, trace: Trace) -> str:
    """Why there is no verdict, the nearest cause first."""
    reasons = [file] if file else ["no `output/score.json`, and no verdict in the last words"]
    if ended.code:
        reasons.append(f"the command ended with exit code {ended.code}")
    if trace.error:
        reasons.append(f"the agent gave up: {trace.error}")
    return "; ".join(reasons)


def _metrics_cost(output: str) -> float | None:
    """What a command says in `metrics.json` that it has cost."""
    if os.path.islink(output) or os.path.islink(path := os.path.join(output, "metrics.json")):
        return None
    try:
        return read_metrics_cost(read_file(path, 1_000_000))
    except UnreadableFile:
        return None
