"""Passages of C# and JavaScript files: documentation comments, strings and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from prose.passages import Kind, Passage, is_prose
from prose.python_texts import LAYOUT, PLACE

TOKEN = re.compile(
    r"(?P<doc>(?:^[ \t]*///[^\n]*\n?)+)"
    r"|(?P<line>(?:^[ \t]*//[^\n]*\n?)+|//[^\n]*)"
    r"|(?P<block>/\*.*?\*/)"
    r'|(?P<raw>\$*"""+.*?"""+)'
    r'|(?P<verbatim>(?:\$@|@\$|@)"(?:[^"]|"")*")'
    r'|(?P<string>\$?"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>'(?:\\.|[^'\\\n])+')"
    r"|(?P<template>`(?:\\.|[^`\\])*`)",
    re.MULTILINE | re.DOTALL,
)
STRINGS = ("raw", "verbatim", "string", "template")
TAG = re.compile(r"<(?:see|paramref|typeparamref)[^>]*?(?:cref|name|langword|href)=\"(?:[A-Z]:)?([^\"]*)\"[^>]*/>")


def passages(source: str, file: Path, strings: Kind | None) -> Iterator[Passage]:
    """Yields the passages of a C# or JavaScript file. `strings` is the kind of its strings; None leaves them out."""
    text, start, end = "", 0, 0
    for token in TOKEN.finditer(source):
        group, words = token.lastgroup, token[0]
        if group in STRINGS and strings is not None:
            said = _string(group, words)
            if text and re.fullmatch(r"\s*\+\s*", source[end : token.start()]):
                text += said
            else:
                yield from _found(file, source, start, strings, text)
                text, start = said, token.start()
            end = token.end()
        elif group == "doc":
            plain = re.sub(r"^[ \t]*/// ?", "", words, flags=re.MULTILINE)
            for part in re.split(r"</?(?:summary|remarks|param|returns|exception|para|value|item|list)\b[^>]*>", plain):
                yield Passage(file, _line(source, token.start()), Kind.DOCSTRING, _plain(part))
        elif group in ("line", "block"):
            plain = re.sub(r"^\s*//+ ?|^/\*+|\*+/$|^\s*\* ", "", words, flags=re.MULTILINE)
            yield Passage(file, _line(source, token.start()), Kind.COMMENT, plain)
    if strings is not None:
        yield from _found(file, source, start, strings, text)


def _found(file: Path, source: str, start: int, kind: Kind, text: str) -> Iterator[Passage]:
    for part in LAYOUT.split(text):
        if is_prose(part):
            yield Passage(file, _line(source, start), kind, part)


def _line(source: str, position: int) -> int:
    return source.count("\n", 0, position) + 1


def _string(group: str | None, words: str) -> str:
    body = words.lstrip("$@").strip('"`')
    if group != "raw":
        body = re.sub(r"\\[nrt]", " ", body).replace('\\"', '"').replace('""', '"')
    return re.sub(r"\$?\{[^{}]*\}", PLACE, body)


def _plain(text: str) -> str:
    return re.sub(r"</?[a-z][^>]*>", "", TAG.sub(r"\1", text)).replace("&lt;", "<").replace("&gt;", ">")
