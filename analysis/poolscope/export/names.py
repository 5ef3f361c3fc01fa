"""Names out of a capture as text that every format can hold."""

from __future__ import annotations

import unicodedata

UNSEEN = ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")
"""Categories of characters that no reader sees, that move others about, or that XML or UTF-8 cannot hold: controls, format
characters, what is no character, lone surrogates, line and paragraph separators."""


def plain(name: str) -> str:
    """Returns `name` in one line of visible characters, never empty: others are written as an escape, such as \\u0000."""
    if name.isascii() and name.isprintable() and name.strip():
        return name
    blank = not name.strip()
    text = "".join(escaped(c) if blank or unicodedata.category(c) in UNSEEN else c for c in name)
    return text or "[no name]"


def escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
