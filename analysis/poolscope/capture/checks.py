"""Checks tables against traces/schema.json: ranges, order, references and intervals.

Damage raises an error that names table, column and row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.errors import UnreadableCapture
from poolscope.base.lookup import ordered
from poolscope.capture.schema import ColumnSchema, TableSchema, flag
from poolscope.contract.manifest_json import ManifestJson


class Damaged(UnreadableCapture):
    """The error for a table with content that no decoder writes."""

    def __init__(self, table: str, column: str, row: int | None, why: str) -> None:
        place = f"column {column}" if row is None else f"column {column}, row {row:,}"
        super().__init__(f"table {table}, {place}: {why}; it is damaged. Run: poolscope decode CAPTURE")


def refuse_any(wrong: AnyArray, table: str, column: str, values: AnyArray, why: str) -> None:
    """Raises Damaged for the first wrong row, if any row is wrong."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise Damaged(table, column, row, f"{values[row]} {why}")


STREAMS = "streams"
TOLD = {"start": "start_ns", "end": "end_ns", "events": "events", "bytes": "bytes", "lost": "lost"}
"""Columns, and the keys of the manifest's `streams` with the same values."""


def check_streams(streams: pd.DataFrame, manifest: ManifestJson) -> None:
    """Raises Damaged if a file appears twice, or contradicts the manifest. The manifest does not constrain a file that
    it does not name."""
    files = streams["file"].astype(str)
    if files.duplicated().any():
        raise Damaged(STREAMS, "file", int(files.duplicated().to_numpy().argmax()), "the file is there already")
    told: dict[str, Mapping[str, Any]] = {stream["file"]: stream for stream in manifest.get("streams", [])}
    for row, stream in enumerate(streams.itertuples()):
        found = told.get(str(stream.file))
        if found is None:
            continue
        for column, key in TOLD.items():
            value = int(getattr(stream, column))
            if found.get(key) is None or found[key] == value:
                continue
            # The recorder knows when it ended a stream; a truncated file ends earlier.
            if column != "end" or not stream.cut or value > found[key]:
                raise Damaged(STREAMS, column, row, f"{value}, and capture.json says {found[key]}")
        if found.get("tier") is not None and found["tier"] != str(stream.tier):
            raise Damaged(STREAMS, "tier", row, f"{stream.tier!s}, and capture.json says {found['tier']!s:.40}")


WORK_ITEMS: Final = "work_items"


def check_work_items(items: pd.DataFrame, lossy: bool = False) -> None:
    """Raises Damaged for the first row that contradicts itself or, unless events were lost, the rows of the same
    worker."""
    if items.empty:
        return
    enqueue, dequeue, end = (items[name].to_numpy() for name in ("enqueue", "dequeue", "end"))
    flags = items["flags"].to_numpy()
    inlined = (flags & flag(WORK_ITEMS, "inlined")) != 0

    def refuse(wrong: AnyArray, column: str, why: str) -> None:
        refuse_any(wrong, WORK_ITEMS, column, items[column].to_numpy(), why)

    refuse(
        (enqueue < 0) & (dequeue < 0) & ((flags & flag(WORK_ITEMS, "queued_at_end")) == 0), "dequeue", "and no enqueue"
    )
    refuse((dequeue < 0) & (end >= 0), "end", "and no dequeue")
    refuse((items["worker_tid"].to_numpy() >= 0) & (dequeue < 0), "worker_tid", "and no dequeue")
    refuse((items["worker_tid"].to_numpy() < 0) & (dequeue >= 0), "worker_tid", "and a dequeue")
    for name, holds, exempt in (
        ("censored_start", enqueue < 0, inlined),
        ("queued_at_end", dequeue < 0, None),
        ("running_at_end", (dequeue >= 0) & (end < 0), None),
    ):
        wrong = ((flags & flag(WORK_ITEMS, name)) != 0) != holds
        refuse(wrong if exempt is None else wrong & ~exempt, "flags", f"does not fit its times ({name})")
    if lossy:
        return
    order = np.where(enqueue >= 0, enqueue, dequeue)
    known = np.flatnonzero(order >= 0)
    _refuse_disorder(known, order[known])
    _refuse_overlap(items, dequeue, end, inlined)


def _refuse_disorder(row: IntArray, time: IntArray) -> None:
    wrong = time[1:] < time[:-1]
    if wrong.any():
        at = int(row[1:][np.argmax(wrong)])
        raise Damaged(WORK_ITEMS, "enqueue", at, "the row is earlier than the one before, by enqueue (or dequeue)")


def _refuse_overlap(items: pd.DataFrame, dequeue: IntArray, end: IntArray, inlined: BoolArray) -> None:
    """Refuses items that overlap on a worker. An item without a known end must be the last of its worker: the next
    dequeue would be its end."""
    ran = np.flatnonzero((dequeue >= 0) & ~inlined)
    until = np.where(end[ran] >= 0, end[ran], np.iinfo(np.int64).max)
    order = ordered(items["worker_tid"].to_numpy()[ran], dequeue[ran], until)
    ran, until = ran[order], until[order]
    worker = items["worker_tid"].to_numpy()[ran]
    wrong = (worker[1:] == worker[:-1]) & (dequeue[ran][1:] < until[:-1])
    if wrong.any():
        row = int(ran[1:][np.argmax(wrong)])
        raise Damaged(
            WORK_ITEMS,
            "dequeue",
            row,
            f"{dequeue[row]} is while worker {worker[1:][np.argmax(wrong)]} ran another item",
        )


LATEST_NS = 1 << 62
"""Sums and differences of two times up to this fit into 64 bits."""


