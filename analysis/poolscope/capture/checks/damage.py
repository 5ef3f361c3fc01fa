"""How damage of a table is reported."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.base.errors import UnreadableCapture


class Damaged(UnreadableCapture):
    """A table holds what no decoder writes."""

    def __init__(self, table: str, column: str, row: int | None, why: str) -> None:
        place = f"column {column}" if row is None else f"column {column}, row {row:,}"
        super().__init__(f"table {table}, {place}: {why}; it is damaged. Run: poolscope decode CAPTURE")


def refuse_any(wrong: AnyArray, table: str, column: str, values: AnyArray, why: str) -> None:
    """Raises Damaged for the first row that is wrong, if any is."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise Damaged(table, column, row, f"{values[row]} {why}")
