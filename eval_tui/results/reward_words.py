"""Rewards in words, for the table, the screens and the JSON document."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from eval_tui.results.reward import Reward, RewardBoard, Undefined
from eval_tui.results.words import count, number

UNDEFINED: Final = "undefined"


def reward_document(board: RewardBoard) -> dict[str, Any]:
    """The block `rewards` of the JSON document."""
    return {
        "mean": board.mean,
        "defined": board.defined,
        "total": len(board.cases),
        "cases": {case: _plain(reward) for case, reward in board.cases.items()},
    }


def _plain(reward: Reward) -> dict[str, Any]:
    if isinstance(reward, Undefined):
        return {"value": None, "why": reward.why}
    stale = {"stale": True} if reward.stale else {}
    return {"value": reward.value, **({"note": reward.words} if reward.words else {}), **stale}


def reward_word(reward: Reward | None) -> str:
    """`0.83`, `undefined`; `*` where it rests on something old."""
    if reward is None:
        return ""
    if isinstance(reward, Undefined):
        return UNDEFINED
    return number(reward.value) + "*" * reward.stale


def reward_line(board: RewardBoard) -> str:
    """E.g. `reward: 0.62 8/10 · 1 stale`."""
    return f"reward: {board.summary}" + (f" · {board.stale:,} stale" if board.stale else "")


def reward_lines(board: RewardBoard) -> list[str]:
    """The mean, and why some cases have no reward, the most frequent reason first."""
    lines = [reward_line(board)]
    whys = Counter(one.why for one in board.cases.values() if isinstance(one, Undefined))
    for why, cases in whys.most_common():
        lines.append(f"  undefined in {count(cases, 'case')}: {why}")
    return lines
