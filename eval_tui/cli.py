"""The commands: the app by default, `score`, `check`, `explain`.

Kept light: what a command needs is imported inside it, after the supervisor was started, so that
the workers get ready while the rest is being imported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from eval_tui import __version__

if TYPE_CHECKING:
    from eval_tui.engine.project import Options
    from eval_tui.engine.supervisor import SupervisorFactory

F = TypeVar("F", bound=Callable[..., Any])

APP = "app"
UNUSABLE = 2


class Unusable(click.ClickException):
    """The command cannot do anything here; the text says why."""

    exit_code = UNUSABLE


class Commands(click.Group):
    """The first word is a command if it is one; else everything belongs to the app."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "--version")):
            args = [APP, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An end from outside never looks like the answer of a gate."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)
        except BrokenPipeError:
            # What is still buffered goes nowhere, without another complaint at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(128 + signal.SIGPIPE)


def project_options(command: F) -> F:
    """Options of every command that reads a project."""
    for option in reversed(
        [
            click.argument("path", required=False, type=click.Path()),
            click.option("--root", type=click.Path(), help="The project's folder."),
            click.option("--eval", "eval_name", default="", help="The eval to open, by name."),
            click.option("--run", default="", help="The run to open; else the newest is followed."),
            click.option("--runs", default="", help="The folder that holds the runs."),
            click.option("--python", default="", help="The interpreter that judges run under."),
            click.option("--poll", is_flag=True, help="Look for changes without file events."),
            click.option(
                "--view", is_flag=True, help="Run nothing at all: show what is recorded and stored."
            ),
        ]
    ):
        command = option(command)
    return command


def run_options(command: F) -> F:
    """Options of commands that judge."""
    for option in reversed(
        [
            click.option(
                "--auto",
                type=click.Choice(["free", "paid", "off"]),
                default="free",
                help="Model calls made on their own: none, within the budget, or none ever (free).",
            ),
            click.option(
                "--budget",
                type=click.FloatRange(min=0),
                default=1.0,
                metavar="USD",
                help="What --auto paid may spend (1); inf: also on models whose price is not known.",
            ),
            click.option(
                "--concurrency",
                type=click.IntRange(min=1),
                default=8,
                metavar="N",
                help="Model calls under way at once (8).",
            ),
            click.option(
                "--judge-timeout",
                type=click.FloatRange(min=0.01),
                default=30.0,
                metavar="S",
                help="Seconds that one judge may take on one case (30).",
            ),
            click.option(
                "--judge-memory",
                type=click.IntRange(min=0),
                default=2048,
                metavar="MB",
                help="Memory that judges may use; 0 for no limit (2048).",
            ),
        ]
    ):
        command = option(command)
    return command


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Without a command, `eval-tui [OPTIONS] [PATH]` opens the app; see `eval-tui app --help`.",
)
@click.version_option(__version__, prog_name="eval-tui")
def main() -> None:
    """A live grid of cases x judges that re-runs only the judges whose inputs changed."""


