"""A passage: one stretch of prose, with its place and its kind of reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


END = re.compile(r"(?<=[.!?])[\"')\u201d*]*\s+(?=[\"'(\u201c`*]*[A-Z\u2026])")
CODE = re.compile(r"\w\|\w|offset:|\w:[\w#-]+;|-src\b|=>|\bSELECT\b")


class Kind(Enum):
    """The place at which a reader meets a text."""

    DOCS = "docs"
    PAGE = "page, findings, advice"
    HELP = "help, errors"
    TOOLS = "build tools, benchmarks"
    DOCSTRING = "docstrings"
    COMMENT = "comments"


USERS = (Kind.DOCS, Kind.PAGE, Kind.HELP)
"""The kinds that users read."""


@dataclass(frozen=True)
class Passage:
    """Some sentences of one file. `line` is their first line."""

    file: Path
    line: int
    kind: Kind
    text: str

    def sentences(self) -> Iterator[str]:
        """Yields the sentences, with each white space reduced to one space."""
        for part in re.split(r"\n\s*\n|\x1f", self.text):
            joined = re.sub(r"\s+", " ", part).strip()
            yield from (sentence for sentence in END.split(joined) if sentence)


def is_prose(text: str) -> bool:
    """Returns whether a string can be prose: at least three words, with spaces, and no code, path or style sheet."""
    if CODE.search(text):
        return False
    return len(re.findall(r"(?<![\w./-])[A-Za-z][a-z']*(?![\w/=(]|\.\w)", text)) >= 3
