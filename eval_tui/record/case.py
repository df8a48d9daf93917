"""One case of a run as judges see it: its keys, and each key's value, digest and sources.

Nothing is read before it is asked for. `CaseParts` is what `record.Record` reads from and what an
earlier observation is verified against.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from typing import cast

from eval_tui.record import absent, files, inputs, metrics, trace
from eval_tui.record.context import Context
from eval_tui.record.disk import Disk
from eval_tui.record.documents import read_document
from eval_tui.record.errors import PartUnreadable, StepMissing
from eval_tui.record.parts import Fixed, Part, digest_value, part_for
from eval_tui.record.spec import RecordSpec
from eval_tui.record.yamlish import load_yaml

__all__ = ["CaseParts", "PartUnreadable", "StepMissing", "load_case"]

Loader = Callable[[Context], Part]

_KEY_SET = ""
"""The part that the set of keys rests on."""
_ABSENT = ""


def load_case(spec: RecordSpec, case_id: str) -> CaseParts:
    """The case's record. Cheap: the disk is not touched before something is asked for."""
    return CaseParts(Context(spec, case_id))


class CaseParts:
    """The parts of one record. A view of one step shares everything with the whole record."""

    def __init__(self, context: Context, step: str = "") -> None:
        self._ctx = context
        self.step = step
        """The step that this view is scoped to, or empty."""
        self._known: Mapping[str, Loader] | None = None
        self._made: dict[str, Part] = {}
        self._read: dict[str, Part] = {}

    @property
    def spec(self) -> RecordSpec:
        return self._ctx.spec

    @property
    def case_id(self) -> str:
        return self._ctx.case_id

    @property
    def disk(self) -> Disk:
        return self._ctx.disk

    @property
    def context(self) -> Context:
        """What loaders and views share; not for judges."""
        return self._ctx

    @property
    def notes(self) -> list[str]:
        """What could not be read as it should be, in words; grows as parts are read."""
        return self._ctx.notes

    @property
    def case_dir(self) -> str:
        """The case's folder, absolute and with links resolved."""
        return self._ctx.case_dir()

    # Keys

    def keys(self) -> tuple[str, ...]:
        """The record's keys. Never raises: what cannot be read has a key whose value raises."""
        return tuple(self._loaders())

    def key_set_digest(self) -> str:
        """Digest of the keys and their order."""
        return digest_value(self.keys())

    def why_absent(self, key: Hashable) -> str:
        """Why the record lacks a key, in words for a cell."""
        if self.step and key in metrics.METRICS:
            return f"step {self.step!r} has no {key} of its own"
        return absent.why_absent(self._ctx, key, self.keys())

    # Values

    def value(self, key: str) -> object:
        """A value of the reader's own; what can be changed is decoded anew at each call.

        Raises KeyError for a key that is absent, PartUnreadable for a part that exists and cannot
        be read as what it should be (D10).
        """
        if key == "files":
            return {name: self.file_value(name) for name in self.file_names()}
        return self.part(key).fresh()

    def shared(self, key: str) -> object:
        """One value for all trusted readers, who must not change it. Raises like `value`."""
        if key == "files":
            return {name: self.file_part(name).shared() for name in self.file_names()}
        return self.part(key).shared()

    def digest(self, key: str) -> str:
        """Digest of the derived value: empty for an absent key, `unreadable:...` for a broken part."""
        try:
            if key == "files":
                names = self.file_names()
                return digest_value([(name, self.file_digest(name)) for name in names])
            return self.part(key).digest()
        except KeyError:
            return _ABSENT
        except PartUnreadable as error:
            return error.version

    def part(self, key: str) -> Part:
        """The part behind a key other than `files`. Raises KeyError and PartUnreadable."""
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._load(key)
        return made

    # The mapping `files`

    def file_names(self) -> tuple[str, ...]:
        """Names in `files`. Raises PartUnreadable."""
        return tuple(files.output_names(self._ctx))

    def file_part(self, name: str) -> Part:
        """One of the files. Raises KeyError and PartUnreadable."""
        read = self._read.get(name)
        if read is None:
            read = self._read[name] = files.file_part(self._ctx, name)
        return read

    def file_value(self, name: str) -> object:
        """Text, or the marker of a binary file. Raises KeyError and PartUnreadable."""
        return self.file_part(name).fresh()

    def file_digest(self, name: str) -> str:
        """Digest of a file's value; empty when it is not in `files`."""
        return self._digest(lambda: self.file_part(name).digest())

    def file_names_digest(self) -> str:
        """Digest of the names in `files`."""
        return self._digest(lambda: digest_value(self.file_names()))

    # The mapping `annotations`

    def annotation_names(self) -> tuple[Hashable, ...]:
        """Keys of `annotations`. Raises PartUnreadable."""
        return tuple(self._annotations())

    def annotation_digest(self, name: str) -> str:
        """Digest of one annotation's value by the name of its key (`key_name`); empty if absent."""
        return self._digest(lambda: digest_value(self._named_annotations()[name]))

    def annotation_names_digest(self) -> str:
        """Digest of the keys of `annotations`."""
        return self._digest(lambda: digest_value(self.annotation_names()))

    # Steps

    def steps(self) -> tuple[str, ...]:
        """The steps that left a record."""
        return tuple(trace.step_names(self._ctx))

    def scoped(self, step_id: str) -> CaseParts:
        """The record as a judge bound to a step sees it: that step's events, conversation and
        metrics, the whole case's files and annotations.

        Raises StepMissing when the step left no record (D19).
        """
        present = self._ctx.once("steps?", self.steps)
        if step_id not in present:
            raise StepMissing(step_id)
        return CaseParts(self._ctx, step_id)

    # Inside

    def _load(self, key: str) -> Part:
        load = self._loaders()[key]
        if not self.step:
            return load(self._ctx)
        name = f"\0{key}@{self.step}"
        try:
            return self._ctx.once(name, lambda: load(self._ctx))
        finally:
            self.disk.link(key, name)

    def _annotations(self) -> Mapping[Hashable, object]:
        return cast("Mapping[Hashable, object]", inputs.annotations_part(self._ctx).shared())

    def _named_annotations(self) -> dict[str, object]:
        return {key_name(key): value for key, value in self._annotations().items()}

    def _digest(self, make: Callable[[], str]) -> str:
        try:
            return make()
        except KeyError:
            return _ABSENT
        except PartUnreadable as error:
            return error.version

    def _loaders(self) -> Mapping[str, Loader]:
        if self._known is None:
            self._known = self._find_loaders()
        return self._known

    def _find_loaders(self) -> Mapping[str, Loader]:
        if not self.step:
            return self._ctx.once(_KEY_SET, lambda: _loaders(self._ctx))
        name = f"\0keys@{self.step}"
        try:
            return self._ctx.once(name, lambda: _step_loaders(self._ctx, self.step))
        finally:
            self.disk.link(_KEY_SET, name)


