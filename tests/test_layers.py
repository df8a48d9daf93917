"""What may import what, checked on real imports and by import-linter's contracts."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import eval_tui.engine

ROOT = Path(__file__).resolve().parents[1]
ENGINE = sorted(
    module.name for module in pkgutil.walk_packages(eval_tui.engine.__path__, "eval_tui.engine.")
)


def loaded_after(code: str) -> set[str]:
    """Top-level names in `sys.modules` after running `code` in a fresh interpreter."""
    report = "import sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_the_engine_brings_in_neither_screen_nor_model_client() -> None:
    heavy = {"textual", "rich", "anthropic"}
    told = f"if {heavy} & sys.modules.keys(): sys.exit('import ' + module)"
    code = f"import sys\nfor module in {ENGINE}:\n    __import__(module)\n    {told}"
    assert not loaded_after(code) & heavy


def test_asking_for_the_version_loads_nothing_heavy() -> None:
    code = "from eval_tui.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    heavy = {"textual", "rich", "anthropic", "jinja2", "watchfiles"}
    assert not loaded_after(code) & heavy


def test_the_contracts_hold() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
