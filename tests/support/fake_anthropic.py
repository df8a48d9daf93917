#!/usr/bin/env python3
"""A small stand-in for the Anthropic Messages API, for tests only.

It listens on a loopback port, answers ``POST /v1/messages`` deterministically
and writes one JSON line per request to a log.  There is no model behind it:
what it answers is chosen by *directives* found in the text of the request, so
a test decides the judge's verdict by putting a directive in the prompt or in
the material that the prompt renders.

Standard library only.  Python 3.9 or later.


Starting it
-----------

    python fake_anthropic.py --port 0 --log requests.jsonl

prints the chosen port, alone on the first line of standard output, and serves
until it is terminated.  Point an SDK at it with

    ANTHROPIC_BASE_URL=http://127.0.0.1:<port>  ANTHROPIC_API_KEY=anything

From Python:

    from fake_anthropic import FakeAnthropic
    with FakeAnthropic() as server:
        client = anthropic.Anthropic(base_url=server.base_url, api_key="x")
        ...
        assert server.requests[0]["model"] == "some-model"

Options
    --host HOST            default 127.0.0.1
    --port PORT            default 0 (any free port)
    --log FILE             append one JSON line per request
    --default-verdict V    pass (default) or fail: a boolean tool without directive
    --retry-after-ms N     send a ``retry-after-ms`` header with retryable errors,
                           so that an SDK's back-off costs N ms instead of seconds


Endpoints
---------

    POST /v1/messages                the API (non-streaming; "stream": true is a 400)
    POST /v1/messages/count_tokens   {"input_tokens": n}
    GET  /requests                   the log so far, as a JSON list
    POST /reset                      forget the log and all counters
    GET  /healthz                    {"ok": true}

A request needs an ``x-api-key`` or an ``authorization`` header (any value; the
value is never logged), otherwise the answer is a 401.


What is answered
----------------

The tool is the one forced by ``tool_choice`` (``type: tool``), else the first
tool of the list.  The answer is one ``tool_use`` block for that tool.  The
field that carries the verdict is found in the tool's input schema by its type:

    boolean              "passed" if there is one, else the first boolean
    number or integer    "score" if there is one, else the first number
    enumerated string    "preferred" if there is one, else the first with an enum

Every other required field is filled in with a harmless value; ``rationale``,
``reasoning`` and ``explanation`` are filled in whether required or not.  A
request without tools is answered with text (a JSON object when a VERDICT,
SCORE or PREFER directive is present, else ``pong``).

Out-of-range numbers are answered as asked: ``minimum`` and ``maximum`` of the
schema only choose the default.  Without any directive a boolean is
``--default-verdict``, a number the middle of its range (rounded down for an
integer; 1 to 5 when the schema has no range) and an enumeration ``tie`` if it
has that member, else its first member.


Directives
----------

A directive is an upper-case word and a colon anywhere in the text, e.g. at the
end of a rubric, in an output file, in an annotation.  Text that a template has
JSON-escaped works too.  The text blocks of the messages are searched first, in
order, then the system prompt; the first occurrence of each word wins.

    VERDICT: pass | fail         for a boolean field
    SCORE: 4                     for a number field; any JSON number
    PREFER: A | B | tie          for an enumerated field; the literal is answered
    PREFER: first | second       the first or second member of the enum
    PREFER: rank                 the side with the larger RANK (see below)
    RATIONALE: text to line end  the rationale to give
    RESPOND: text ANYTHING       no tool call: a text block with ANYTHING
                                 ("{nl}" stands for a line break)
    RESPOND: garbage             no tool call: text that holds no verdict, no digit
    RESPOND: empty               no content blocks at all
    RESPOND: tool {"a": 1}       a tool call with exactly this input
    STATUS: 429                  an HTTP error: 400 401 403 404 413 429 500 529 ...
    STATUS: 429*2                only for the first two requests with this prompt
    STATUS: drop                 close the connection without an answer
    STATUS: badjson              status 200 with a body that is not JSON
    DELAY: 2.0                   wait that many seconds first
    USAGE: 120,30                report these input and output token counts
    STOP: max_tokens             report this stop_reason

VERDICT, SCORE and PREFER (also spelt VERDICTS, SCORES, PREFERS) and STATUS and
DELAY take a comma-separated list.  The list is cycled over requests that are
identical in model, system, messages and tools: the first such request gets the
first item, and so on.  That is how repeated sampling gets different answers.
An item of VERDICT, SCORE or PREFER may also be

    "text"      that JSON string instead of a boolean or number
    true false null   that JSON literal
    -           a tool call that leaves the verdict field out
    ?           text without a verdict instead of a tool call
    !400        that HTTP error

An SDK that retries a request sends an identical one, which takes the next item:
use a status that it does not retry (400) for "this sample fails".

VERDICT on a number field means the maximum or the minimum; SCORE on a boolean
field means true from the middle of the range (3 when the schema has none) up.

Comparison of two texts: RANK: 3 in the one and RANK: 1 in the other, with
PREFER: rank in the instructions, prefers the text with the larger rank wherever
it is placed.  The first RANK of the prompt belongs to the first enum member and
the last one to the second; equal ranks are ``tie``.  RANK takes a list as well.
STATUS-AS-A: 400 / STATUS-AS-B: 400 next to (after) a RANK fails the request only
when that text is the first / the second of the two.


The log
-------

One JSON object per request:

    n             1, 2, 3 ...
    t             seconds since the server started
    path, status, model, max_tokens, temperature, stream
    auth          "x-api-key", "authorization" or null
    tool          name of the tool that was answered for, or null
    forced        whether tool_choice named it
    shape         "bool", "number", "enum" or null
    field         name of the verdict field
    schema        that field's {"type", "minimum", "maximum", "enum"} (those present)
    system_chars, user_chars, images
    sha           sha256 of model, system, messages and tools (the cycle key)
    system_sha, user_sha
    seen          how many identical requests came before this one
    directives    the directives found, as written
    answer        the value that was answered, or the kind of non-answer
    usage         the token counts reported
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_RETRYABLE = {408, 409, 429}

# A directive may follow the two characters "\n" or "\t" of JSON-escaped text.
_START = r"(?:(?<=\\n)|(?<=\\t)|(?<=\\r)|(?<![A-Za-z0-9_-]))"
_ITEM = (
    r'(?:\\?"[^"\\\n]*\\?"|![0-9]{3}|\?|-(?![0-9.])|[A-Za-z][A-Za-z_]*'
    r"|[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:\*[0-9]+)?)"
)
_LIST = rf"{_ITEM}(?:[ \t]*,[ \t]*{_ITEM})*"

_LIST_WORDS = ("VERDICT", "SCORE", "PREFER", "STATUS", "DELAY", "USAGE")
_LINE_WORDS = ("RESPOND", "RATIONALE")
_WORD_WORDS = ("STOP",)

_GARBAGE = "I have looked at it and I would rather not commit to anything."

_VALUE_NAMES = {"bool": ("passed",), "number": ("score",), "enum": ("preferred",)}
_TEXT_NAMES = ("rationale", "reasoning", "explanation")


# --------------------------------------------------------------------------
# Reading the request
# --------------------------------------------------------------------------


def _blocks_text(content):
    """The text of a message's or a system prompt's content, and its image count."""
    if content is None:
        return "", 0
    if isinstance(content, str):
        return content, 0
    texts, images = [], 0
    for block in content:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text":
            texts.append(str(block.get("text", "")))
        elif kind == "image":
            images += 1
        elif kind == "tool_result":
            inner, more = _blocks_text(block.get("content"))
            texts.append(inner)
            images += more
    return "\n".join(texts), images


def _cut(line):
    """Directive values end where JSON-escaped text has its line break."""
    return re.split(r"\\[nr]", line, maxsplit=1)[0].strip()


def find_directives(text):
    """All directives of *text*: word -> raw value (first occurrence wins)."""
    found = {}
    for word in _LIST_WORDS:
        plural = "" if word in ("STATUS", "USAGE") else "S?"
        match = re.search(rf"{_START}{word}{plural}:[ \t]*({_LIST})", text)
        if match:
            found[word] = match.group(1)
    for word in _LINE_WORDS:
        match = re.search(rf"{_START}{word}:[ \t]*([^\n]*)", text)
        if match:
            found[word] = _cut(match.group(1))
    for word in _WORD_WORDS:
        match = re.search(rf"{_START}{word}:[ \t]*([a-z_]+)", text)
        if match:
            found[word] = match.group(1)
    return found


def find_ranks(text):
    """Every RANK of the text as (position, list of numbers)."""
    number = r"[-+]?[0-9]+(?:\.[0-9]+)?"
    pattern = rf"{_START}RANKS?:[ \t]*({number}(?:[ \t]*,[ \t]*{number})*)"
    return [
        (match.start(), [float(x) for x in match.group(1).split(",")])
        for match in re.finditer(pattern, text)
    ]


def _items(raw):
    return [x.strip() for x in re.findall(_ITEM, raw)]


def _cycle(raw, seen):
    items = _items(raw)
    return items[seen % len(items)] if items else None


# --------------------------------------------------------------------------
# Reading the tool's schema
# --------------------------------------------------------------------------


def _resolve(schema, root):
    """Follow $ref and single-alternative anyOf/oneOf/allOf of a property."""
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            target = root
            for part in str(schema["$ref"]).lstrip("#/").split("/"):
                target = target.get(part, {}) if isinstance(target, dict) else {}
            schema = target
            continue
        for key in ("anyOf", "oneOf", "allOf"):
            options = [
                o for o in schema.get(key) or [] if isinstance(o, dict) and o.get("type") != "null"
            ]
            if options and "type" not in schema and "enum" not in schema:
                schema = options[0]
                break
        else:
            return schema
    return schema if isinstance(schema, dict) else {}


def _types(schema):
    kinds = schema.get("type")
    return set(kinds) if isinstance(kinds, list) else {kinds}


def _shape(schema):
    kinds = _types(schema)
    if schema.get("enum") and ("string" in kinds or kinds == {None}):
        return "enum"
    if "boolean" in kinds:
        return "bool"
    if kinds & {"number", "integer"}:
        return "number"
    return None


def verdict_field(input_schema):
    """(name, shape, schema) of the field that carries the verdict."""
    properties = input_schema.get("properties") or {}
    resolved = {name: _resolve(prop, input_schema) for name, prop in properties.items()}
    for shape in ("bool", "number", "enum"):
        for name in _VALUE_NAMES[shape]:
            if name in resolved and _shape(resolved[name]) == shape:
                return name, shape, resolved[name]
    for shape in ("bool", "number", "enum"):
        for name, prop in resolved.items():
            if _shape(prop) == shape:
                return name, shape, prop
    return None, None, {}


def _filler(name, schema, rationale):
    kinds = _types(schema)
    if schema.get("enum"):
        return schema["enum"][0]
    if "string" in kinds:
        return rationale
    if kinds & {"number", "integer"}:
        return schema.get("minimum", 0)
    if "boolean" in kinds:
        return False
    if "array" in kinds:
        return []
    if "object" in kinds:
        return {}
    return rationale


# --------------------------------------------------------------------------
# Choosing the answer
# --------------------------------------------------------------------------


class _Status(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


class _Text(Exception):
    def __init__(self, text, label):
        super().__init__(text)
        self.text = text
        self.label = label


_OMIT = object()


def _special(item):
    """Items that are not a plain value; returns None when *item* is plain."""
    if item.startswith("!"):
        raise _Status(int(item[1:]))
    if item == "?":
        raise _Text(_GARBAGE, "garbage")
    if item == "-":
        return (_OMIT,)
    if item.lstrip("\\").startswith('"'):
        return (item.replace("\\", "").strip('"'),)
    if item in ("true", "false", "null"):
        return ({"true": True, "false": False, "null": None}[item],)
    return None


def _number(item):
    value = float(item)
    if value.is_integer() and not re.search(r"[.eE]", item):
        return int(value)
    return value


def _range(schema):
    low = schema.get("minimum", schema.get("exclusiveMinimum", 1))
    high = schema.get("maximum", schema.get("exclusiveMaximum", 5))
    return low, high


def choose(shape, schema, directives, ranks, seen, default_verdict):
    """The verdict value for a field of this shape (or _OMIT)."""
    low, high = _range(schema)
    if shape == "bool":
        if "VERDICT" in directives:
            item = _cycle(directives["VERDICT"], seen)
            special = _special(item)
            return special[0] if special else item.lower() == "pass"
        if "SCORE" in directives:
            item = _cycle(directives["SCORE"], seen)
            special = _special(item)
            return special[0] if special else _number(item) >= (low + high) / 2
        return default_verdict
    if shape == "number":
        if "SCORE" in directives:
            item = _cycle(directives["SCORE"], seen)
            special = _special(item)
            return special[0] if special else _number(item)
        if "VERDICT" in directives:
            item = _cycle(directives["VERDICT"], seen)
            special = _special(item)
            if special:
                return special[0]
            return high if item.lower() == "pass" else low
        middle = (low + high) / 2
        return math.floor(middle) if "integer" in _types(schema) else middle
    if shape == "enum":
        members = list(schema.get("enum") or ["A", "B", "tie"])
        if "PREFER" in directives:
            item = _cycle(directives["PREFER"], seen)
            special = _special(item)
            if special:
                return special[0]
            if item == "first":
                return members[0]
            if item == "second":
                return members[1 if len(members) > 1 else 0]
            if item == "rank":
                if len(ranks) < 2:
                    return "tie"
                one = ranks[0][1][seen % len(ranks[0][1])]
                two = ranks[-1][1][seen % len(ranks[-1][1])]
                if one == two:
                    return "tie"
                return members[0] if one > two else members[1]
            return item
        return "tie" if "tie" in members else members[0]
    return None


def _positional_status(text, ranks):
    """STATUS-AS-A / STATUS-AS-B: by how many RANKs stand before the directive."""
    for letter, is_mine in (("A", lambda n: n <= 1), ("B", lambda n: n >= 2)):
        for match in re.finditer(rf"STATUS-AS-{letter}:[ \t]*([0-9]{{3}})", text):
            before = sum(1 for position, _ in ranks if position < match.start())
            if is_mine(before):
                raise _Status(int(match.group(1)))


def build_answer(body, seen, default_verdict=True):
    """Decide the response to one request body.

    Returns (status, content blocks, stop_reason, info) where info holds what
    the log records.  status is an int, "drop" or "badjson".
    """
    system_text, _ = _blocks_text(body.get("system"))
    parts, images = [], 0
    for message in body.get("messages") or []:
        text, count = _blocks_text(message.get("content"))
        parts.append(text)
        images += count
    user_text = "\n".join(parts)
    text = user_text + "\n" + system_text
    directives = find_directives(text)
    ranks = find_ranks(text)

    tools = body.get("tools") or []
    choice = body.get("tool_choice") or {}
    forced = choice.get("type") == "tool"
    tool = None
    if forced:
        tool = next((t for t in tools if t.get("name") == choice.get("name")), None)
    elif tools and choice.get("type") != "none":
        tool = tools[0]
    name = shape = None
    schema = {}
    input_schema = (tool or {}).get("input_schema") or {}
    if tool is not None:
        name, shape, schema = verdict_field(input_schema)

    info = {
        "tool": (tool or {}).get("name"),
        "forced": forced,
        "shape": shape,
        "field": name,
        "schema": {k: schema[k] for k in ("type", "minimum", "maximum", "enum") if k in schema},
        "system_chars": len(system_text),
        "user_chars": len(user_text),
        "images": images,
        "system_sha": hashlib.sha256(system_text.encode()).hexdigest(),
        "user_sha": hashlib.sha256(user_text.encode()).hexdigest(),
        "directives": directives,
        "delay": 0.0,
    }
    if "DELAY" in directives:
        info["delay"] = float(_cycle(directives["DELAY"], seen).split("*")[0])
    rationale = directives.get("RATIONALE") or f"fake verdict {seen + 1}"
    stop = directives.get("STOP")

    if forced and tool is None:
        info["answer"] = "error"
        return 400, [], None, info

    try:
        _positional_status(text, ranks)
        if "STATUS" in directives:
            item = _cycle(directives["STATUS"], seen)
            if "*" in item:
                code, times = item.split("*")
                if seen < int(times):
                    raise _Status(int(code))
            elif item in ("drop", "badjson"):
                info["answer"] = item
                return item, [], None, info
            elif item.isdigit() and int(item) != 200:
                raise _Status(int(item))
        if "RESPOND" in directives:
            kind, _, rest = directives["RESPOND"].partition(" ")
            rest = rest.replace('\\"', '"')  # text that was JSON-escaped on its way
            if kind == "garbage":
                raise _Text(_GARBAGE, "garbage")
            if kind == "empty":
                info["answer"] = "empty"
                return 200, [], stop or "end_turn", info
            if kind == "tool" and tool is not None:
                given = json.loads(rest)
                info["answer"] = given
                return (
                    200,
                    [{"type": "tool_use", "name": tool["name"], "input": given}],
                    stop or "tool_use",
                    info,
                )
            raise _Text(rest.replace("{nl}", "\n"), "text")

        if tool is None:
            answer = {}
            if "VERDICT" in directives:
                answer["passed"] = choose("bool", {}, directives, ranks, seen, True)
            elif "SCORE" in directives:
                answer["score"] = choose("number", {}, directives, ranks, seen, True)
            elif "PREFER" in directives:
                answer["preferred"] = choose("enum", {}, directives, ranks, seen, True)
            if not answer:
                raise _Text("pong", "text")
            answer = {k: v for k, v in answer.items() if v is not _OMIT}
            answer["rationale"] = rationale
            raise _Text(json.dumps(answer), "text")

        value = choose(shape, schema, directives, ranks, seen, default_verdict)
        given = {}
        required = input_schema.get("required") or []
        for key, prop in (input_schema.get("properties") or {}).items():
            if key == name:
                if value is not _OMIT:
                    given[key] = value
            elif key in required or key in _TEXT_NAMES:
                given[key] = _filler(key, _resolve(prop, input_schema), rationale)
        info["answer"] = "omitted" if value is _OMIT else value
        return (
            200,
            [{"type": "tool_use", "name": tool["name"], "input": given}],
            stop or "tool_use",
            info,
        )
    except _Status as status:
        info["answer"] = "error"
        return status.code, [], None, info
    except _Text as answer:
        info["answer"] = answer.label
        return 200, [{"type": "text", "text": answer.text}], stop or "end_turn", info


# --------------------------------------------------------------------------
# The server
# --------------------------------------------------------------------------


class _State:
    def __init__(self, log_path=None, default_verdict=True, retry_after_ms=None):
        self.lock = threading.Lock()
        self.log_path = log_path
        self.default_verdict = default_verdict
        self.retry_after_ms = retry_after_ms
        self.started = time.monotonic()
        self.reset()

    def reset(self):
        self.seen = {}
        self.requests = []
        self.count = 0

    def arrive(self, key):
        """Number this request and count it under its key."""
        with self.lock:
            self.count += 1
            seen = self.seen.get(key, 0)
            self.seen[key] = seen + 1
            return self.count, seen

    def record(self, entry):
        with self.lock:
            self.requests.append(entry)
            if self.log_path:
                with open(self.log_path, "a", encoding="utf-8") as handle:
                    handle.write(json.dumps(entry, sort_keys=True) + "\n")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "fake-anthropic"
    disable_nagle_algorithm = True  # else every answer on a used connection waits 40 ms

    def log_message(self, *args):
        pass

    def _send(self, status, payload, headers=None):
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def _error(self, status, message, headers=None):
        kind = _ERROR_TYPES.get(status, "api_error")
        self._send(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)

    def _body(self):
        length = int(self.headers.get("content-length") or 0)
        return self.rfile.read(length)

    def do_GET(self):
        state = self.server.state
        if self.path == "/healthz":
            self._send(200, {"ok": True})
        elif self.path == "/requests":
            with state.lock:
                entries = list(state.requests)
            self._send(200, entries)
        else:
            self._error(404, "no such endpoint")

    def do_POST(self):
        state = self.server.state
        raw = self._body()
        path = self.path.split("?")[0]
        if path == "/reset":
            with state.lock:
                state.reset()
            self._send(200, {"ok": True})
            return
        if path not in ("/v1/messages", "/v1/messages/count_tokens"):
            self._error(404, "no such endpoint")
            return
        auth = (
            "x-api-key"
            if self.headers.get("x-api-key")
            else "authorization"
            if self.headers.get("authorization")
            else None
        )
        try:
            body = json.loads(raw)
            if not isinstance(body, dict):
                raise ValueError
        except ValueError:
            self._error(400, "the body is not a JSON object")
            return
        text = json.dumps(
            [body.get("model"), body.get("system"), body.get("messages"), body.get("tools")],
            sort_keys=True,
        )
        if path.endswith("count_tokens"):
            self._send(200, {"input_tokens": max(1, len(text) // 4)})
            return

        key = hashlib.sha256(text.encode()).hexdigest()
        number, seen = state.arrive(key)
        if auth is None:
            status, content, stop, info = 401, [], None, {"answer": "error"}
        elif (
            body.get("stream")
            or not body.get("model")
            or not body.get("messages")
            or not body.get("max_tokens")
        ):
            status, content, stop, info = 400, [], None, {"answer": "error"}
        else:
            status, content, stop, info = build_answer(body, seen, state.default_verdict)

        delay = info.pop("delay", 0.0)
        if delay:
            time.sleep(delay)
        usage = {
            "input_tokens": max(1, (info.get("system_chars", 0) + info.get("user_chars", 0)) // 4),
            "output_tokens": max(1, len(json.dumps(content)) // 4),
        }
        if "USAGE" in info.get("directives", {}):
            numbers = [int(float(x)) for x in _items(info["directives"]["USAGE"])]
            usage = {
                "input_tokens": numbers[0],
                "output_tokens": numbers[1] if len(numbers) > 1 else 0,
            }
        state.record(
            {
                "n": number,
                "t": round(time.monotonic() - state.started, 3),
                "path": path,
                "status": status,
                "model": body.get("model"),
                "max_tokens": body.get("max_tokens"),
                "temperature": body.get("temperature"),
                "stream": bool(body.get("stream")),
                "auth": auth,
                "sha": key,
                "seen": seen,
                "usage": usage if status == 200 else None,
                **info,
            }
        )

        if status == "drop":
            self.close_connection = True
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            return
        if status == "badjson":
            self._send(200, b"<html>not json</html>")
            return
        request_id = f"req_{key[:16]}_{seen}"
        headers = {"request-id": request_id}
        if status != 200:
            if state.retry_after_ms is not None and (status in _RETRYABLE or status >= 500):
                headers["retry-after-ms"] = str(state.retry_after_ms)
            self._error(status, f"fake error {status}", headers)
            return
        for index, block in enumerate(content):
            if block["type"] == "tool_use":
                block["id"] = f"toolu_{key[:16]}_{seen}_{index}"
        self._send(
            200,
            {
                "id": f"msg_{key[:20]}_{seen}",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {**usage, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
            },
            headers,
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # a client that went away is not worth a traceback


class FakeAnthropic:
    """The server, in this process.  Use as a context manager or start()/stop()."""

    def __init__(
        self, host="127.0.0.1", port=0, log=None, default_verdict="pass", retry_after_ms=1
    ):
        self.state = _State(log, default_verdict == "pass", retry_after_ms)
        self._server = _Server((host, port), _Handler)
        self._server.state = self.state
        self.host, self.port = self._server.server_address[:2]
        self._thread = None

    @property
    def base_url(self):
        return f"http://{self.host}:{self.port}"

    @property
    def requests(self):
        """The log entries so far (a copy)."""
        with self.state.lock:
            return list(self.state.requests)

    def reset(self):
        with self.state.lock:
            self.state.reset()

    def start(self):
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()
        return self

    def stop(self):
        if self._thread:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    __enter__ = start

    def __exit__(self, *exc):
        self.stop()

    def serve_forever(self):
        self._server.serve_forever(poll_interval=0.2)


def main(argv=None):
    parser = argparse.ArgumentParser(
        description="A deterministic stand-in for the Anthropic Messages API."
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", default=None, metavar="FILE")
    parser.add_argument("--default-verdict", choices=("pass", "fail"), default="pass")
    parser.add_argument("--retry-after-ms", type=int, default=None, metavar="N")
    args = parser.parse_args(argv)
    server = FakeAnthropic(
        args.host, args.port, args.log, args.default_verdict, args.retry_after_ms
    )
    print(server.port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
