"""Requests: exactly what a model is asked, as plain data with a digest."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.judges.fingerprint import FRAMING_VERSION
from eval_tui.judges.model.scale import Scale

MAX_TOKENS = 4096
TOOL = "record_verdict"

_CACHE_FROM = 8_000
"""Characters of a prompt from which marking it for the prompt cache can pay."""


@dataclass(frozen=True)
class Request:
    """One question to a model. All samples of a cell ask the same request."""

    params: Mapping[str, Any]
    """The arguments of `client.messages.create(**params)`: plain JSON-able data."""
    digest: str
    """32 hexadecimal digits over `params` and FRAMING_VERSION: the key of paid verdicts."""
    scale: Scale
    """How the answer is read. A comparison has none: its scale is not looked at."""
    notes: tuple[Problem, ...] = ()
    """What rendering it showed of the template, for its author (D23); no part of what is asked."""

    @property
    def for_agent(self) -> bool:
        """Whether an agent is to be run with it, and no model asked."""
        return "agent" in self.params

    def for_samples(self, samples: int) -> dict[str, Any]:
        """`params` for a cell that is asked `samples` times.

        A long prompt that is asked more than once is marked for the provider's prompt cache. The
        mark is not in the digest: it changes what a call costs, not what it asks.
        """
        params = copy.deepcopy(dict(self.params))
        if self.for_agent:
            return params
        content = params["messages"][0]["content"]
        size = sum(len(block.get("text", "")) for block in content)
        has_image = any(block["type"] == "image" for block in content)
        if samples > 1 and (has_image or size + len(params["system"]) >= _CACHE_FROM):
            content[-1]["cache_control"] = {"type": "ephemeral"}
        return params

    def to_plain(self) -> dict[str, Any]:
        """A JSON-able mapping from which `request_from_plain` makes an equal request."""
        plain = {"params": self.params, "digest": self.digest, "scale": self.scale.to_plain()}
        return {**plain, "notes": list(map(astuple, self.notes))} if self.notes else plain


def request_from_plain(plain: Mapping[str, Any]) -> Request:
    """The inverse of `Request.to_plain`."""
    notes = tuple(Problem(*fields) for fields in plain.get("notes", ()))
    return Request(plain["params"], plain["digest"], Scale(**plain["scale"]), notes)


def make_request(params: dict[str, Any], scale: Scale) -> Request:
    """A request with the digest of its parameters."""
    return Request(params, digest_of(params), scale)


def digest_of(params: Mapping[str, Any]) -> str:
    """blake2b-16 over the canonical JSON of the parameters and the framing's version."""
    words = json.dumps([FRAMING_VERSION, params], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(words.encode("ascii"), digest_size=16).hexdigest()


def subject_of(request: Request, seen: Mapping[tuple[str, str], str]) -> str:
    """A digest of what a request is about, apart from our own words around it (D49).

    `seen` is what its prompt took from the record, with versions. The judge's own words are in
    its fingerprint. A path says nothing of what is in its folder, which no template can read.
    """
    taken = sorted([kind, key, seen[kind, key]] for kind, key in seen if kind != "case_dir")
    messages = request.params.get("messages", ())
    images = [b for message in messages for b in message["content"] if b["type"] == "image"]
    words = json.dumps([request.params.get("model"), taken, images], sort_keys=True)
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def forced_tool(description: str, properties: dict[str, Any], name: str = TOOL) -> dict[str, Any]:
    """The part of the parameters that makes the model answer by one tool, all fields required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "tools": [{"name": name, "description": description, "input_schema": schema}],
        "tool_choice": {"type": "tool", "name": name},
    }
