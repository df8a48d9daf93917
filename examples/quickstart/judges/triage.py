"""Judges that compare the agent's triage with the one that a person made."""

import json

from judges.priorities import steps_between


def right_queue(outputs):
    chosen, expected = _triage(outputs)["queue"], outputs["annotations"]["queue"]
    if chosen == expected:
        return True, f"both say {expected}"
    return False, f"the agent says {chosen}, a person said {expected}"


def priority(outputs):
    expected = outputs["annotations"].get("priority")
    if expected is None:
        return None, "the people who labelled this ticket did not agree on a priority"
    chosen = _triage(outputs)["priority"]
    steps = steps_between(chosen, expected)
    return max(0.0, 1 - steps / 2), f"the agent says {chosen}, a person said {expected}"


def _triage(outputs):
    # Not guarded on purpose: `valid_triage` is the judge of the file's form. A file that is no
    # JSON ends here as an error, which is not the same as a wrong answer.
    return json.loads(outputs["files"]["output/triage.json"])
