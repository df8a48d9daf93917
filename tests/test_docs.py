"""The reference pages name everything that there is."""

import re
from pathlib import Path

import pytest

from eval_tui.config import judges, load, reward, settings
from eval_tui.config.grader_kinds import IMPLEMENTATIONS, NOT_HERE
from eval_tui.tui.actions import ACTIONS, key_name

DOCS = Path(__file__).resolve().parents[1] / "docs"
SECTIONS = {
    "app": "Everywhere",
    "grid": "The grid",
    "case": "A case",
    "list": "Lists and questions",
    "runs": "Lists and questions",
    "review": "Lists and questions",
    "confirm": "Lists and questions",
    "opinion": "Your verdict",
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
        if action.context == "case" and name in "1234567":
            name = "1` … `7"
        assert re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", text, re.IGNORECASE), name


def test_every_action_that_may_have_another_key_is_named() -> None:
    text = section("keys.md", "Keys of your own")
    assert {f"`{action.id}`" for action in ACTIONS} <= set(re.findall(r"`[^`\n]+`", text))


@pytest.mark.parametrize(
    "key",
    sorted({*load._KEYS, *judges._KEYS, *reward._KEYS, *settings._EXECUTION, *settings._STEP}),
)
def test_every_key_of_the_config_is_described(key: str) -> None:
    assert f"`{key}`" in (DOCS / "config.md").read_text("utf-8")


@pytest.mark.parametrize("name", sorted({*IMPLEMENTATIONS, *NOT_HERE}))
def test_every_grader_is_described(name: str) -> None:
    assert f"`{name}`" in (DOCS / "graders.md").read_text("utf-8")


@pytest.mark.parametrize(
    "key", sorted({key for made in IMPLEMENTATIONS.values() for key in made.keys})
)
def test_every_key_of_a_grader_is_described(key: str) -> None:
    text = (DOCS / "graders.md").read_text("utf-8")
    assert re.search(rf"`(config\.)?{key}[`:]", text), key


@pytest.mark.parametrize(
    "page", [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name
)
def test_every_link_to_a_file_leads_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)", page.read_text("utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]
