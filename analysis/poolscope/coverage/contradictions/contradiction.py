"""Rows of one table that another one contradicts."""

from __future__ import annotations

from dataclasses import dataclass

SERIOUS_SHARE = 0.01
"""The share of contradicting rows from which no verdict is given: one in a hundred is no accident of a few rows."""
SERIOUS_ROWS = 2
"""A single row lowers the confidence and does not prevent a verdict."""


@dataclass(frozen=True)
class Contradiction:
    """Rows that another table contradicts. The field names are the keys of `coverage.contradictions[]` in
    analysis.json."""

    tables: str
    """The two tables that disagree."""
    what: str
    """The rows, as the subject of a sentence that begins with a count: "dequeues lie where ..."."""
    rows: int
    """The number of contradicting rows, 1 or more."""
    of: int
    """The number of rows that were compared."""

    @property
    def is_serious(self) -> bool:
        """Whether the contradiction prevents a verdict."""
        return self.rows >= SERIOUS_ROWS and self.rows >= SERIOUS_SHARE * self.of

    @property
    def sentence(self) -> str:
        return f"{self.rows:,} of {self.of:,} {self.what} ({self.tables})."
