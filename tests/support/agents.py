"""A stand-in for an agent that judges: a real program, installed as `claude` or run as a command.

What it does is written in its prompt, one action a line: `ACT: verb argument`. Each run is noted in
the file that `LOG: path` names, as JSON. As `claude` it reads the prompt from standard input and
prints stream-json; as a command it is given the prompt's file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

AGENT = """
import json, os, subprocess, sys, time
is_claude = os.path.basename(sys.argv[0]) == "claude"
prompt = sys.stdin.read() if is_claude else open(sys.argv[1]).read()
lines = [line.partition(": ") for line in prompt.splitlines()]
log = next(rest for head, _, rest in lines if head == "LOG")
said, more, code = "I have looked.", {}, 0


def note(**fields):
    with open(log, "a") as file:
        file.write(json.dumps({"cwd": os.getcwd(), "argv": sys.argv, **fields}) + "\\\\n")


note(files=sorted(os.path.relpath(os.path.join(f, n)) for f, _, ns in os.walk(".") for n in ns),
     env=sorted(os.environ))
for head, _, rest in lines:
    if head != "ACT":
        continue
    verb, _, argument = rest.partition(" ")
    if verb == "say":
        said = argument
    elif verb == "write":
        open("output/score.json", "w").write(argument)
    elif verb == "metrics":
        open("output/metrics.json", "w").write(json.dumps({"cost_usd": float(argument)}))
    elif verb == "link":
        os.symlink(argument, "output/score.json")
    elif verb == "spoil":
        open("../outside.txt", "w").write("x")
        for name in os.listdir("out"):
            os.chmod("out/" + name, 0o600)
            open("out/" + name, "w").write("spoilt")
    elif verb == "cost":
        more["total_cost_usd"] = float(argument)
    elif verb == "end":
        more.update(subtype=argument, is_error=True)
    elif verb == "leak":
        said = "the key is " + os.environ.get(argument, "not there")
    elif verb == "flood":
        block = b"x" * 65535 + b"\\\\n"
        for _ in range(800):
            os.write(1, block)
    elif verb == "children":
        child = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(600)"
        process = subprocess.Popen([sys.executable, "-c", child], stdout=subprocess.PIPE)
        note(pid=int(process.stdout.readline()))
    elif verb == "hang":
        note(pid=os.getpid())
        time.sleep(600)
    elif verb == "exit":
        code = int(argument)
        print("something went wrong", file=sys.stderr)
if is_claude:
    text = {"type": "text", "text": said}
    tool = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "out/page.md"}}
    print(json.dumps({"type": "system", "subtype": "init", "model": "some-model"}))
    print(json.dumps({"type": "assistant", "message": {"content": [text, tool]}}))
    end = {"type": "result", "subtype": "success", "result": said, "usage": {"output_tokens": 7}}
    print(json.dumps({**end, "total_cost_usd": 0.25, **more}))
else:
    print(said)
sys.exit(code)
""".replace("\\\\", "\\")


def install(folder: Path, name: str) -> Path:
    """The program in `folder`, which belongs on the PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!{sys.executable}\n{AGENT}")
    program.chmod(0o755)
    return program


def options(root: Path, auto: str = "paid", **more: Any) -> dict[str, Any]:
    """Options of a driver on a project with `claude` in its `bin`, and with no key."""
    hidden = ("ANTHROPIC_", "CLAUDE", "AWS_")
    environ = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    environ["PATH"] = f"{root / 'bin'}{os.pathsep}{environ.get('PATH', os.defpath)}"
    environ |= more.pop("environ", {})
    return {"auto": auto, "budget": 100.0, "environ": environ, **more}


def entry(root: Path, *acts: str, name: str = "careful", **more: Any) -> dict[str, Any]:
    """A judge that is an agent, does these things, and says pass or fail."""
    prompt = "\n".join([f"LOG: {root / 'log.jsonl'}", *(f"ACT: {act}" for act in acts), "Judge."])
    agent = {"allowed_tools": ["Read"], **more.pop("agent", {})}
    judge = {"name": name, "prompt": prompt, "model": "some-model", "feedback_type": "bool"}
    return {**judge, "agent": agent, **more}


def command(root: Path) -> Mapping[str, Any]:
    """`agent:` of the same program as a command runner, with a known price: none."""
    words = [sys.executable, str(root / "bin" / "claude.py"), "{prompt_file}"]
    return {"runner": {"type": "cli", "command": words}, "max_budget_usd": 0}


def notes(root: Path) -> list[dict[str, Any]]:
    """What all runs have noted until now."""
    path = root / "log.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def runs(root: Path) -> int:
    """How often an agent was run."""
    return sum("files" in note for note in notes(root))
