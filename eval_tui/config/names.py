"""Names: of evals, of runs, and what may stand as one part of a path."""

from __future__ import annotations

import os


def is_segment(text: str) -> bool:
    """Whether the text can name one file or folder: run ids, skills and steps must (D6)."""
    return (
        bool(text)
        and text not in (".", "..")
        and not any(char in "/\\" or ord(char) < 32 or ord(char) == 127 for char in text)
    )


def is_inner_path(text: str) -> bool:
    """Whether a path is relative, has no `..` and names something below its base."""
    parts = text.replace("\\", "/").split("/")
    return (
        bool(text)
        and not os.path.isabs(text)
        and "\0" not in text
        and ".." not in parts
        and any(part not in ("", ".") for part in parts)
    )


def sanitize(name: str) -> str:
    """Lower case, blanks to `-`, and only letters, digits and `. _ -` kept."""
    dashed = ("-" if char.isspace() else char for char in name.lower())
    return "".join(char for char in dashed if char.isalnum() or char in "._-")


def eval_name(config_path: str, name: str, skill: str) -> str:
    """The folder name of an eval's runs (harness.md section 2).

    The skill, else the name made fit for a folder, else a word from the config's path.
    """
    if is_segment(skill):
        return skill
    folder, base = os.path.split(config_path)
    stem = os.path.splitext(base)[0]
    cleaned = sanitize(name)
    if name != stem and is_segment(cleaned):
        return cleaned
    if base == "eval.yaml":
        above, parent = os.path.split(folder)
        return parent if os.path.basename(above) == "eval" else "eval"
    return stem
