"""What an agent would be given, as text for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


def agent_request_text(params: Mapping[str, Any]) -> str:
    """Runner, limits, files by name and digest, and the whole prompt; variables by name only."""
    agent = cast("Mapping[str, Any]", params["agent"])
    runner = cast("Mapping[str, Any]", agent["runner"])
    others = {key: value for key, value in runner.items() if key not in ("type", "command", "env")}
    budget = agent["max_budget_usd"]
    head = [
        f"agent: {runner['type']}",
        f"model: {params['model']}",
        f"tools: {', '.join(agent['allowed_tools']) or 'none'}",
        f"limits: {agent['timeout']:g} s, {'no budget' if budget is None else f'${budget:g}'}",
    ]
    if runner["command"]:
        head.append(f"command: {json.dumps(runner['command'], ensure_ascii=False)}")
    if runner.get("env"):
        head.append(f"variables: {', '.join(sorted(runner['env']))}")
    if others:
        head.append(f"runner: {json.dumps(others, ensure_ascii=False, sort_keys=True)}")
    sections = ["\n".join(head), _listed("files", agent["files"])]
    if agent["context"]:
        sections.append(_listed("context", agent["context"]))
    return "\n\n".join([*sections, f"--- prompt ---\n{params['prompt']}"]) + "\n"


def _listed(title: str, digests: Mapping[str, str]) -> str:
    lines = [f"{digest[:12]}  {name}" for name, digest in digests.items()]
    return "\n".join([f"--- {title} ---", *(lines or ["none"])])
