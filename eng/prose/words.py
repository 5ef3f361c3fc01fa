"""Words to avoid: texts for readers are plain English (CONTRIBUTING.md, "Words")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import repo

INSTEAD = {
    r"dear(er|est)": "costlier, costliest",
    r"mend(s|ed|ing)?": "fix",
    r"surer": "more certain, or say what limits the confidence",
    r"for want of": "without, or because there is no",
    r"(though|whatever|lest) (that |it )?be": "even if it is",
    r"(have|has) not to be": "need not be",
    r"to whom of": "which of them",
    r"would alone do|alone would do": "is enough",
    r"met others there": "contended for it",
    r"replay off by": "replay error",
    r"hold the lock for less": "shorten the critical section",
    r"not to be told": "cannot tell",
    r"items that paid most": "most affected items",
    r"carry a verdict": "enough evidence for a verdict",
    r"nobody (knows|whom)": "it is not known",
    r"leaves? the house": "share, or leave the machine",
    r"(what )?came of (it|each|them|one|a)": "the result, or the outcome",
    r"in vain": "lacked, or without success",
    r"of all that is drawn": "of the random numbers",
    r"had come in truth": "arrived",
    r"whence|thither|hither|thereof|wherefore|albeit|nought": "a word that people use today",
}
"""The words to avoid, as a regular expression of whole words, and their replacement."""
PATTERN = re.compile("|".join(rf"(?P<w{i}>\b(?:{words})\b)" for i, words in enumerate(INSTEAD)), re.IGNORECASE)
SUFFIXES = (".py", ".cs", ".md", ".html", ".sh", ".ps1")
LEFT_OUT = ("CHANGELOG.md", "eng/prose/", "eng/tests/test_prose")
"""Published text stays as it is; the other files contain the words themselves."""


@dataclass(frozen=True)
class Found:
    """One listed word in one line."""

    file: Path
    line: int
    words: str
    instead: str

    def __str__(self) -> str:
        return f"{self.file.as_posix()}:{self.line}: '{self.words}': write {self.instead}"


def in_text(text: str, file: Path) -> Iterator[Found]:
    """Yields every listed word in a text. A phrase split over two lines is found in the line on which it begins."""
    joined = re.sub(r"\s", " ", text)
    for match in PATTERN.finditer(joined):
        name = match.lastgroup
        assert name is not None
        yield Found(file, text.count("\n", 0, match.start()) + 1, match[0], list(INSTEAD.values())[int(name[1:])])


def in_repository(files: list[str]) -> list[Found]:
    """Returns every listed word in these files, given as paths from the repository's root."""
    found: list[Found] = []
    for name in files:
        path = Path(name)
        if path.suffix in SUFFIXES and not name.startswith(LEFT_OUT):
            found += in_text((repo.ROOT / path).read_text("utf-8"), path)
    return found
