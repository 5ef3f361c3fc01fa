"""Escapes text from a capture for the four places in a page: HTML, scripts, charts and Markdown."""

from __future__ import annotations

import json
import re
import unicodedata

from markupsafe import Markup, escape

NAME_LENGTH = 200
"""The most characters of a word on a page. The longest names that compilers generate for generics and closures fit."""
TEXT_LENGTH = 2_000
"""The most characters of a whole text: several times the longest text of a rule."""
_LONG_NAME = re.compile(rf"\S{{{NAME_LENGTH + 1},}}")
_UNIT = re.compile(r"(?<=\d) (?=%|(?:s|ms|µs|min|kB|MB|GB)\b)")
"""A number and its unit, which no line break may separate."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]|~]|^[#+-]|(?<=^\d)[.)]")
"""Parentheses and the like have no meaning unless they follow a bracket or begin a line. Escaping them would only add
noise in a tracker that shows Markdown as plain text."""


def visible(text: str) -> str:
    """Returns `text` with every invisible or reordering character escaped.

    Control and format characters, including bidirectional overrides, could make one name look like another. Lone
    surrogates, as in a file name that is not UTF-8, cannot be encoded in UTF-8. Text that is too long to read is
    shortened.
    """
    text = shortened(text)
    if text.isprintable():
        return text
    return "".join(_shown(c) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)


def shortened(text: str) -> str:
    """Shortens long names and long texts in the middle, because both ends of a method's name identify it."""
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
    """Returns the value of a template expression as jinja2 receives it before escaping."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNIT.sub("\u00a0", visible(value))


def script_json(value: object) -> Markup:
    """Returns JSON for the inside of a <script>, without `<`, `>` and `&` and only in ASCII."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    # JSON has these characters only inside strings, and there the escape means the same.
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def plotly_text(text: str) -> str:
    """Escapes text for a chart: plotly reads a subset of HTML in titles, labels and hover texts."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown(text: str) -> str:
    """Escapes text for one line of Markdown: no markup, no HTML, no line breaks."""
    line = " ".join(visible(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(lambda mark: "\\" + mark[0], line)


def html_text(value: object) -> Markup:
    """Escapes text for an element or an attribute of HTML."""
    return escape(finalize(str(value)))
