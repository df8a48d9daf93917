"""Where a config's relative paths lead (D5)."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Base:
    """The places that relative paths start from: absolute paths."""

    root: str
    config_path: str

    @property
    def config_dir(self) -> str:
        return os.path.dirname(self.config_path)

    def dataset_bases(self) -> list[str]:
        """The config's folder, the root, then the folders between them from the root down."""
        between: list[str] = []
        folder = os.path.dirname(self.config_dir)
        while is_within(folder, self.root) and folder != self.root:
            between.append(folder)
            folder = os.path.dirname(folder)
        return list(dict.fromkeys([self.config_dir, self.root, *reversed(between)]))

    def material_bases(self) -> list[str]:
        """For prompts and context files: the root, then the config's folder."""
        return list(dict.fromkeys([self.root, self.config_dir]))

    def shown(self, path: str) -> str:
        """The path as a message names it: relative to the root where it lies inside."""
        return os.path.relpath(path, self.root) if is_within(path, self.root) else path


@dataclass(frozen=True)
class Found:
    """The first of some candidates that exists (empty if none), and those that do not."""

    path: str
    missing: tuple[str, ...]


def first_existing(relative: str, bases: list[str]) -> Found:
    """Looks for a path below each base in turn; an absolute path stands for itself."""
    missing: list[str] = []
    for base in bases:
        candidate = os.path.normpath(os.path.join(base, relative))
        if "\0" not in candidate and os.path.exists(candidate):
            return Found(candidate, tuple(missing))
        missing.append(candidate)
    return Found("", tuple(dict.fromkeys(missing)))


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies below it, by the text of both."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def really_within(path: str, folder: str) -> bool:
    """The same after following links."""
    return is_within(os.path.realpath(path), os.path.realpath(folder))
