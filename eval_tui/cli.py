"""The commands: the app by default, `score`, `check`, `explain`.

Kept light: what a command needs is imported inside it. Where results are waited for, the supervisor
is started first, so that the workers get ready while the rest is being imported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from eval_tui import __version__
from eval_tui.cli_authority import authority
from eval_tui.cli_init import init_command
from eval_tui.cli_open import open_command
from eval_tui.cli_options import (
    AT_REST,
    Amount,
    baseline_option,
    baseline_trials_option,
    compare_options,
    document_options,
    look_options,
    project_options,
    run_options,
)
from eval_tui.cli_plugins import plugins_command

if TYPE_CHECKING:
    from eval_tui.engine.project import Options
    from eval_tui.engine.supervisor import SupervisorFactory
    from eval_tui.results.exit_code import FailOn

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
        _open_streams()
        try:
            try:
                return super().invoke(ctx)
            finally:
                _flush()
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)
        except BrokenPipeError:
            from eval_tui.output import silence

            silence()
            sys.exit(128 + signal.SIGPIPE)


def _open_streams() -> None:
    """Without an output of ours the next file that is opened would be taken for one."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nowhere)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from eval_tui.output import lost

        lost(error)


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
@compare_options
@look_options
@click.option("--bell", is_flag=True, help="Ring the terminal's bell when long work ends.")
def app_command(theme: str | None, plain: bool, no_mouse: bool, bell: bool, **given: Any) -> None:
    """Open the app on a project or an eval config. Without PATH: on the current folder."""
    gc.disable()  # nothing of what is imported now is garbage; the driver enables it again
    from eval_tui.tui.keymap import take_keys

    problems = take_keys()  # the screens are made with them
    from eval_tui.engine.driver import Driver
    from eval_tui.tui.run import run_app
    from eval_tui.tui.state import load_state, resumed, state_path

    options, supervisors = begin(given)  # last: the first frame shares the machine with nobody
    state = state_path(options.root)
    options = resumed(options, load_state(state))

    def watcher(on_change: Callable[[Any], None]) -> Any:
        from eval_tui.watch import Watcher

        return Watcher(on_change, poll=options.poll)

    driver = Driver(options, supervisors, watcher)
    looks: dict[str, Any] = {"theme": theme, "ascii": plain, "mouse": not no_mouse, "bell": bell}
    sys.exit(run_app(driver, **looks, state=state, key_problems=problems))


@main.command()
@project_options
@run_options
@compare_options
@baseline_trials_option
@click.option("--judge", "judges", multiple=True, metavar="J", help="Only this judge; repeatable.")
@click.option("--case", "cases", multiple=True, metavar="C", help="Only this case; repeatable.")
@click.option("--no-llm", is_flag=True, help="Leave judges that ask a model alone.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="Ask each model judge N times, whatever it says itself; built-in ones are asked once.",
)
@click.option("--force", is_flag=True, help="Run everything, whatever is known.")
@click.option("--no-hooks", is_flag=True, help="Do not run the config's before_scoring hooks.")
@click.option(
    "--max-unmeasured",
    type=Amount(0, 1),
    default=1.0,
    metavar="F",
    help="A gate cannot be told when more than this share is unmeasured (1).",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["fail", "unmeasured", "regression", "never"]),
    help="Besides the gates: cells without a measurement, or anything worse than in the baseline;"
    " repeatable. never: not even the gates.",
)
@click.option(
    "--tolerance",
    type=Amount(min=0),
    default=None,
    metavar="F",
    help="How far a figure may fall below the baseline, where no max_drop says it.",
)
@click.option(
    "--compat",
    is_flag=True,
    help="Compare as agent-eval-harness does: judges with thresholds, by half a point.",
)
@document_options("table")
@click.option(
    "--annotations",
    type=click.Choice(["github"]),
    default=None,
    help="Tell gates, regressions and problems to this CI as notes on files.",
)
@click.option(
    "--write-summary",
    is_flag=True,
    help="Write the scores into the run's summary.yaml, where other tools read them.",
)
@click.option(
    "--dask",
    default="",
    metavar="ADDRESS",
    help="Judge on the Dask cluster with this scheduler, e.g. tcp://HOST:8786.",
)
@click.option("--all", "every", is_flag=True, help="Score every eval of the project; one summary.")
def score(
    judges: tuple[str, ...],
    cases: tuple[str, ...],
    no_llm: bool,
    samples: int | None,
    force: bool,
    no_hooks: bool,
    max_unmeasured: float,
    fail_on: tuple[FailOn, ...],
    tolerance: float | None,
    compat: bool,
    form: str,
    output: str,
    annotations: Literal["github"] | None,
    write_summary: bool,
    every: bool,
    dask: str,
    baseline_trials: tuple[str, ...],
    **given: Any,
) -> None:
    """Score a run and print the result. The exit code says whether its gates pass."""
    if no_llm:
        given["auto"] = "off"
    if "never" in fail_on and len(set(fail_on)) > 1:
        raise click.UsageError("--fail-on never leaves nothing else to fail on")
    if not given["baseline"]:
        asked = {
            "--fail-on regression": "regression" in fail_on,
            "--tolerance": tolerance is not None,
            "--compat": compat,
            "--baseline-trial": bool(baseline_trials),
        }
        for name in filter(asked.get, asked):
            raise click.UsageError(f"{name} needs a run to compare with: --baseline RUN")
    if every:
        _check_all(given, form)
    options, supervisors = begin(
        given,
        judges=frozenset(judges) or None,
        cases=frozenset(cases) or None,
        force=force,
        samples=samples or 0,
        dask=dask,
    )
    from eval_tui import headless

    wanted = headless.ScoreOptions(
        form,
        output,
        not no_hooks,
        max_unmeasured,
        frozenset(fail_on),
        tolerance,
        compat,
        annotations or "",
        write_summary,
        baseline_trials,
    )
    if every:
        from eval_tui.all_evals import score_all

        sys.exit(score_all(options, supervisors, wanted))
    sys.exit(headless.score(options, supervisors, wanted))