@main.command(APP)
@project_options
@run_options
@click.option("--theme", default=None, help="The colours: a theme's name.")
@click.option("--ascii", "plain", is_flag=True, help="Use no characters beyond ASCII for marks.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
def app_command(theme: str | None, plain: bool, no_mouse: bool, **given: Any) -> None:
    """Open the app on a project folder or an eval config (default: the current folder)."""
    options, supervisors = begin(given)
    from eval_tui.engine.driver import Driver
    from eval_tui.tui.run import run_app

    def watcher(on_change: Callable[[Any], None]) -> Any:
        from eval_tui.watch import Watcher

        return Watcher(on_change, poll=options.poll)

    driver = Driver(options, supervisors, watcher)
    sys.exit(run_app(driver, theme=theme, ascii=plain, mouse=not no_mouse))


@main.command()
@project_options
@run_options
@click.option("--judge", "judges", multiple=True, metavar="J", help="Only this judge; repeatable.")
@click.option("--case", "cases", multiple=True, metavar="C", help="Only this case; repeatable.")
@click.option("--no-llm", is_flag=True, help="Leave judges that ask a model alone.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="Ask every model judge so often, whatever it says itself.",
)
@click.option("--force", is_flag=True, help="Run everything, whatever is known.")
@click.option("--no-hooks", is_flag=True, help="Do not run the config's before_scoring hooks.")
@click.option(
    "--max-unmeasured",
    type=click.FloatRange(0, 1),
    default=1.0,
    metavar="F",
    help="A gate cannot be told when more than this share is unmeasured (1).",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
@click.option("--output", default="", type=click.Path(), help="Write the document to this file.")
def score(
    judges: tuple[str, ...],
    cases: tuple[str, ...],
    no_llm: bool,
    samples: int | None,
    force: bool,
    no_hooks: bool,
    max_unmeasured: float,
    form: str,
    output: str,
    **given: Any,
) -> None:
    """Score a run and print the result; the exit code says whether its gates pass."""
    if no_llm:
        given["auto"] = "off"
    options, supervisors = begin(
        given,
        judges=frozenset(judges) or None,
        cases=frozenset(cases) or None,
        force=force,
        samples=samples or 0,
    )
    from eval_tui import headless

    wanted = headless.ScoreOptions(form, output, not no_hooks, max_unmeasured)
    sys.exit(headless.score(options, supervisors, wanted))


@main.command()
@project_options
@run_options
def check(**given: Any) -> None:
    """Say what was found in a project, and everything that is wrong with it."""
    options, supervisors = begin(given)
    from eval_tui import headless

    sys.exit(headless.check(options, supervisors))


@main.command()
@click.argument("case")
@click.argument("judge")
@project_options
@run_options
@click.option("--prompt", is_flag=True, help="Print exactly what a model judge would be asked.")
def explain(case: str, judge: str, prompt: bool, **given: Any) -> None:
    """Say why the cell of CASE and JUDGE has its value, and what it rests on."""
    options, supervisors = begin(given)
    from eval_tui import headless

    sys.exit(headless.explain(options, supervisors, case, judge, prompt))


def begin(given: dict[str, Any], **more: Any) -> tuple[Options, SupervisorFactory]:
    """Work out the root, start the supervisor, and put the options together."""
    gc.disable()  # nothing of what is imported now is garbage; the driver enables it again
    root, config = place(given["path"], given["root"])
    if not given["view"]:
        from eval_tui.engine import supervisor

        try:
            first = supervisor.start_supervisor(given["python"] or None, root)
        except supervisor.SupervisorError as exc:
            raise Unusable(str(exc)) from exc
        supervisors = supervisor.supervisors(given["python"] or None, root, first)
    else:
        supervisors = _no_workers
    from eval_tui.engine.project import Options

    options = Options(
        root=root,
        config=config,
        eval_name=given["eval_name"],
        run=given["run"],
        runs=os.path.abspath(given["runs"]) if given["runs"] else "",
        python=given["python"],
        poll=given["poll"],
        look_only=given["view"],
        judge_timeout=given["judge_timeout"],
        judge_memory=given["judge_memory"],
        auto=given["auto"],
        budget=given["budget"],
        concurrency=given["concurrency"],
        **more,
    )
    return options, supervisors


def _no_workers() -> Any:
    raise RuntimeError("nothing runs with --view")


def place(path: str | None, root: str | None) -> tuple[str, str]:
    """(project root, config file or empty) of what was named on the command line.

    Raises ClickException when it is not there.
    """
    start = os.path.realpath(path or root or ".")
    if not os.path.exists(start):
        raise click.UsageError(f"there is no {path or root}")
    chosen = os.path.realpath(root) if root else ""
    if chosen and not os.path.isdir(chosen):
        raise click.UsageError(f"--root {root} is no folder")
    if os.path.isdir(start):
        return chosen or start, ""
    from eval_tui.config.discovery import find_root

    return chosen or str(find_root(Path(start), Path.cwd())), start


if __name__ == "__main__":
    main()