@dataclass(frozen=True)
class Surroundings:
    """The limits of a table beyond its own schema."""

    earliest: int
    """No time of the capture lies before this, ns."""
    latest: int
    """No time of the capture lies after this, ns."""
    rows: Callable[[str], int]
    """Returns the number of rows of another table; 0 if the capture lacks it."""
    lossy: bool = False
    """Whether a stream lost events or was truncated. If the kernel's rings overflow, the remaining events cannot always
    be put in order, and the end of an interval may be lost. Order, intervals and doubled rows are then no sign of
    damage. The verdict reports the loss."""


def check_table(schema: TableSchema, table: pd.DataFrame, around: Surroundings) -> None:
    """Raises Damaged with the first column and row that do not fit the schema."""
    for column in schema.columns:
        if column.type == "string":
            _check_string(schema.name, column, table[column.name])
            continue
        values = table[column.name].to_numpy()
        if len(values):
            _check_values(schema.name, column, values, around)
            if "rising" in column.must and not around.lossy:
                wrong = np.append(False, values[1:] < values[:-1])
                refuse_any(wrong, schema.name, column.name, values, "is less than in the row before")
            _check_references(schema.name, column, values, len(table), around)
    for column in schema.columns:
        if len(table) and column.type != "string":
            _check_beside(schema.name, column, table)
    if schema.name == "work_items":
        check_work_items(table, around.lossy)
    if around.lossy:
        return
    if len(table) > 1 and any("rising" in column.must for column in schema.columns):
        _refuse_doubled(schema, table)
    for rule in schema.must:
        if rule.startswith("apart by "):
            _check_apart(schema.name, table, rule.removeprefix("apart by "))


def _check_string(table: str, column: ColumnSchema, values: pd.Series) -> None:
    if "known" in column.must and len(values) and values.isna().any():
        raise Damaged(table, column.name, int(values.isna().to_numpy().argmax()), "absent, and must not be")


def _check_values(table: str, column: ColumnSchema, values: AnyArray, around: Surroundings) -> None:
    def refuse(wrong: AnyArray, why: str) -> None:
        refuse_any(wrong, table, column.name, values, why)

    if column.type == "enum":
        if int(values.max()) >= len(column.values):
            refuse(values >= len(column.values), f"is none of {', '.join(column.values)}")
        return
    if column.type == "flags":
        known = (1 << len(column.values)) - 1
        if int(np.bitwise_or.reduce(values)) > known:
            refuse(values > known, "has bits without a name")
        return
    if column.type == "float64":
        if np.isinf(values).any():
            refuse(np.isinf(values), "is no number that was measured")
        return
    if "any number" in column.must:
        return
    least = 0 if "known" in column.must else -1
    if int(values.min()) < least:
        refuse(values < least, "is below every value that it may have")
    if column.is_time:
        if int(values.max()) > around.latest:
            refuse(values > around.latest, "is after the end of the recording")
        if int(values.min()) < around.earliest:
            refuse((values < around.earliest) & (values != -1), "is before the start of the recording")
    elif int(values.max()) > LATEST_NS:
        refuse(values > LATEST_NS, "is above every value that it may have")
    if (fewest := column.of("at least")) is not None:
        refuse(values < int(fewest), f"is below {fewest}")
    if (most := column.of("at most")) is not None:
        refuse(values > int(most), f"is above {most}")


def _check_references(table: str, column: ColumnSchema, values: AnyArray, count: int, around: Surroundings) -> None:
    if "row number" in column.must:
        refuse_any(values != np.arange(count), table, column.name, values, "is not the number of its row")
    if to := column.of("row of"):
        rows = count if to == table else around.rows(to)
        if int(values.max()) >= rows:
            refuse_any(values >= rows, table, column.name, values, f"is no row of the {rows:,} of {to}")


def _check_beside(table: str, column: ColumnSchema, frame: pd.DataFrame) -> None:
    """Compares a column with another one of the same row."""
    values = frame[column.name].to_numpy()
    if other := column.of("not before"):
        before = frame[other].to_numpy()
        wrong = (values < before) & (values >= 0)
        refuse_any(wrong, table, column.name, values, f"is before {other}")
    if other := column.of("below"):
        refuse_any(values >= frame[other].to_numpy(), table, column.name, values, f"is not below {other}")


def _refuse_doubled(schema: TableSchema, table: pd.DataFrame) -> None:
    """Refuses a row that repeats the one before: no two events have the same values in all columns."""
    same = np.ones(len(table) - 1, dtype=bool)
    for column in schema.columns:
        values = table[column.name].cat.codes.to_numpy() if column.type == "string" else table[column.name].to_numpy()
        equal = values[1:] == values[:-1]
        if column.type == "float64":
            equal |= np.isnan(values[1:]) & np.isnan(values[:-1])
        same &= equal
        if not same.any():
            return
    raise Damaged(schema.name, schema.columns[0].name, int(np.argmax(same)) + 1, "the row is the one before once more")


def _check_apart(table: str, frame: pd.DataFrame, key: str) -> None:
    """Checks that the intervals of each value of `key` are contiguous, in order, disjoint, and not empty."""
    start, end, of = frame["start"].to_numpy(), frame["end"].to_numpy(), frame[key].to_numpy()
    refuse_any(end <= start, table, "end", end, "is not after start")
    same = of[1:] == of[:-1]
    refuse_any(
        np.append(False, same & (start[1:] < end[:-1])), table, "start", start, f"overlaps the row before of this {key}"
    )
    _refuse_split(table, key, of, same)


def _refuse_split(table: str, key: str, of: IntArray, same: AnyArray) -> None:
    first = np.flatnonzero(np.append(True, ~same)) if len(of) else np.empty(0, dtype=np.int64)
    again = pd.Series(of[first]).duplicated().to_numpy()
    if again.any():
        row = int(first[np.argmax(again)])
        raise Damaged(table, key, row, f"{of[row]} is not together with its other rows")
