"""Every action of the app with its keys, as data: bindings, help and palette come from here.

Moving (`MOVES`) is no action: its keys belong to whatever has the focus and mean the same
everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding

from eval_tui.tui.keys import key_name

Context = Literal["app", "grid", "case", "list", "help", "confirm"]
"""Where an action is available. `app`: everywhere; `list`: runs, evals, problems."""

PRIORITY_KEYS: Final = frozenset({"ctrl+c", "ctrl+p"})
"""Keys that act even while a text input has the focus."""

AT_ONCE_KEYS: Final = frozenset({"slash"})
"""Keys after which the next one means something else: they act before it is handed out."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `method` is a Textual action, found on the context's screen."""

    id: str
    keys: tuple[str, ...]
    title: str
    """For the palette and the line of hints: a verb and at most three words."""
    help: str
    """One sentence for the help screen."""
    context: Context
    method: str
    hint: bool = False
    """Shown in the line of hints at the bottom of the screen."""


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
        "Show only cases whose name contains a text.",
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
        "Sort by this judge: worst first, best first, as in the dataset.",
        "grid",
        "sort",
    ),
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
    # Lists: runs, evals, problems
    Action("list-back", ("escape", "q"), "Back", "Back to the grid.", "list", "back", True),
    Action("list-open", ("enter",), "Open", "Open what is highlighted.", "list", "open", True),
    Action("list-copy", ("y",), "Copy", "Copy the text of this entry.", "list", "copy"),
    Action(
        "list-edit", ("e",), "Edit", "Open the file in $EDITOR at the line.", "list", "edit", True
    ),
    # The case screen
    Action(
        "case-back",
        ("escape", "q"),
        "Back",
        "End the search, then back to the grid.",
        "case",
        "back",
        True,
    ),
    Action("tab-reason", ("1",), "Reason", "The reason or rationale.", "case", "tab('reason')"),
    Action("tab-trace", ("2",), "Trace", "What the agent said and did.", "case", "tab('trace')"),
    Action("tab-files", ("3",), "Files", "The files of this case.", "case", "tab('files')"),
    Action(
        "tab-inputs", ("4",), "Inputs", "The input and its annotations.", "case", "tab('inputs')"
    ),
    Action("tab-logs", ("5",), "Logs", "Metrics, stderr and stdout.", "case", "tab('logs')"),
    Action(
        "tab-why", ("6",), "Why", "What it read, what changed, when it ran.", "case", "tab('why')"
    ),
    Action(
        "tab-history", ("7",), "History", "Older results of this cell.", "case", "tab('history')"
    ),
    Action(
        "next-case",
        ("n",),
        "Next failed case",
        "The next case that failed this judge; while searching, the next match.",
        "case",
        "next(1)",
        True,
    ),
    Action(
        "previous-case",
        ("N",),
        "Previous failed case",
        "The previous case that failed this judge; while searching, the previous match.",
        "case",
        "next(-1)",
    ),
    Action(
        "next-error",
        ("full_stop",),
        "Next error",
        "The next error in the trace.",
        "case",
        "error(1)",
    ),
    Action(
        "previous-error",
        ("comma",),
        "Previous error",
        "The previous error in the trace.",
        "case",
        "error(-1)",
    ),
    Action("fold", ("o",), "Fold", "Fold or unfold this entry of the trace.", "case", "fold"),
    Action("search", ("slash",), "Search", "Search in what is shown.", "case", "search", True),
    Action("wrap", ("w",), "Wrap", "Wrap long lines, or cut them.", "case", "wrap"),
    Action("case-rerun", ("r",), "Rerun", "Rerun this judge on this case.", "case", "rerun", True),
    Action(
        "case-rerun-forced",
        ("ctrl+r",),
        "Rerun for certain",
        "Rerun this judge on this case even if a stored value is still valid.",
        "case",
        "rerun_forced",
    ),
    Action("case-cancel", ("x",), "Cancel", "Cancel this judge on this case.", "case", "cancel"),
    Action(
        "case-copy",
        ("y",),
        "Copy",
        "Copy what is selected, else the text in view.",
        "case",
        "copy",
        True,
    ),
    Action(
        "case-edit",
        ("e",),
        "Edit",
        "Open the file behind what is shown in $EDITOR.",
        "case",
        "edit",
        True,
    ),
    # Help
    Action("help-back", ("escape", "q"), "Back", "Back to where you were.", "help", "back", True),
    # A question before something that costs
    Action("yes", ("y", "enter"), "Yes", "Do it.", "confirm", "answer(True)", True),
    Action("no", ("n", "escape", "q"), "No", "Leave it.", "confirm", "answer(False)", True),
)


def actions_in(context: Context) -> tuple[Action, ...]:
    """The actions of one context alone."""
    return tuple(action for action in ACTIONS if action.context == context)


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
            priority=key in PRIORITY_KEYS | AT_ONCE_KEYS,
        )
        for action in actions_in(context)
        for key in action.keys
    ]
