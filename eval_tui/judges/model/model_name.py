"""Model names as configs write them: `${JUDGE_MODEL:-some-model}`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from eval_tui.judges.base import JudgeUnusable

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)(?:(:?-)([^{}]*))?\}|\$([A-Za-z_]\w*)", re.ASCII)


def resolve_model(name: str, environ: Mapping[str, str]) -> str:
    """The name with shell-style variables replaced: `$VAR`, `${VAR}`, `${VAR-x}`, `${VAR:-x}`.

    Raises JudgeUnusable when nothing is left of it (D22).
    """
    missing: list[str] = []

    def value(found: re.Match[str]) -> str:
        variable = found[1] or found[4]
        given = environ.get(variable)
        if given is None or (not given and found[2] == ":-"):
            if found[2] is None:
                missing.append(variable)
            return found[3] or ""
        return given

    model = _VARIABLE.sub(value, name).strip()
    if not model:
        why = f"the variable {missing[0]} is not set" if missing else "no model is named"
        hint = f"set {missing[0]}, or name a model in the config" if missing else "set `model`"
        raise JudgeUnusable(f"this judge asks a model, but {why}", hint)
    return model
