"""The registry of actions: no key does two things at one place, and every key comes from it."""

import re
from itertools import combinations
from typing import get_args

import pytest

from eval_tui.tui.actions import (
    ACTIONS,
    Context,
    actions_here,
    actions_in,
    bindings,
)
from eval_tui.tui.app import EvalApp
from eval_tui.tui.keys import MOVE_KEYS, key_name
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.screens.confirm import ConfirmScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.screens.help import HelpScreen, help_groups
from eval_tui.tui.screens.lists import ListScreen
from eval_tui.tui.screens.opinion import OpinionScreen
from eval_tui.tui.screens.review import ReviewScreen
from eval_tui.tui.screens.runs import RunsScreen

CONTEXTS: tuple[Context, ...] = get_args(Context)
HOMES: dict[Context, type] = {
    "app": EvalApp,
    "grid": GridScreen,
    "case": CaseScreen,
    "list": ListScreen,
    "runs": RunsScreen,
    "review": ReviewScreen,
    "opinion": OpinionScreen,
    "help": HelpScreen,
    "confirm": ConfirmScreen,
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_key_has_two_actions_in_one_context(context: Context):
    for first, second in combinations(actions_here(context), 2):
        shared = set(first.keys) & set(second.keys)
        assert not shared, f"{shared}: {first.id} and {second.id}"


def test_keys_that_move_are_never_actions():
    for action in ACTIONS:
        assert not set(action.keys) & MOVE_KEYS, action.id


def test_ids_are_unique():
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_action_has_its_method(context: Context):
    for action in actions_in(context):
        name = re.match(r"(app\.)?(\w+)", action.method)
        assert name
        home = EvalApp if name[1] else HOMES[context]
        assert callable(getattr(home, f"action_{name[2]}", None)), action.id


@pytest.mark.parametrize("context", CONTEXTS)
def test_the_bindings_of_a_screen_come_from_the_registry(context: Context):
    own = {(binding.key, binding.action) for binding in bindings(context)}
    declared = HOMES[context].__dict__["BINDINGS"]
    bound = {(b.key, b.action) for b in declared if b.key not in MOVE_KEYS}
    assert bound == own


@pytest.mark.parametrize("context", ["grid", "case", "list", "runs", "review", "opinion"])
def test_help_lists_every_key_here(context: Context):
    listed = " ".join(keys for _, entries in help_groups(context) for keys, _ in entries).split()
    for action in actions_here(context):
        for key in action.keys:
            assert key_name(key) in listed
