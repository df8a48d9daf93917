"""Loading every judge once, without judging: what `check` tells of modules and functions."""

from __future__ import annotations

import asyncio

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.batches import Batch, BatchInfo
from eval_tui.engine.frames import Message
from eval_tui.engine.pool import Pool
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.templates import problems_in, templates_question
from eval_tui.engine.views import ViewError
from eval_tui.engine.wire import judge_to_plain
from eval_tui.judges.base import JudgeUnusable
from eval_tui.record.spec import RecordSpec


async def try_judges(
    config: EvalConfig, supervisors: SupervisorFactory, limit: float
) -> tuple[tuple[Problem, ...], str]:
    """(problems of judges that cannot be loaded, the interpreter that they run under)."""
    judges = [j for j in config.judges if j.problem is None and not j.asks_model]
    found: list[Problem] = []
    over = asyncio.Event()
    named = {judge.name: judge for judge in judges}

    def no_worker(words: str) -> None:
        problem = Problem("error", "no-worker", words, config.path)
        if problem not in found:  # whoever asks is told
            found.append(problem)

    def received(message: Message, info: BatchInfo | None) -> None:
        if message["t"] in ("cell", "lost") and ("detail" in message or "text" in message):
            words = message.get("detail") or message.get("text") or ""
            unusable = JudgeUnusable(words, message.get("hint", ""), message.get("line", 0))
            found.append(unusable.problem(named[message["judge"]], config.path))
        elif message["t"] == "broken":
            no_worker(message["text"])
            over.set()
        elif message["t"] in ("done", "cancelled"):
            over.set()

    pool = Pool(supervisors, 1, received, Secrets(config.root))
    await pool.start()
    try:
        if judges:
            setup = {
                "root": config.root,
                "config": config.path,
                "record": RecordSpec("").to_plain(),
                "judges": [judge_to_plain(judge) for judge in judges],
            }
            generation = pool.new_generation(setup)
            jobs = [{"judge": judge.name} for judge in judges]
            pool.submit(
                Batch(1, generation, [{"case": "", "load": True, "jobs": jobs}], limit=limit)
            )
            await over.wait()
        if question := templates_question(config):
            try:
                answer = await pool.view(question, limit)
            except ViewError as error:
                no_worker(str(error))
            else:
                found += problems_in(answer, "unusable", "notes")
        return tuple(found), pool.python
    finally:
        await pool.close()
