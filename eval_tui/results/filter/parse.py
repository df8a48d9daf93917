"""Reading the filter line. Whatever is typed, it is read or refused with the place of the fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from eval_tui.results.compare import CHANGED, Group
from eval_tui.results.filter.terms import (
    SIGNS,
    STATES,
    All,
    Annotation,
    Case,
    CellTest,
    Changed,
    Compared,
    Cost,
    Disagree,
    Either,
    Filter,
    Is,
    Lacks,
    Not,
    OfJudge,
    Sign,
    State,
    Tag,
    Text,
)
from eval_tui.results.words import REASON_WORDS
from eval_tui.scores import Reason

DEEPEST: Final = 40
"""How deep parentheses and `not` may be nested."""

FIELDS: Final = ("case:", "judge:", "tag:", "annotations.", "cost>", "cost<")
"""How the terms begin that name what they look at."""

REASONS: Final = {word: reason for reason, word in REASON_WORDS.items()}
_STATES: Final[dict[str, State]] = {state: state for state in STATES}
_GROUPS: Final[dict[str, Group]] = {group: group for group in CHANGED}


class FilterError(ValueError):
    """The text is no filter. The message is a sentence for the person who is typing."""

    def __init__(self, message: str, position: int, unfinished: bool = False) -> None:
        super().__init__(message)
        self.position = position
        """The character at which the fault was seen, from 0."""
        self.unfinished = unfinished
        """It may be right once more is typed."""


class _Char(NamedTuple):
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Literal["(", ")", "term"]
    at: int
    chars: tuple[_Char, ...] = ()

    @property
    def word(self) -> str:
        """The keyword that the term may be; empty if any of it was quoted."""
        return "" if any(char.quoted for char in self.chars) else _text(self.chars).lower()


def parse(text: str) -> Filter:
    """The filter that a text says; an empty one lets everything through. Raises FilterError."""
    reader = _Reader(tuple(_tokens(text)), len(text))
    found = reader.either(0)
    if (left := reader.token()) is not None:
        raise FilterError("there is no ( for this )", left.at)
    return found


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "(" or text[at] == ")":
            yield _Token("(" if text[at] == "(" else ")", at)
            at += 1
        else:
            start = at
            chars: list[_Char] = []
            while at < len(text) and not text[at].isspace() and text[at] not in "()":
                at = _take(text, at, chars)
            yield _Token("term", start, tuple(chars))


def _take(text: str, at: int, chars: list[_Char]) -> int:
    """Take up one character, or all that is quoted; where to go on."""
    if text[at] != '"':
        chars.append(_Char(text[at], False))
        return at + 1
    start, at = at, at + 1
    chars.append(_Char("", True))  # so that "" is something
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\" and at + 1 < len(text)
        chars.append(_Char(text[at], True))
        at += 1
    if at >= len(text):
        raise FilterError("the quote is not closed", start, unfinished=True)
    return at + 1


class _Reader:
    """Where the reading is. `or` binds less than what stands side by side, `not` most."""

    def __init__(self, tokens: Sequence[_Token], end: int) -> None:
        self._tokens, self._end = tokens, end
        self._at = 0

    def token(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _word(self, *words: str) -> bool:
        """Step over one of these words, if it is next."""
        token = self.token()
        if token is None or token.kind != "term" or token.word not in words:
            return False
        self._at += 1
        return True

    def either(self, depth: int) -> Filter:
        found = [self._all(depth)]
        while (token := self.token()) is not None and self._word("or"):
            found.append(self._all(depth))
            if All() in found:
                end = self.token() is None and found[0] != All()
                at = self._end if end else token.at
                raise FilterError("`or` needs something on both sides", at, unfinished=end)
        if len(found) == 1:
            return found[0]
        return Either(tuple(part for one in found for part in _parts(one, Either)))

    def _all(self, depth: int) -> Filter:
        found: list[Filter] = []
        while (token := self.token()) is not None and token.kind != ")" and token.word != "or":
            if self._word("and"):
                token = self.token()
                if not found or token is None or token.kind == ")" or token.word in ("and", "or"):
                    raise self._fault("`and` needs something on both sides")
            found.append(self._one(depth))
        terms = tuple(part for one in found for part in _parts(one, All))
        return terms[0] if len(terms) == 1 else All(terms)

    def _one(self, depth: int) -> Filter:
        token = self.token()
        if depth > DEEPEST:
            raise self._fault("this is nested too deeply")
        if self._word("not"):
            token = self.token()
            if token is None or token.kind == ")" or token.word in ("and", "or"):
                raise self._fault("`not` needs something after it")
            return Not(self._one(depth + 1))
        assert token is not None
        self._at += 1
        if token.kind == "term":
            return _term(token)
        found = self.either(depth + 1)
        if self.token() is None:
            raise FilterError("the ( is not closed", token.at, unfinished=True)
        self._at += 1
        if found == All():
            raise FilterError("there is nothing in these ( )", token.at)
        return found

    def _fault(self, message: str) -> FilterError:
        token = self.token()
        return FilterError(message, token.at if token else self._end, unfinished=token is None)


def _parts(term: Filter, kind: type[All | Either]) -> tuple[Filter, ...]:
    """What one term adds to a list of terms of a kind: no list within the same kind of list."""
    return term.terms if isinstance(term, (All, Either)) and isinstance(term, kind) else (term,)


def _term(token: _Token) -> Filter:
    chars, at = token.chars, token.at
    if token.word == "disagree":
        return Disagree()
    if (test := _cell_test(chars, at)) is not None and not isinstance(test, Compared):
        return test
    place = _mark(chars)
    if place is None:
        return Text(_text(chars)) if not _path(chars) else Annotation(_keys(chars, at))
    field, rest = chars[:place], chars[place:]
    name = "" if any(char.quoted for char in field) else _text(field).lower()
    if _path(field):
        return Annotation(_keys(field, at), _comparison(rest, at + place, text=True))
    if name == "cost":
        return Cost(_comparison(rest, at + place, text=False))
    if name in ("case", "tag", "judge") and rest[0].text == ":":
        return _named(name, rest[1:], at + place + 1)
    raise FilterError(f"no field is called {_text(field)!r}: put text in quotes", at)


def _named(name: str, rest: tuple[_Char, ...], at: int) -> Filter:
    place = _mark(rest) if name == "judge" else None
    pattern = _text(rest[:place])
    if not rest[:place]:
        raise FilterError(f"which {name}?", at, unfinished=True)
    if name == "case":
        return Case(pattern)
    if name == "tag":
        return Tag(pattern)
    if place is None:
        return OfJudge(pattern)
    told = rest[place:]
    if told[0].text != ":":
        return OfJudge(pattern, _comparison(told, at + place, text=True))
    if not told[1:]:
        return OfJudge(pattern)
    test = _cell_test(told[1:], at + place + 1)
    if test is None:
        known = ", ".join([*STATES, "unmeasured", "changed"])
        raise FilterError(f"a judge's cell can be {known}", at + place + 1, unfinished=True)
    return OfJudge(pattern, test)


def _cell_test(chars: tuple[_Char, ...], at: int) -> CellTest | None:
    """What the characters say about a cell, if they say something about one."""
    if any(char.quoted for char in chars):
        return None
    word, colon, more = _text(chars).lower().partition(":")
    state = _STATES.get(word)
    if state is not None and not colon:
        return Is(state)
    if word == "skipped" and not colon:
        return Lacks(Reason.POLICY_SKIP)
    if word == "unmeasured":
        return Lacks(_reason(more, at + len(word) + 1) if more else None)
    if word == "changed":
        return Changed(_group(more, at + len(word) + 1) if more else None)
    return None


def _reason(word: str, at: int) -> Reason:
    reason = REASONS.get(word) or next((one for one in Reason if one.value == word), None)
    if reason is None:
        raise FilterError(f"a reason is one of {', '.join(REASONS)}", at, unfinished=True)
    return reason


def _group(word: str, at: int) -> Group:
    group = _GROUPS.get(word)
    if group is None:
        raise FilterError(f"a change is one of {', '.join(CHANGED)}", at, unfinished=True)
    return group


def _comparison(chars: tuple[_Char, ...], at: int, text: bool) -> Compared:
    """`<3`, `=navigation`, `:navigation`. Without `text` only numbers are compared."""
    plain = "".join(char.text for char in chars[:2] if not char.quoted)
    sign: Sign | None = next((sign for sign in SIGNS if plain.startswith(sign)), None)
    length = len(sign) if sign else 1
    value = _text(chars[length:])
    if sign is None and plain.startswith(":"):
        sign = "="
    if sign is None:
        raise FilterError("a comparison is one of < <= > >= = !=", at)
    if not chars[length:]:
        raise FilterError(f"{sign} needs a value after it", at, unfinished=True)
    if (not text or sign not in ("=", "!=")) and number_of(value) is None:
        raise FilterError(f"{sign} needs a number after it", at + length, unfinished=True)
    return Compared(sign, value)


def number_of(text: str) -> float | None:
    """The number that a text is; None for all else, not-a-number included."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value else None


def _path(chars: tuple[_Char, ...]) -> bool:
    start = chars[: len("annotations.")]
    return not any(char.quoted for char in start) and _text(start).lower() == "annotations."


def _keys(chars: tuple[_Char, ...], at: int) -> tuple[str, ...]:
    """The keys of a path of annotations; dots in quotes belong to a key."""
    keys: list[list[_Char]] = [[]]
    for char in chars[len("annotations.") :]:
        if char == _Char(".", False):
            keys.append([])
        else:
            keys[-1].append(char)
    if not all(keys):
        raise FilterError("which annotation?", at + len(chars), unfinished=True)
    return tuple(map(_text, keys))


def _mark(chars: tuple[_Char, ...]) -> int | None:
    """Where the first colon or comparison is that is not quoted."""
    return next(
        (i for i, char in enumerate(chars) if not char.quoted and char.text in ":<>=!"), None
    )


def _text(chars: Sequence[_Char]) -> str:
    return "".join(char.text for char in chars)
