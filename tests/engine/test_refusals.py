"""Which refusals are about the key and which about one request."""

from eval_tui.engine.failures import Failure
from eval_tui.engine.refusals import Door, Refusals
from eval_tui.scores import Reason

HERE, ELSEWHERE = Door("mark", "model"), Door("mark", "other model")


def refusal(status: int = 401) -> Failure:
    return Failure(Reason.MISSING_SECRET, f"{status}", status=status)


def test_one_case_however_often_it_is_refused_says_nothing_of_the_key() -> None:
    refusals = Refusals()
    assert not refusals.turned_away(HERE, "one", refusal())
    assert not refusals.turned_away(HERE, "one", refusal())
    assert not refusals.turned_away(HERE, "other", refusal(403))  # for another reason
    assert refusals.at(HERE) is None


def test_two_cases_refused_alike_close_the_door_of_their_model_only() -> None:
    refusals = Refusals()
    refusals.turned_away(HERE, "one", refusal())
    assert refusals.turned_away(HERE, "two", refusal())
    assert not refusals.turned_away(HERE, "three", refusal())  # it is closed already
    assert refusals.at(HERE) == refusal()
    assert refusals.at(ELSEWHERE) is None
    assert refusals.at(Door("another mark", "model")) is None


def test_an_answer_opens_the_door_again() -> None:
    refusals = Refusals()
    refusals.turned_away(HERE, "one", refusal())
    assert not refusals.let_in(HERE)
    refusals.turned_away(HERE, "two", refusal())
    assert refusals.at(HERE) is None
    refusals.turned_away(HERE, "three", refusal())
    assert refusals.let_in(HERE)
    assert refusals.at(HERE) is None


def test_who_asks_again_starts_from_the_beginning() -> None:
    refusals = Refusals()
    refusals.turned_away(HERE, "one", refusal())
    refusals.turned_away(HERE, "two", refusal())
    refusals.forget()
    assert refusals.at(HERE) is None
    assert not refusals.turned_away(HERE, "three", refusal())
