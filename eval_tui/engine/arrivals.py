"""What workers report, taken into the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eval_tui.engine import follow, recall
from eval_tui.engine.cells import CellInfo, without_rationale
from eval_tui.engine.entries import Inputs
from eval_tui.engine.grid import CellKey
from eval_tui.engine.queue import InFlight
from eval_tui.judges.outcome import recovery
from eval_tui.scores import Reason, Unmeasured, from_plain, to_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session

YOUNG_TRIES = 3
"""How often a document that is being written is read again before anyone is told (D13)."""
YOUNG_PAUSE = 0.4
"""Seconds between those."""

_FORGOTTEN = "never"
"""The version of the inputs of a cell whose process died: equal to nothing."""


class Arrivals:
    """Handles messages; the session holds the state."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def receive(self, message: Mapping[str, Any]) -> None:
        """Take in one message; those of batches that are not under way any more are dropped."""
        flight = self._session.queue.inflight.get(message.get("id", 0))
        if flight is None:
            return
        kind = message["t"]
        if kind == "cell":
            self._cell(flight, message)
        elif kind == "run":
            self._run(flight, message)
        elif kind == "case":
            flight.folders[message["case"]] = message["folders"]
        elif kind == "cased":
            self._cased(flight, message)
        elif kind == "lost":
            self._lost(flight, message)
        elif kind in ("done", "cancelled"):
            self._over(flight)

    def _run(self, flight: InFlight, message: Mapping[str, Any]) -> None:
        key = CellKey(message["case"], message["judge"])
        ambient = message["ambient"]
        self._learn(ambient)
        flight.ambients[key.judge] = ambient["id"]

    def _learn(self, ambient: Mapping[str, Any]) -> None:
        """More of what a judge rests on; a torn view makes all its cells stale at once."""
        session = self._session
        add = ambient.get("add", ())
        if not add and session.dependencies.knows(ambient["id"]):
            return
        if session.dependencies.learn(ambient["id"], add):
            session.epoch += 1
            hit = {key for key, info in session.infos.items() if info.ambient == ambient["id"]}
            session.enqueue(hit)

    def _cell(self, flight: InFlight, message: Mapping[str, Any]) -> None:
        session = self._session
        key = CellKey(message["case"], message["judge"])
        if key not in flight.fingerprints or key in flight.reported:
            return
        flight.reported.add(key)
        try:
            self._take(flight, key, message)
        finally:
            session.display.show(key)

    def _take(self, flight: InFlight, key: CellKey, message: Mapping[str, Any]) -> None:
        session = self._session
        ambient = ""
        if "ambient" in message:
            self._learn(message["ambient"])
            ambient = message["ambient"]["id"]
        outcome = message["outcome"]
        if outcome == "ran":
            session.count(ran=1)
            follow.wrote(session, key, message.get("wrote", ()))
        info = session.infos.get(key) if key.case in session.snapshot.cases else None
        if message.get("young") and info is not None and info.unreadable < YOUNG_TRIES:
            info.unreadable += 1
            session.enqueue([key], not_before=session.clock() + YOUNG_PAUSE)
            return
        fp = flight.fingerprints[key]
        if outcome == "ran" and info is not None:
            self._count(info, fp, message["score"], _lists(message["inputs"]), ambient)
        result = self._keep(key, fp, message, ambient) if outcome == "ran" else 0
        if info is None or info.epoch > flight.epoch:
            return
        if info.fp != fp or info.condition != flight.conditions[key]:
            return
        if outcome == "ran" and session.judge(key.judge).asks_model:
            return  # what was paid for is not replaced by the failure of a look at it (D46)
        info.epoch, info.behind = flight.epoch, None
        info.unreadable = 0
        info.outdated = info.outdated and outcome == "held"
        if outcome == "held":
            session.set_aside(key, "off")
        elif outcome == "asked":
            self._asked(flight, key, info, message, ambient)
        elif outcome == "unasked":
            self._unasked(key, info, message)
        elif outcome == "same":
            self._same(key, info, message["known"])
            info.cond = _lists(message.get("cond", ()))
        else:
            self._settled(key, info, message, result, ambient)
        if _moved(message.get("inputs", ())):
            session.epoch += 1  # caches in the judges' code hold what was read
            session.enqueue([key], not_before=session.clock() + YOUNG_PAUSE)
        elif follow.late(session, flight.epoch, info.ambient, key):
            session.enqueue([key])
        flight.unsaved.add(key.case)

    def _count(
        self, info: CellInfo, fp: str, score: dict[str, Any], inputs: Inputs, ambient: str
    ) -> None:
        """Attempts are those with the same inputs: another input starts the count anew (D36)."""
        if not score.get("retryable") or not info.result:
            return
        old = self._session.store.result(info.result)
        if old is None or not old.score.get("retryable"):
            return
        rests_on = self._session.dependencies.inputs
        before = [*old.inputs, *rests_on(old.ambient)]
        now = [*inputs, *rests_on(ambient)]
        if old.fp == fp and sorted(before) == sorted(now):
            score["attempts"] = old.score.get("attempts", 1) + 1

    def _keep(self, key: CellKey, fp: str, message: Mapping[str, Any], ambient: str) -> int:
        session = self._session
        identity = session.store.add_result(
            session.run_key,
            key.case,
            fp,
            message["score"],
            _lists(message["inputs"]),
            ambient,
            ms=message.get("ms"),
            extra={
                "out": message.get("out", ""),
                "notes": message.get("notes", ()),
                "opaque": message.get("opaque", ()),
                "unusable": message.get("unusable"),
            },
        )
        session.queue.mark_reusable(key.case)
        return identity

    def _settled(
        self,
        key: CellKey,
        info: CellInfo,
        message: Mapping[str, Any],
        result: int,
        ambient: str,
    ) -> None:
        session = self._session
        info.changed = self._differences(key, info, message)
        info.score = from_plain(message["score"])
        # A cell that its condition settled has no result that holds its words.
        info.plain = without_rationale(message["score"]) if result else dict(message["score"])
        # What a condition sees is the record alone.
        info.result, info.ambient = result, ambient if result else ""
        info.cond = _lists(message.get("cond", ()))
        info.absent = _absent(message.get("inputs", ()))
        again = info.known
        info.sig, info.known, info.lost, info.reused = "", True, False, False
        if message["outcome"] == "ran":
            info.ran = True
            self._note_usable(key, message)
        elif again:
            session.count(reused=1)

    def _differences(
        self, key: CellKey, info: CellInfo, message: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """Which inputs differ from those of the result that is replaced."""
        if not info.result or message["outcome"] != "ran":
            return ()
        old = self._session.store.result(info.result)
        if old is None:
            return ()
        return _changed(old.inputs, message["inputs"])

    def _note_usable(self, key: CellKey, message: Mapping[str, Any]) -> None:
        session, why = self._session, message.get("unusable")
        if why is not None or key.judge in session.findings.unusable:
            session.findings.loaded(session.judge(key.judge), session.config, why)
            session.refresh_problems()

    def _same(self, key: CellKey, info: CellInfo, identity: int) -> None:
        """An earlier result fits: it is shown without running."""
        session = self._session
        session.count(reused=1)
        info.sig = ""
        if info.result == identity and info.known:
            return
        result = session.store.result(identity)
        if result is None:
            session.enqueue([key], forced=[key])
            return
        info.score = from_plain(dict(result.score))
        info.plain = without_rationale(dict(result.score))
        info.result, info.ambient = identity, result.ambient
        info.absent = _absent(result.inputs)
        info.known, info.lost, info.reused, info.changed = True, False, True, ()

    def _asked(
        self,
        flight: InFlight,
        key: CellKey,
        info: CellInfo,
        message: Mapping[str, Any],
        ambient: str,
    ) -> None:
        """What a model would be asked is known: whether it is asked is decided there."""
        info.cond, info.ambient = _lists(message.get("cond", ())), ambient
        self._note_usable(key, message)
        forced = key in flight.forced
        asked, subject = message["requests"], message.get("subject", "")
        if self._session.findings.templates.rendered(key, asked):
            self._session.refresh_problems()
        about = f"{info.fp} {subject}" if subject else ""
        self._session.asking.rendered(key, info, asked, forced, about)

    def _unasked(self, key: CellKey, info: CellInfo, message: Mapping[str, Any]) -> None:
        """The request could not be rendered. A recorded verdict stays, set aside (D46)."""
        session = self._session
        self._note_usable(key, message)
        session.asking.wants.pop(key, None)
        if session.recorded(key) is not None and not info.known:
            session.set_aside(key, "off")
            return
        info.score, info.plain = from_plain(message["score"]), dict(message["score"])
        info.result, info.known, info.sig = 0, True, ""
        info.cond = _lists(message.get("cond", ()))

    def _cased(self, flight: InFlight, message: Mapping[str, Any]) -> None:
        """All cells of a case are done: they were judged under this signature."""
        session = self._session
        case = message["case"]
        if case not in session.snapshot.cases:
            return
        session.dependencies.note_extra(case, message["extra"])
        session.findings.note_keys(case, message["keys"])
        session.unobserved()
        for key in flight.fingerprints:
            info = session.infos.get(key) if key.case == case else None
            told = info is not None and key in flight.reported and info.epoch == flight.epoch
            if info is None or info.behind is not None:
                continue
            if told and info.fp == flight.fingerprints[key]:
                late = follow.late(session, flight.epoch, info.ambient, key)
                info.sig = "" if late else message["sig"]
                if late:
                    session.enqueue([key])
        flight.unsaved.discard(case)
        recall.save_row(session, case)

    def _lost(self, flight: InFlight, message: Mapping[str, Any]) -> None:
        """A judge took its process with it, or was stopped: that is its own cell's business."""
        session = self._session
        key = CellKey(message["case"], message["judge"])
        if key not in flight.fingerprints or key in flight.reported:
            return
        flight.reported.add(key)
        session.count(ran=1)
        session.display.show(key)
        info = session.infos.get(key)
        if info is None or info.fp != flight.fingerprints[key] or info.epoch > flight.epoch:
            return
        if session.judge(key.judge).asks_model:
            return  # what was paid for is not replaced by the failure of a look at it (D46)
        info.epoch, info.behind, info.outdated = flight.epoch, None, False
        timed_out = message["how"] == "timed out"
        score = Unmeasured(
            Reason.GRADER_ERROR,
            message["text"],
            retryable=timed_out,
            recover_on=recovery(session.judge(key.judge)),
        )
        ambient = flight.ambients.get(key.judge, "")
        inputs = [["opaque", "", flight.folders.get(key.case, _FORGOTTEN)]]
        plain = to_plain(score)
        self._count(info, info.fp, plain, inputs, ambient)
        info.result = session.store.add_result(
            session.run_key,
            key.case,
            info.fp,
            plain,
            inputs,
            ambient,
            extra={"out": message.get("output", ""), "opaque": ["its process ended before it did"]},
        )
        session.queue.mark_reusable(key.case)
        info.score, info.plain, info.ambient = from_plain(plain), plain, ambient
        info.known, info.lost, info.ran, info.reused, info.sig = True, True, True, False, ""
        flight.unsaved.add(key.case)
        session.display.show(key)

    def _over(self, flight: InFlight) -> None:
        """The batch ended; cells that were not reported are due again unless cancelled by hand."""
        session = self._session
        session.queue.landed(flight)
        left = flight.left()
        session.enqueue([key for key in left if key not in flight.by_hand])
        for key in left:
            if key in flight.by_hand and not session.queue.is_due(key):
                session.set_aside(key, "cancelled")
            session.display.show(key)
        for case in flight.unsaved & session.snapshot.cases:
            recall.save_row(session, case)


def _lists(inputs: Any) -> Inputs:
    return [list(entry) for entry in inputs]


def _changed(old: Inputs, new: Inputs) -> tuple[str, ...]:
    """Which inputs differ from those of before, as `kind name`."""
    before = {(kind, name): version for kind, name, version in old}
    after = {(kind, name): version for kind, name, version in new}
    return tuple(
        f"{kind} {name}"
        for (kind, name), version in after.items()
        if before.get((kind, name), version) != version
    )


def _absent(inputs: Any) -> tuple[str, ...]:
    """Keys of the record that were looked for and are not there."""
    return tuple(name for kind, name, _ in inputs if kind == "absent")


def _moved(inputs: Any) -> bool:
    """Whether an input changed while the judge was reading."""
    return any(entry[2] == "moved" for entry in inputs)
