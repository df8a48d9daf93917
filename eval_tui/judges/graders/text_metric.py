"""`text-metric`: a number in the agent's last message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.answer_match import final_message
from eval_tui.judges.graders.bench import Bench, Grade, Row, lacking
from eval_tui.judges.graders.script_score import number
from eval_tui.scores import Measured


def make(grader: Grader) -> Grade:
    """Emits the metric that `metric` names: the group of the first match of `pattern`."""
    pattern = re.compile(str(grader.config["pattern"]), re.MULTILINE)
    metric = str(grader.config["metric"])

    def grade(bench: Bench) -> Sequence[Row]:
        match = pattern.search(final_message(bench))
        if match is None:
            raise lacking(f"nothing in the agent's last message fits `{pattern.pattern}`")
        value = number(match[1])
        if value is None:
            raise lacking(f"`{match[1]}` in the agent's last message is no number")
        return [(metric, Measured(value, None, match[0]))]

    return grade
