"""How much memory the analysis of this many rows takes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from poolscope.base.errors import UnreadableCapture
from poolscope.capture.capture import DecodedCapture
from poolscope.capture.pieces import TableFile
from poolscope.capture.schema import load_schema

BASE_BYTES = 250_000_000
"""For a capture with hardly any row: the interpreter, its libraries and the compiled loop."""
MEASURED = {"work_items": 1_500, "thread_states": 220, "switches": 60, "wakeups": 60}
"""Bytes for each row, at the peak of an analysis, measured (docs/large-captures.md) and rounded up."""
COPIES = 4
"""For every other table: as it is read, sorted, and in what is made of it."""


@cache
def bytes_of_row(table: str) -> int:
    """Estimates the bytes that an analysis takes for each row of a table."""
    schema = load_schema().tables[table]
    return MEASURED.get(table, COPIES * sum(column.dtype.itemsize for column in schema.columns))


def needed_bytes(rows: Mapping[str, int]) -> int:
    """Estimates the bytes that the analysis of a capture with this many rows in each table takes."""
    return BASE_BYTES + sum(bytes_of_row(table) * count for table, count in rows.items())


def rows_of(capture: DecodedCapture) -> dict[str, int]:
    """Returns how many rows each table has. No row is read: the manifest or the headers of the files tell. For a damaged table that
    is not known (0): anyone who reads it says so."""
    told = capture.manifest.get("tables")
    if told:
        return {table: int(count) for table, count in told.items() if table in load_schema().tables}
    found = {}
    for name, schema in load_schema().tables.items():
        with suppress(UnreadableCapture), capture.opened(name) as file:
            if file is not None:
                found[name] = TableFile(file, schema).rows
    return found
