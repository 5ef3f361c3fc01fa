"""Making text from a capture harmless in the four places where a page puts it: HTML, scripts, charts and Markdown."""

from __future__ import annotations

import json
import re
import unicodedata

from markupsafe import Markup, escape

NAME_LENGTH = 200
"""Characters of a word that a page shows. The longest names that compilers make of generics and closures fit."""
TEXT_LENGTH = 2_000
"""Characters of a whole text: several times the longest that a rule says."""
_LONG_NAME = re.compile(rf"\S{{{NAME_LENGTH + 1},}}")
_UNIT = re.compile(r"(?<=\d) (?=%|(?:s|ms|µs|min|kB|MB|GB)\b)")
"""A number and its unit, which no line break may part."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]|~]|^[#+-]|(?<=^\d)[.)]")
"""Parentheses and the like mean nothing without a bracket before them or a line to begin; escaped, they are only noise where
a tracker shows Markdown as it is."""


def visible(text: str) -> str:
    """Returns `text` with every character that a reader would not see, or that moves others about, written as an
    escape.

    Control and format characters (bidirectional overrides among them) could make one name look like another; lone
    surrogates, as in a file name that is not UTF-8, cannot be written as UTF-8 at all. Text that is too long to read is
    shortened.
    """
    text = shortened(text)
    return "".join(_shown(c) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)


def shortened(text: str) -> str:
    """Shortens long names and long texts in their middle: both ends of a method's name say what it is."""
    text = _LONG_NAME.sub(lambda name: _without_middle(name[0], NAME_LENGTH), text)
    return _without_middle(text, TEXT_LENGTH) if len(text) > TEXT_LENGTH else text


def _without_middle(text: str, length: int) -> str:
    kept = (length - 1) // 2
    return f"{text[:kept]}\N{HORIZONTAL ELLIPSIS}{text[-kept:]}"


def _shown(character: str) -> str:
    if character == "\n":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def finalize(value: object) -> object:
    """Returns what jinja2 does to every expression of a template, before it escapes it."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNIT.sub("\u00a0", visible(value))


def script_json(value: object) -> Markup:
    """Returns JSON for the inside of a <script>: it holds no `<`, `>` or `&`, and nothing outside ASCII."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # Outside strings JSON has none of these characters, and inside strings the escape means the same.
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def plotly_text(text: str) -> str:
    """Escapes text for a chart: plotly reads a subset of HTML in titles, labels and hover texts."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown(text: str) -> str:
    """Escapes text for one line of Markdown: neither markup nor HTML, and no line of its own."""
    line = " ".join(visible(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(lambda mark: "\\" + mark[0], line)


def html_text(value: object) -> Markup:
    """Escapes text for an element or an attribute of HTML."""
    return escape(finalize(str(value)))
