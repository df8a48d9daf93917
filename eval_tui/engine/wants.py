"""What asking deals in: cells that want an answer, the calls for them, and the books that are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from eval_tui.engine.failures import Failure
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import NOTHING, Estimate, Policy, Reservation
from eval_tui.engine.questions import Question
from eval_tui.scores import Unmeasured

if TYPE_CHECKING:
    from eval_tui.engine.verdicts import Verdict
    from eval_tui.judges.model.request import Request

Hold = Literal["", "cancelled", "failed", "recorded", "older"]
"""Why a cell is asked about by key only: it was cancelled, the same would fail again (D36), there
is a recorded verdict, or an answer to an older wording of ours (D49)."""


@dataclass(slots=True)
class Want:
    """A cell whose requests are not all answered."""

    key: CellKey
    digest: str
    """Of all its requests together."""
    questions: list[Question]
    samples: int
    missing: set[int]
    """Places of the questions that have no answer yet."""
    forced: bool = False
    subject: str = ""
    """Digest of what the requests are about, apart from our own words; empty if not known."""
    estimate: Estimate = NOTHING
    """Of all its missing answers."""
    going: bool = False
    """May be sent; else it waits for the person."""
    confirmed: bool = False
    hold: Hold = ""
    keeps: bool = False
    """The value in view is for this very request: a failure does not take its place (D46)."""
    sent: set[int] = field(default_factory=set[int])
    failures: dict[int, Failure] = field(default_factory=dict[int, Failure])
    """By place: what came instead of an answer."""
    refusal: tuple[str, Failure] | None = None
    """The mark of the credentials with which it was turned away, and the words."""
    attempts: int = 0
    """How often the same was asked in vain (D36)."""
    not_before: float = 0.0
    """When it may be tried again without being asked to, by the session's clock."""

    @property
    def for_agent(self) -> bool:
        """Whether an agent is to be run, and no model asked."""
        return self.questions[0].request.for_agent

    @property
    def open(self) -> set[int]:
        """Places of the questions of which nothing is known yet."""
        return self.missing - self.failures.keys()


@dataclass(frozen=True, slots=True)
class Call:
    """One request to send now; its money is set aside."""

    key: CellKey
    digest: str
    index: int
    """Which sample of the request."""
    params: Mapping[str, Any]
    forced: bool
    reservation: Reservation | None
    place: int
    """Of the question among those of its cell."""
    subject: str = ""
    """See `Want.subject`."""

    @property
    def for_agent(self) -> bool:
        """Whether an agent is to be run, and no model asked."""
        return "agent" in self.params


class Books(ABC):
    """What asking rests on besides the session: paid answers, keys, estimates, what may be spent."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.mark = ""
        """Of the credentials in force (see `Credentials.mark`); empty without a key."""
        self.unlimited = False
        """No budget holds: what has no known price is asked as well."""
        self.ready = False
        """Prices are known; until then nothing is sent on its own."""
        self.patient = False
        """Somebody is there to see what comes of trying again after a pause (D36)."""

    @abstractmethod
    def known(self, digest: str, index: int) -> Verdict | None:
        """The paid answer to a request's sample, if there is one."""

    @abstractmethod
    def about(self, subject: str, index: int) -> Verdict | None:
        """The newest paid answer about a subject, however it was asked (D49)."""

    @abstractmethod
    def unavailable(self, key: CellKey) -> Unmeasured | None:
        """Why the agent of a cell's judge cannot be run here; None when it can."""

    @abstractmethod
    def refused(self, model: str) -> Failure | None:
        """Why asking this model with the credentials in force is in vain, if that is known."""

    @abstractmethod
    def estimate(self, request: Request, samples: int) -> Estimate:
        """What the samples of a request are expected to take."""

    @abstractmethod
    def saving(self, verdict: Verdict) -> float | None:
        """What the prompt cache saved in a paid call; None when it was not used or is not known."""
