"""The source of a judge's template: its prompt, what is put around it, and where each line stands."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tui.config.decoding import decode
from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.schema import MODEL_BUILTINS, Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.model.builtin_prompts import builtin_prompt

MAX_FILE = 8_000_000
"""Bytes above which a prompt or context file is refused; the config's loader has the same limit."""

_CONVERSATION = re.compile(r"\{\{[-+]?\s*conversation\b")


@dataclass(frozen=True)
class Piece:
    """A run of lines of the template's source that stand together somewhere."""

    text: str
    file: str = ""
    """Absolute path, or empty for text of our own."""
    line: int = 1
    """1-based line in the file of the piece's first line; 0 if unknown."""


@dataclass(frozen=True)
class Place:
    """Where a line of a template stands for its author."""

    file: str
    line: int

    def __str__(self) -> str:
        if not self.file:
            return f"the built-in prompt, line {self.line}"
        name = os.path.basename(self.file)
        return f"{name}, line {self.line}" if self.line else name


class Source:
    """A template's whole text, which knows the place of each of its lines."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._starts: list[tuple[int, Piece]] = []
        line = 1
        for piece in pieces:
            self._starts.append((line, piece))
            line += piece.text.count("\n")
        self.text = "".join(piece.text for piece in pieces)
        self.is_ours = not pieces[0].file
        """Whether the instructions are of our own; they are written with blocks on their own lines."""

    def place(self, line: int) -> Place:
        """The place of a 1-based line of the whole text."""
        start, piece = self._starts[0]
        for number, candidate in self._starts:
            # Text of our own is nobody's mistake: an error in it was made in front of it.
            if number <= line and candidate.file:
                start, piece = number, candidate
        last = start + piece.text.count("\n")
        return Place(piece.file, piece.line + min(line, last) - start if piece.line else 0)


def judge_source(judge: Judge, env: JudgeEnv) -> Source:
    """The template of a model judge. Raises JudgeUnusable when a file cannot be read.

    A rubric that does not show the conversation gets it appended; prompts stay as they are.
    Context files follow under headings and are part of the template (harness.md 11, D47).
    """
    if judge.builtin in MODEL_BUILTINS:
        return Source([Piece(builtin_prompt(judge.builtin))])
    pieces = instructions(judge, env)
    if judge.llm_rubric and not _CONVERSATION.search(judge.llm_rubric):
        pieces.append(Piece("\n\n## The agent's conversation\n\n{{ conversation|fenced }}\n"))
    return Source(pieces + context_pieces(judge))


def instructions(judge: Judge, env: JudgeEnv) -> list[Piece]:
    """The judge's own words: its rubric, else its prompt, else its prompt file."""
    inline = judge.llm_rubric or judge.prompt
    if inline:
        return [Piece(inline, env.config_path, judge.prompt_line)]
    if not judge.prompt_path:
        raise JudgeUnusable("this judge has no prompt", "add `prompt: ...`", judge.line)
    return [Piece(_read(judge.prompt_path, judge), judge.prompt_path)]


def context_pieces(judge: Judge) -> list[Piece]:
    """The judge's context files, each below a heading with its name as written."""
    pieces: list[Piece] = []
    for path in judge.context_paths:
        name = _shown_name(path, judge.context)
        pieces += [Piece(f"\n\n## {name}\n\n"), Piece(_read(path, judge), path)]
    return pieces


def _shown_name(path: str, written: Sequence[str]) -> str:
    ends = [name for name in written if path.endswith(os.sep + name.lstrip("./"))]
    name = max(ends, key=len, default=os.path.basename(path))
    return name.replace("{", "(").replace("\n", " ")  # a name is no part of the template


def _read(path: str, judge: Judge) -> str:
    try:
        return decode(read_file(path, MAX_FILE)).text
    except UnreadableFile as error:
        detail = f"`{os.path.basename(path)}` cannot be read: {error}"
        raise JudgeUnusable(detail, line=judge.line) from None
