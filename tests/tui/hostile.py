"""Texts that tools and models write, which must be shown as they are and never act."""

LITERAL = [
    "[/INST] ok",
    "[INST] x [/INST]",
    "[/usr/bin/x]",
    "[/'A', 1, /'B']",
    "[/",
    "z [b + should reply 3.",
    "[type=frozen, input={}]",
    "--exclude [node_modules] .",
    "[blue] team",
    "[x=1]",
    "\\[b]x",
    "C:\\dir\\",
    "[@click=app.quit]go[/]",
]
"""Shown byte for byte."""

ACTING = [
    "\x1b[31mred",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "over\rwrite",
    "bell\x07",
    "\x9b2J",
    "del\x7f nul\x00",
    "bidi\u202egnp.exe",
    "half \ud83d surrogate",
]
"""Shown, never sent to the terminal."""

WIDE = [
    "日本語テスト",
    "family 👨‍👩‍👧‍👦 end",
    "heart ❤️ vs16",
    "flags 🇩🇪🇫🇷",
    "combining e\u0301\u0308 n\u0303",
]

ALL = LITERAL + ACTING + WIDE


def acts(text: str) -> bool:
    """Whether a terminal could take something in the text as a command."""
    return any(
        (ord(char) < 0x20 and char != "\n")
        or 0x7F <= ord(char) < 0xA0
        or 0xD800 <= ord(char) < 0xE000
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
        for char in text
    )