def key_name(key: Hashable) -> str:
    """A key as text: itself if it is text; others cannot be mistaken for a text."""
    return key if isinstance(key, str) else f"\0{key!r}"


def _loaders(ctx: Context) -> dict[str, Loader]:
    """Every key of the record with its loader, in order."""
    found: dict[str, Loader] = {
        "case_dir": lambda c: c.once("case_dir", lambda: Fixed(c.case_dir())),
        "files": _no_part,
        "tool_calls": trace.tool_calls,
        "annotations": inputs.annotations_part,
        **_annotation_loaders(ctx),
        **_first_file_loaders(ctx),
    }
    if files.has_modified_text(ctx):
        found["modified_files"] = files.modified_files
    found.update(_metric_loaders(ctx))
    found["events"] = trace.events
    found["inputs"] = inputs.inputs_part
    found["conversation"] = trace.conversation
    found.update(_log_loaders(ctx))
    if ctx.disk.exists(os.path.join(ctx.folder, "hook_outputs.yaml")):
        found["hook_outputs"] = _hook_outputs
    found["steps"] = trace.steps
    return found


def _step_loaders(ctx: Context, step: str) -> dict[str, Loader]:
    whole = ctx.once(_KEY_SET, lambda: _loaders(ctx))
    found = {key: load for key, load in whole.items() if key not in metrics.METRICS}
    found["events"] = lambda c: part_for(trace.step_trace(c, step).events)
    found["conversation"] = lambda c: part_for(trace.step_trace(c, step).conversation)
    for key in _readable_keys(ctx, lambda: trace.step_metrics_of(ctx, step)):
        found[key] = lambda c, key=key: part_for(trace.step_metrics_of(c, step)[key])
    found["_scoped_step"] = lambda c: Fixed(step)
    return found


def _readable_keys(ctx: Context, make: Callable[[], Mapping[str, object]]) -> tuple[str, ...]:
    """The metrics that are there; all of them when their file is there and cannot be read, so that
    who asks for one is told."""
    try:
        return tuple(make())
    except PartUnreadable as error:
        ctx.note(f"{ctx.shown(error.path)}: {error.why}")
        return metrics.METRICS


def _no_part(ctx: Context) -> Part:
    raise AssertionError("`files` is read name by name")


def _annotation_loaders(ctx: Context) -> dict[str, Loader]:
    try:
        found = inputs.annotation_files(ctx)
    except PartUnreadable as error:
        ctx.note(f"{ctx.shown(error.path)}: {error.why}")
        return {}
    return {
        key: lambda c, key=key: c.once(key, lambda: inputs.annotation_content(c, key))
        for key in found
    }


def _first_file_loaders(ctx: Context) -> dict[str, Loader]:
    found: dict[str, Loader] = {}
    for first in files.first_files(ctx).values():
        found[f"{first.base}_content"] = _first_content(first)
        found[f"{first.base}_file"] = _first_path(first)
    return found


def _first_content(first: files.FirstFile) -> Loader:
    key = f"{first.base}_content"
    return lambda c: c.once(key, lambda: files.first_file_part(c, first.base))


def _first_path(first: files.FirstFile) -> Loader:
    key = f"{first.base}_file"
    return lambda c: c.once(key, lambda: Fixed(files.first_file_path(c, first.base)))


def _metric_loaders(ctx: Context) -> dict[str, Loader]:
    return {key: _metric(key) for key in _readable_keys(ctx, lambda: metrics.metrics(ctx))}


def _metric(key: str) -> Loader:
    return lambda c: c.once(key, lambda: part_for(metrics.metrics(c)[key]))


def _log_loaders(ctx: Context) -> dict[str, Loader]:
    found: dict[str, Loader] = {}
    for key, wanted in (("stdout", ctx.spec.traces.stdout), ("stderr", ctx.spec.traces.stderr)):
        if wanted and trace.log_path(ctx, f"{key}.log"):
            found[key] = _log(key)
    return found


def _log(key: str) -> Loader:
    return lambda c: c.once(key, lambda: trace.log_text(c, f"{key}.log"))


def _hook_outputs(ctx: Context) -> Part:
    path = os.path.join(ctx.folder, "hook_outputs.yaml")
    return ctx.once("hook_outputs", lambda: part_for(read_document(ctx, path, load_yaml) or {}))
