"""The reference pages name everything that there is."""

import re
from pathlib import Path

import pytest

from eval_tui.config import judges, load, reward, settings
from eval_tui.tui.actions import ACTIONS, key_name

DOCS = Path(__file__).resolve().parents[1] / "docs"
SECTIONS = {
    "app": "Everywhere",
    "grid": "The grid",
    "case": "A case",
    "list": "Lists and questions",
    "confirm": "Lists and questions",
}


def section(page: str, title: str) -> str:
    """The text below one heading of the second level."""
    text = (DOCS / page).read_text("utf-8")
    return re.split(r"^## ", text.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


@pytest.mark.parametrize(
    "action", [a for a in ACTIONS if a.context in SECTIONS], ids=lambda a: a.id
)
def test_every_action_is_among_the_keys(action) -> None:
    text = section("keys.md", SECTIONS[action.context])
    for key in action.keys:
        name = key_name(key)
        if name in "1234567":
            name = "1` … `7"
        assert re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", text, re.IGNORECASE), name


@pytest.mark.parametrize(
    "key",
    sorted({*load._KEYS, *judges._KEYS, *reward._KEYS, *settings._EXECUTION, *settings._STEP}),
)
def test_every_key_of_the_config_is_described(key: str) -> None:
    assert f"`{key}`" in (DOCS / "config.md").read_text("utf-8")
