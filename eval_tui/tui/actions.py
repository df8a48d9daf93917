"""Every action of the app with its keys, as data: bindings, help and palette come from here.

Moving (`MOVES`) is no action: its keys belong to whatever has the focus and mean the same
everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from textual.binding import Binding

from eval_tui.tui.action import Action, Context, layers
from eval_tui.tui.keys import key_name
from eval_tui.tui.screen_actions import CASE_ACTIONS, SIDE_ACTIONS

PRIORITY_KEYS: Final = frozenset({"ctrl+c", "ctrl+p"})
"""Keys that act even while a text input has the focus."""

AT_ONCE: Final = frozenset({"filter", "search", "opinion-comment"})
"""Actions after which keys are letters: they act before the next key is handed out."""


ACTIONS: Final[tuple[Action, ...]] = (
    Action("help", ("question_mark",), "Help", "Every key here and now.", "app", "app.help", True),
    Action(
        "palette",
        ("ctrl+p", "colon"),
        "Palette",
        "Find and do any action by name.",
        "app",
        "app.command_palette",
    ),
    Action(
        "interrupt",
        ("ctrl+c",),
        "Cancel everything",
        "Cancel what runs; again within two seconds: quit.",
        "app",
        "app.interrupt",
    ),
    Action(
        "pause",
        ("p",),
        "Pause",
        "Stop starting work, or go on; what runs is finished.",
        "app",
        "app.pause",
    ),
    Action(
        "freeze",
        ("z",),
        "Freeze",
        "Hold the picture still, or let it live; work goes on behind it.",
        "app",
        "app.freeze",
    ),
    # The grid
    Action("quit", ("q",), "Quit", "Leave the app.", "grid", "app.leave", True),
    Action(
        "clear",
        ("escape",),
        "Clear",
        "Drop the filter, then the marks, then failures only.",
        "grid",
        "clear",
    ),
    Action(
        "open",
        ("enter",),
        "Open",
        "Read this case: reason, trace, files, inputs, logs, why.",
        "grid",
        "open",
        True,
    ),
    Action("rerun", ("r",), "Rerun", "Rerun this cell, or the marked ones.", "grid", "rerun", True),
    Action(
        "rerun-row",
        ("R",),
        "Rerun row",
        "Rerun every judge on this case.",
        "grid",
        "rerun_scope('row')",
    ),
    Action(
        "rerun-column",
        ("C",),
        "Rerun column",
        "Rerun this judge on every case.",
        "grid",
        "rerun_scope('column')",
    ),
    Action(
        "rerun-all",
        ("a",),
        "Rerun all",
        "Rerun everything; asks first when models would be called.",
        "grid",
        "rerun_scope('all')",
    ),
    Action(
        "rerun-failed",
        ("F",),
        "Rerun failed",
        "Rerun the cells that failed.",
        "grid",
        "rerun_scope('failed')",
    ),
    Action(
        "retry",
        ("t",),
        "Retry",
        "Retry what was not measured and might be now; failed cells are left alone.",
        "grid",
        "rerun_scope('retryable')",
    ),
    Action(
        "run-waiting",
        ("dollar_sign",),
        "Run what waits",
        "Run the cells that wait for a go-ahead; asks first when models would be called.",
        "grid",
        "rerun_scope('waiting')",
    ),
    Action(
        "rerun-forced",
        ("ctrl+r",),
        "Rerun for certain",
        "Rerun this cell, or the marked ones, even if a stored value is still valid.",
        "grid",
        "rerun_forced",
    ),
    Action(
        "cancel",
        ("x",),
        "Cancel",
        "Cancel the marked cells, or the one under the cursor.",
        "grid",
        "cancel",
    ),
    Action(
        "failures",
        ("f",),
        "Failures only",
        "Show only cases with a failure, or all again.",
        "grid",
        "failures",
        True,
    ),
    Action(
        "filter",
        ("slash",),
        "Filter",
        "Show only cases that are like this: words, states, values, annotations.",
        "grid",
        "filter",
        True,
    ),
    Action("next-failure", ("n",), "Next failure", "Go to the next failure.", "grid", "failure(1)"),
    Action(
        "previous-failure",
        ("N",),
        "Previous failure",
        "Go to the previous failure.",
        "grid",
        "failure(-1)",
    ),
    Action("mark", ("space",), "Mark", "Mark this cell, or unmark it.", "grid", "mark"),
    Action(
        "mark-range",
        ("v",),
        "Mark a range",
        "Begin a range here; again elsewhere: mark all cells between.",
        "grid",
        "mark_range",
    ),
    Action(
        "sort",
        ("s",),
        "Sort",
        "Sort by this judge: worst first, best first, as in the dataset. The order then stays.",
        "grid",
        "sort",
    ),
    Action(
        "unfold", ("o",), "Unfold", "Columns for this judge's parts, or none.", "grid", "unfold"
    ),
    Action(
        "changes",
        ("d",),
        "What changed",
        "List what changed since the baseline, in groups.",
        "grid",
        "changes",
    ),
    Action(
        "bless",
        ("b",),
        "Bless as baseline",
        "Make this run, as it is now, what cells are compared with.",
        "grid",
        "bless",
    ),
    Action(
        "drop-baseline",
        ("B",),
        "Drop the baseline",
        "Compare with nothing any more.",
        "grid",
        "drop_baseline",
    ),
    Action(
        "side-by-side",
        ("equals_sign",),
        "Side by side",
        "Every value beside that of the baseline, or of a run to choose; or this run alone again.",
        "grid",
        "side_by_side",
    ),
    Action(
        "other-run",
        ("plus",),
        "Side by side with",
        "Choose the run that this one is shown side by side with.",
        "grid",
        "other_run",
    ),
    Action(
        "groups",
        ("S",),
        "Groups",
        "Count the cells by what became of them, by kind of judge and by annotation.",
        "grid",
        "groups",
    ),
    Action(
        "over-runs",
        ("H",),
        "Over the runs",
        "This cell and this judge's figure in one run after the other.",
        "grid",
        "over_runs",
    ),
    Action("lenses", ("L",), "Saved filters", "Save this filter, or use one.", "grid", "lenses"),
    Action("copy", ("y",), "Copy", "Copy the text of this cell.", "grid", "copy"),
    Action(
        "edit",
        ("e",),
        "Edit judge",
        "Open the config in $EDITOR at this judge.",
        "grid",
        "edit",
    ),
    Action("runs", ("m",), "Runs", "Choose a run.", "grid", "runs", True),
    Action("evals", ("E",), "Evals", "Choose an eval.", "grid", "evals"),
    Action(
        "problems",
        ("P",),
        "Problems",
        "What is wrong with the project's files.",
        "grid",
        "problems",
        True,
    ),
    Action(
        "older-run",
        ("left_square_bracket", "less_than_sign"),
        "Previous run",
        "Look at the run before this one.",
        "grid",
        "step_run(1)",
    ),
    Action(
        "newer-run",
        ("right_square_bracket", "greater_than_sign"),
        "Next run",
        "Look at the run after this one.",
        "grid",
        "step_run(-1)",
    ),
    Action(
        "write-summary",
        ("w",),
        "Write summary",
        "Write the scores into the run's summary.yaml, where other tools read them.",
        "grid",
        "write_summary",
    ),
    Action(
        "authority",
        ("A",),
        "Ground truth",
        "What decides as ground truth, and who has accepted it.",
        "grid",
        "authority",
    ),
    Action(
        "opinion",
        ("V",),
        "Your verdict",
        "Say what you think of this case; kept in review.yaml beside the run.",
        "grid",
        "app.opinion",
    ),
    Action(
        "disagreements",
        ("D",),
        "Disagreements",
        "Where a judge says something else than you.",
        "grid",
        "app.disagreements",
    ),
    Action(
        "spoken",
        ("T",),
        "Text preview",
        "The preview in whole sentences, as a screen reader wants it, or with marks.",
        "grid",
        "spoken",
    ),
    *CASE_ACTIONS,
    *SIDE_ACTIONS,
)


_own_keys: dict[str, tuple[str, ...]] = {}


def use_keys(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Put a person's own keys in place of the usual ones, by action id.

    Called before the screens are imported: their bindings are made with their classes.
    """
    _own_keys.clear()
    _own_keys.update(keys)


def actions_in(context: Context) -> tuple[Action, ...]:
    """The actions of one context, behind those of what it is a kind of, with the keys in force."""
    return tuple(
        replace(action, keys=_own_keys.get(action.id, action.keys))
        for layer in layers(context)
        for action in ACTIONS
        if action.context == layer
    )


def actions_here(context: Context) -> tuple[Action, ...]:
    """The actions that are available in a context: its own and those of the whole app."""
    own = actions_in(context)
    return own if context == "app" else own + actions_in("app")


def bindings(context: Context) -> list[Binding]:
    """Textual bindings of one context, one for each key."""
    return [
        Binding(
            key,
            action.method,
            action.title,
            show=False,
            key_display=key_name(key),
            priority=key in PRIORITY_KEYS or action.id in AT_ONCE,
        )
        for action in actions_in(context)
        for key in action.keys
    ]
