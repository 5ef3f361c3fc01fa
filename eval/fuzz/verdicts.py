"""The property under test: a damaged table never gives another verdict than the sound one with the same confidence."""

from __future__ import annotations

import numpy as np

from fuzz.memory import Original, archive_of
from fuzz.values import damage_rows, damage_value
from poolscope.base.errors import PoolscopeError
from poolscope.capture import load_schema
from poolscope.findings import Verdict
from poolscope.product import analyse

REFUSED = "refused"
LOWERED = "lower confidence"
SAME = "same verdict"
CONFIDENT_AND_WRONG = "CONFIDENT AND WRONG"
ORDER = ("low", "medium", "high")
WEIGHT = {
    "work_items": 8,
    "thread_states": 8,
    "streams": 3,
    "pool_limits": 4,
    "pool_changes": 4,
    "capacity": 3,
    "suspensions": 3,
}
"""How often a table is chosen: more often for tables that determine a verdict, once for all others."""


class Judge:
    """Damages one capture again and again, and compares each verdict with that of the sound capture."""

    def __init__(self, original: Original) -> None:
        self.original = original
        self.verdict: Verdict = analyse(original.capture).verdict
        self._tables = [table for table in original.tables for _ in range(WEIGHT.get(table, 1))]

    def judge(self, rng: np.random.Generator) -> tuple[str, str]:
        """Returns the result of one damage, and its description."""
        table = self._tables[int(rng.integers(len(self._tables)))]
        damage = damage_value if rng.random() < 0.7 else damage_rows
        arrays, what = damage(self.original.arrays(table), load_schema().tables[table], rng)
        try:
            found = analyse(self.original.with_table(table, archive_of(arrays))).verdict
        except PoolscopeError:
            return REFUSED, what
        told = f"{what}; {self.verdict.id} ({self.verdict.confidence}) became {found.id} ({found.confidence})"
        if ORDER.index(found.confidence) < ORDER.index(self.verdict.confidence):
            return LOWERED, told
        return (SAME if found.id == self.verdict.id else CONFIDENT_AND_WRONG), told
