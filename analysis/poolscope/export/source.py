"""The source of an export, and the writer of a format: the capture, and its attribution, made on first use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from poolscope.attribution import Attribution, attribute
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.incidents import assess, counted_by_blame
from poolscope.measures.activities import Activities, measure_activities
from poolscope.measures.requests import RequestParts, Requests, measure_requests, split_requests


class Source:
    """One capture to be exported. Raises as `attribute` does when a format asks for the attribution."""

    def __init__(self, capture: DecodedCapture) -> None:
        self.capture = capture

    @cached_property
    def attribution(self) -> Attribution:
        """Times in it are ns from `capture.window[0]`; those of the tables are ns of the capture's clock."""
        return attribute(self.capture)

    @cached_property
    def requests(self) -> Requests | None:
        """None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @cached_property
    def request_parts(self) -> RequestParts | None:
        """None without requests that are tied and answered."""
        if self.requests is None or not self.requests.whole.any():
            return None
        return split_requests(self.requests, self.attribution)

    @cached_property
    def activities(self) -> Activities | None:
        """None if no activity was recorded."""
        return measure_activities(self.capture, self.attribution)

    @cached_property
    def blamed_moments(self) -> Steps | None:
        """What each moment counts in the report's blame (incidents/assess.py)."""
        return counted_by_blame(self.attribution.items, assess(self.capture, self.attribution))


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
