"""Share of words that a dictionary knows. Needs the package `pyspellchecker`."""

import re

from spellchecker import SpellChecker

_checker = SpellChecker()


def misspelled(outputs):
    words = re.findall(r"[a-z]{3,}", outputs["files"]["output/reply.md"].lower())
    unknown = sorted(_checker.unknown(words))
    share = 1 - len(unknown) / len(words)
    return share, f"unknown words: {', '.join(unknown) or 'none'}"