def _check_all(given: dict[str, Any], form: str) -> None:
    """Raises UsageError for what makes no sense for several evals."""
    if form not in ("table", "json"):
        raise click.UsageError(f"--all is written as table or json, not as {form}")
    if given["eval_name"] or (given["path"] and os.path.isfile(given["path"])):
        raise click.UsageError("--all scores every eval of a folder: name no eval")


@main.command()
@project_options
@baseline_option
@baseline_trials_option
@document_options("html", "everdict")
def export(form: str, output: str, baseline_trials: tuple[str, ...], **given: Any) -> None:
    """Write what is known of a run, as one document. Nothing is judged."""
    if baseline_trials and not given["baseline"]:
        raise click.UsageError("--baseline-trial needs --baseline RUN, which it repeats")
    options, supervisors = begin({**given, **AT_REST})
    from eval_tui import headless

    never: frozenset[FailOn] = frozenset({"never"})
    wanted = headless.ScoreOptions(
        form, output, hooks=False, fail_on=never, baseline_trials=baseline_trials
    )
    sys.exit(headless.score(options, supervisors, wanted))


@main.command()
@project_options
@run_options
def check(**given: Any) -> None:
    """Say what was found in a project, and what is wrong with it."""
    options, supervisors = begin(given)
    from eval_tui import headless

    sys.exit(headless.check(options, supervisors))


@main.command()
@click.argument("case")
@click.argument("judge")
@project_options
@run_options
@compare_options
@click.option("--prompt", is_flag=True, help="Print exactly what a model judge would be asked.")
def explain(case: str, judge: str, prompt: bool, **given: Any) -> None:
    """Say why a cell has its value, and what that rests on."""
    options, supervisors = begin(given)
    from eval_tui import headless

    sys.exit(headless.explain(options, supervisors, case, judge, prompt))


main.add_command(authority)
main.add_command(init_command)
main.add_command(open_command)
main.add_command(plugins_command)


def begin(given: dict[str, Any], **more: Any) -> tuple[Options, SupervisorFactory]:
    """Work out the root, start the supervisor, and put the options together."""
    if given.get("pairwise") and not given["baseline"]:
        raise click.UsageError("--pairwise needs a run to compare with: --baseline RUN")
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
        judge_files=tuple(map(os.path.realpath, given.get("judge_files", ()))),
        judge_timeout=given["judge_timeout"],
        judge_memory=given["judge_memory"],
        auto=given["auto"],
        budget=given["budget"],
        concurrency=given["concurrency"],
        baseline=given.get("baseline", ""),
        pairwise=given.get("pairwise", False),
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
