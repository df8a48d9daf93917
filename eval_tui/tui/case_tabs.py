"""The tabs of the case screen: which there are for a cell."""

from __future__ import annotations

from typing import Final, Literal, assert_never, get_args

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CaseView, Detail
from eval_tui.tui.widgets.tab_strip import Tab

TabId = Literal["reason", "trace", "files", "inputs", "logs", "why", "history", "request"]

_TABS: Final = tuple(Tab(name, name, str(number)) for number, name in enumerate(get_args(TabId), 1))


def missing_tab(tab: str, detail: Detail, judge: Judge) -> str:
    """Why a cell has no such tab, in words; empty when it has."""
    if tab == "history" and not detail.history:
        return "There are no older results of this cell."
    if tab == "request" and not judge.asks_model:
        return "This judge sends no request to a model."
    return ""


def tabs_of(detail: Detail, judge: Judge) -> tuple[Tab, ...]:
    """The tabs of a cell; each has the same key in every cell."""
    return tuple(tab for tab in _TABS if not missing_tab(tab.id, detail, judge))


def file_behind(tab: TabId, view: CaseView | None, config: str, judge: Judge) -> tuple[str, int]:
    """Path and line of the file that a page comes from; an empty path where there is none.

    `config` is the path of the config. What the page of the files shows is known by itself.
    """
    match tab:
        case "trace":
            return (view.events_path if view else ""), 0
        case "inputs":
            return ((view.input_path or view.annotations_path) if view else ""), 0
        case "logs" | "files":
            return "", 0
        case "request":
            return (judge.prompt_path, 0) if judge.prompt_path else (config, judge.prompt_line)
        case "reason" | "why" | "history":
            return config, judge.line
        case _:
            assert_never(tab)
