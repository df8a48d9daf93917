"""The script with which the supervisor process starts, under the interpreter of the judges (D50).

It makes our own package importable from its own folder without putting our site-packages on the
path, and lends PyYAML, Jinja2 and msgspec to an interpreter that has none. It is parsed by any
Python 3.6, so that a Python that is too old can say so.
"""

import importlib.util
import json
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from typing import Any, Dict, Optional  # noqa: UP035

OLDEST = (3, 10)


class Lender:
    """The last finder on `sys.meta_path`: our copies of a few libraries, by their folders."""

    def __init__(self, folders: "Dict[str, str]") -> None:  # noqa: UP006
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> "Optional[ModuleSpec]":  # noqa: UP045
        if path is not None or name not in self.folders:
            return None
        return PathFinder.find_spec(name, [self.folders[name]])


def lend(folders: "Dict[str, str]", extension_suffix: str) -> None:  # noqa: UP006
    """Lend libraries; those in C only to an interpreter that loads the same binaries."""
    if EXTENSION_SUFFIXES[0] != extension_suffix:
        folders = {name: folder for name, folder in folders.items() if name != "msgspec"}
    sys.meta_path.append(Lender(folders))  # type: ignore[arg-type]


def register(package: str) -> None:
    """Import the package `eval_tui` from its folder, whatever the path says."""
    spec = importlib.util.spec_from_file_location(
        "eval_tui", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    if spec is None or spec.loader is None:
        raise ImportError("cannot load eval_tui from " + package)
    module = importlib.util.module_from_spec(spec)
    sys.modules["eval_tui"] = module
    spec.loader.exec_module(module)


def main() -> None:
    if sys.version_info < OLDEST:
        version = ".".join(str(part) for part in sys.version_info[:3])
        sys.exit("%s is Python %s; judges need Python 3.10 or later" % (sys.executable, version))  # noqa: UP031
    here = os.path.dirname(os.path.abspath(__file__))
    # A script's own folder and the current folder come first on the path; our modules and the
    # project's must not be taken for those of the standard library.
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != here]
    options = json.loads(sys.argv[1])
    sys.argv[:] = ["eval-tui-worker"]
    lend(options["lent"], options["extension_suffix"])
    register(options["package"])
    from eval_tui.engine.supervise import main as supervise

    supervise(options["fd"], options["evaluate"], options["root"])


if __name__ == "__main__":
    main()
