"""Passages of Markdown pages and of HTML templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from prose.passages import Kind, Passage, is_prose
from prose.python_texts import PLACE

FENCE = re.compile(r"^\s*(```|~~~)")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")


def of_markdown(source: str, file: Path) -> Iterator[Passage]:
    """Yields paragraphs, bullets, headings and table cells. Skips code blocks and generated parts."""
    block: list[str] = []
    first, fenced, made = 0, False, False
    for number, line in enumerate([*source.split("\n"), ""], 1):
        if FENCE.match(line):
            fenced = not fenced
        if "<!--" in line:
            made = "begin" in line if "begin" in line or "end" in line else made
        ends = fenced or made or not line.strip() or FENCE.match(line) or line.lstrip().startswith(("|", "#", "<!--"))
        if block and (ends or BULLET.match(line)):
            yield Passage(file, first, Kind.DOCS, plain_markdown("\n".join(block)))
            block = []
        if ends:
            if not fenced and not made and line.lstrip().startswith(("|", "#")):
                for cell in re.split(r"(?<!\\)\|", line.strip().strip("|#")):
                    yield Passage(file, number, Kind.DOCS, plain_markdown(cell))
            continue
        if not block and line.startswith("    ") and not BULLET.match(line):
            continue  # an indented code block
        if not block:
            first = number
        block.append(BULLET.sub("", line))


def plain_markdown(text: str) -> str:
    """Returns Markdown without its marks; inline code counts as one word."""
    text = re.sub(r"``.+?``|`[^`]+`", PLACE, text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


def of_html(source: str, file: Path) -> Iterator[Passage]:
    """Yields the text between the elements that end a line."""
    plain = re.sub(r"\{%-? el(?:se|if)[^%]*%\}", "\x1f", source)
    plain = re.sub(r"(?s)\{#.*?#\}|\{%.*?%\}|<script.*?</script>|<style.*?</style>|<!--.*?-->", _newlines, plain)
    plain = re.sub(r"(?s)\{\{.*?\}\}", lambda found: PLACE + _newlines(found), plain)
    attributes = re.compile(r'\b(?:title|aria-label|alt|placeholder)="([^"]+)"')
    for match in attributes.finditer(plain):
        if is_prose(match[1]):
            yield Passage(file, plain.count("\n", 0, match.start()) + 1, Kind.PAGE, match[1])
    inline = r"(?s)</?(?:a|b|i|em|strong|code|span|abbr|kbd|sub|sup|small|output)\b[^>]*>"
    plain = re.sub(inline, _newlines, plain)
    position = 0
    for part in re.split(r"(?s)(<[^>]*>)", plain):
        if not part.startswith("<") and is_prose(part):
            begin = position + len(part) - len(part.lstrip())
            yield Passage(file, plain.count("\n", 0, begin) + 1, Kind.PAGE, part)
        position += len(part)


def _newlines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")
