"""What every format needs: text without anything that acts, and a document's cells in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from eval_tui.results.words import REASON_WORDS, number
from eval_tui.scores import Reason

Plain = Mapping[str, Any]
"""A piece of the document of schema 1."""

Outcome = Literal["pass", "fail", "value", "unmeasured", "skipped", "waiting"]
"""A cell in a word. `value`: a number or category that neither passes nor fails."""

_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
"""What XML refuses, UTF-8 cannot hold, a terminal obeys, or turns a line around."""


def plain(text: str) -> str:
    """The text with U+FFFD for characters that no file may hold; all line ends are `\\n`."""
    return _ACTING.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """`plain`, with every stretch of white space as one blank."""
    return " ".join(plain(text).split())


def unbroken(text: str) -> str:
    """`plain`, with U+FFFD for line ends too: what a sentence names cannot begin another line."""
    return plain(text).replace("\n", "\ufffd")


def cut(text: str, most: int) -> str:
    """At most `most` characters of a text, and how many more there are."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… +{len(text) - most:,} chars"


def outcome(cell: Plain) -> Outcome:
    """What a cell of the document is."""
    if cell["status"] == "measured":
        passed = cell.get("pass")
        return "value" if passed is None else "pass" if passed else "fail"
    if cell["reason"] != Reason.POLICY_SKIP.value:
        return "unmeasured"
    return "waiting" if "waiting" in cell else "skipped"


def value_word(cell: Plain) -> str:
    """A cell's value in a word or two: `pass`, `3.5`, `calm`, or why there is none.

    Also of what a cell was in the baseline.
    """
    if "reason" in cell:
        return "waits" if "waiting" in cell else REASON_WORDS[Reason(cell["reason"])]
    if label := one_line(cell.get("label") or ""):
        return label
    value = cell["value"]
    return ("pass" if value else "fail") if isinstance(value, bool) else number(value)


def reason_of(cell: Plain) -> str:
    """Why a cell is what it is, in the judge's words or ours."""
    return cell.get("rationale", "") or cell.get("detail", "")


def cells_of(document: Plain) -> Iterator[tuple[str, str, Plain]]:
    """Every cell as (case, judge, cell), case by case."""
    for case, row in document["cells"].items():
        for judge, cell in row.items():
            yield case, judge, cell


def groups_of(document: Plain) -> Mapping[str, Mapping[str, Plain]]:
    """What became of cells since the baseline, by case and judge; empty without one."""
    return document.get("comparison", {}).get("cells", {})


def rewards_of(document: Plain) -> Mapping[str, Plain]:
    """The rewards by case; empty where the config has no `reward` block."""
    return document.get("rewards", {}).get("cases", {})


def reward_note(reward: Plain) -> str:
    """What is to be known about a case's reward: why it is undefined, what it is made of."""
    told = (reward.get("why"), reward.get("note"), "stale" if reward.get("stale") else "")
    return ", ".join(filter(None, told))


def parts_of(document: Plain) -> Mapping[str, Mapping[str, Mapping[str, Plain]]]:
    """What became of parts of scores since the baseline, by case, judge and part."""
    return document.get("comparison", {}).get("parts", {})
