"""Requests: exactly what a model is asked, as plain data with a digest."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eval_tui.judges.model.scale import Scale

FRAMING_VERSION = 1
"""Raised when our own words around a prompt change; verdicts of older versions stay, marked (D49)."""
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

    def for_samples(self, samples: int) -> dict[str, Any]:
        """`params` for a cell that is asked `samples` times.

        A long prompt that is asked more than once is marked for the provider's prompt cache. The
        mark is not in the digest: it changes what a call costs, not what it asks.
        """
        params = copy.deepcopy(dict(self.params))
        content = params["messages"][0]["content"]
        size = sum(len(block.get("text", "")) for block in content)
        has_image = any(block["type"] == "image" for block in content)
        if samples > 1 and (has_image or size + len(params["system"]) >= _CACHE_FROM):
            content[-1]["cache_control"] = {"type": "ephemeral"}
        return params

    def to_plain(self) -> dict[str, Any]:
        """A JSON-able mapping from which `request_from_plain` makes an equal request."""
        return {"params": self.params, "digest": self.digest, "scale": self.scale.to_plain()}


def request_from_plain(plain: Mapping[str, Any]) -> Request:
    """The inverse of `Request.to_plain`."""
    return Request(plain["params"], plain["digest"], Scale(**plain["scale"]))


def make_request(params: dict[str, Any], scale: Scale) -> Request:
    """A request with the digest of its parameters."""
    return Request(params, digest_of(params), scale)


def digest_of(params: Mapping[str, Any]) -> str:
    """blake2b-16 over the canonical JSON of the parameters and the framing's version."""
    words = json.dumps([FRAMING_VERSION, params], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(words.encode("ascii"), digest_size=16).hexdigest()


def forced_tool(description: str, properties: dict[str, Any], name: str = TOOL) -> dict[str, Any]:
    """The part of the parameters that makes the model answer by one tool, all fields required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "tools": [{"name": name, "description": description, "input_schema": schema}],
        "tool_choice": {"type": "tool", "name": name},
    }
