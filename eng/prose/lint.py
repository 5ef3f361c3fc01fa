"""Searches the files of the repository for patterns and words."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import repo
from prose import patterns, texts, words
from prose.passages import USERS, Kind, Passage


@dataclass(frozen=True)
class Found:
    """One pattern in one sentence."""

    passage: Passage
    pattern: patterns.Pattern
    words: str
    sentence: str

    def __str__(self) -> str:
        place = f"{self.passage.file.as_posix()}:{self.passage.line}"
        return f"{place}: {self.pattern.name}: '{self.sentence}': write {self.pattern.instead}"


def tracked(root: Path | None = None) -> list[str]:
    """Returns the files that git tracks; none without git, as in an unpacked archive."""
    listed = subprocess.run(["git", "ls-files"], cwd=root or repo.ROOT, capture_output=True, text=True)
    return listed.stdout.splitlines() if listed.returncode == 0 else []


def found_in(
    names: list[str], kinds: list[Kind], looked_for: list[patterns.Pattern], root: Path | None = None
) -> list[Found]:
    """Returns every pattern in the texts of these kinds."""
    found: list[Found] = []
    for name in names:
        for passage in texts.in_file(root or repo.ROOT, name):
            if passage.kind in kinds:
                for sentence in passage.sentences():
                    for pattern, shown in patterns.in_sentence(sentence, looked_for):
                        found.append(Found(passage, pattern, shown, sentence))
    return found


def failures(names: list[str]) -> list[str]:
    """Returns the finds that `lint` reports: the listed words anywhere, all patterns in texts for users, and the twelve
    in texts for contributors."""
    contributors = [kind for kind in Kind if kind not in USERS]
    found = [*found_in(names, list(USERS), patterns.ALL), *found_in(names, contributors, patterns.TWELVE)]
    return [*map(str, words.in_repository(names)), *map(str, found)]
