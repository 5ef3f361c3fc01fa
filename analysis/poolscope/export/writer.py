"""What a format's module offers: a function that writes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from poolscope.export.source import Source


@dataclass(frozen=True)
class Written:
    """What a file holds."""

    counts: dict[str, int]
    """How many of what, such as `{"items": 50, "flows": 49}`: printed, and cross-checked by tests."""
    notes: list[str] = field(default_factory=list)
    """Sentences on what this file lacks that the format could show."""


class Writer(Protocol):
    """`write(source, output, view)` of a format's module."""

    def __call__(self, source: Source, output: Path, view: str | None) -> Written:
        """Writes the file (or folder) `output`, which does not exist yet and has the suffix that was asked for.

        `view` is one of the format's views, or None if it has none. An OSError is the caller's to report.
        Raises InsufficientEvidence where the capture lacks what the format shows.
        """
