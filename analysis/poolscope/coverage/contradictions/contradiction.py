"""Rows of one table that another one contradicts."""

from __future__ import annotations

from dataclasses import dataclass

SERIOUS_SHARE = 0.01
"""For the rows: from one in a hundred on, what contradicts itself is no accident of a few rows, and no verdict is given."""
SERIOUS_ROWS = 2
"""One row alone lowers the confidence and does not forbid a verdict."""


@dataclass(frozen=True)
class Contradiction:
    """The field names are the keys of `coverage.contradictions[]` in analysis.json."""

    tables: str
    """The two that disagree."""
    what: str
    """Which rows, as the subject of a sentence that a count begins: "dequeues lie where ..."."""
    rows: int
    """How many do, 1 or more."""
    of: int
    """Number that could."""

    @property
    def is_serious(self) -> bool:
        """Whether it forbids a verdict."""
        return self.rows >= SERIOUS_ROWS and self.rows >= SERIOUS_SHARE * self.of

    @property
    def sentence(self) -> str:
        return f"{self.rows:,} of {self.of:,} {self.what} ({self.tables})."
