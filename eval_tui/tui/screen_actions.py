"""The actions of the screens that are opened from the grid: of a case, of lists, of questions."""

from __future__ import annotations

from typing import Final

from eval_tui.tui.action import Action

CASE_ACTIONS: Final[tuple[Action, ...]] = (
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
        "tab-request",
        ("8",),
        "Request",
        "What the model would be asked now, what that takes, and what is new in it.",
        "case",
        "tab('request')",
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
    Action(
        "fold",
        ("o",),
        "Fold",
        "Fold or unfold this entry of the trace, folder or value.",
        "case",
        "fold",
    ),
    Action(
        "file-diff",
        ("d",),
        "Compare a file",
        "In the files: what changed against the baseline, the dataset's file or the original.",
        "case",
        "diff",
    ),
    Action(
        "file-beside",
        ("s",),
        "Side by side",
        "In the files: changes side by side, or in one text.",
        "case",
        "beside",
    ),
    Action(
        "file-raw",
        ("v",),
        "As text",
        "In the files: the text itself, or rendered, as a tree, as a table.",
        "case",
        "raw",
    ),
    Action(
        "narrow",
        ("t",),
        "Only this tool",
        "In the trace: only entries of the tool under the cursor, or all again.",
        "case",
        "narrow",
    ),
    Action(
        "next-cited",
        ("c",),
        "Next cited",
        "Go to the next tool call, file or words that the reason cites.",
        "case",
        "cited(1)",
        True,
    ),
    Action(
        "previous-cited",
        ("C",),
        "Previous cited",
        "Go to what the reason cites before that.",
        "case",
        "cited(-1)",
    ),
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
    Action(
        "case-opinion",
        ("V",),
        "Your verdict",
        "Say what you think of this case; kept in review.yaml beside the run.",
        "case",
        "app.opinion",
    ),
)

SIDE_ACTIONS: Final[tuple[Action, ...]] = (
    # Lists: runs, evals, problems
    Action("list-back", ("escape", "q"), "Back", "Back to the grid.", "list", "back", True),
    Action("list-open", ("enter",), "Open", "Open what is highlighted.", "list", "open", True),
    Action("list-copy", ("y",), "Copy", "Copy the text of this entry.", "list", "copy"),
    Action(
        "list-edit", ("e",), "Edit", "Open the file in $EDITOR at the line.", "list", "edit", True
    ),
    # The list of runs
    Action("run-mark", ("space",), "Mark", "Mark this run, or unmark it.", "runs", "mark", True),
    Action(
        "run-trials",
        ("t",),
        "As trials",
        "Show the marked runs as trials of one configuration; with none marked: no longer.",
        "runs",
        "trials",
        True,
    ),
    # The person's own verdict
    Action(
        "opinion-back",
        ("escape",),
        "Back",
        "Leave the text, then the case.",
        "opinion",
        "back",
        True,
    ),
    Action("opinion-pass", ("1",), "Passed", "Your verdict: passed.", "opinion", "verdict('pass')"),
    Action("opinion-fail", ("2",), "Failed", "Your verdict: failed.", "opinion", "verdict('fail')"),
    Action("opinion-none", ("3",), "None", "No verdict of yours.", "opinion", "verdict('none')"),
    Action("opinion-comment", ("c",), "Comment", "Write a comment.", "opinion", "comment", True),
    Action(
        "opinion-save",
        ("ctrl+s", "enter"),
        "Save",
        "Keep it in review.yaml; in a comment, Enter begins a line and ctrl+s saves.",
        "opinion",
        "save",
        True,
    ),
    # One declaration of ground truth
    Action("review-back", ("escape", "q"), "Back", "Back to the list.", "review", "back", True),
    Action(
        "review-accept",
        ("enter",),
        "Accept",
        "Accept this declaration as it is: asks for the metric's name.",
        "review",
        "accept",
        True,
    ),
    Action("review-copy", ("y",), "Copy", "Copy what is shown.", "review", "copy"),
    # Help
    Action("help-back", ("escape", "q"), "Back", "Back to where you were.", "help", "back", True),
    # A question before something that costs
    Action("yes", ("y", "enter"), "Yes", "Do it.", "confirm", "answer(True)", True),
    Action("no", ("n", "escape", "q"), "No", "Leave it.", "confirm", "answer(False)", True),
)
