"""Reads a recording in pieces: counts the waits of all its items, and opens the part of it that fits into memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import BinaryIO

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.sketch import EMPTY, Sketch, merged, sketch_of
from poolscope.capture import part as parts
from poolscope.capture.capture import DecodedCapture
from poolscope.capture.part import HOLDING, Part, RunningBefore, chosen, cut, held_before, is_cut
from poolscope.capture.pieces import Piece, TableFile
from poolscope.capture.schema import flag, load_schema
from poolscope.contract.tables import TableName


BINS = 4096
"""The number of stretches of equal length in a recording."""
SHORTEST_NS = 1_000_000
"""The length of the shortest stretch."""


@dataclass(frozen=True)
class Bins:
    """Stretches of equal length; the last one may be shorter. Times are CLOCK_MONOTONIC ns."""

    start: int
    stop: int

    @property
    def width(self) -> int:
        return max(-(-(self.stop - self.start) // BINS), SHORTEST_NS)

    @property
    def count(self) -> int:
        return max(-(-(self.stop - self.start) // self.width), 1)

    def edge(self, number: int) -> int:
        """Returns when a stretch begins; for `count`, the end of the recording."""
        return min(self.start + number * self.width, self.stop)

    def of(self, time: IntArray) -> IntArray:
        """Returns the stretch of each time; times outside count to the first or the last stretch."""
        return np.clip((time - self.start) // self.width, 0, self.count - 1)


@dataclass
class Waits:
    """The waits of all items of a recording, as `load_items` counts them: without items that a waiting thread ran
    inline."""

    bins: Bins
    late_ns: int
    """An item that waits longer is late."""
    sketch: Sketch = EMPTY
    late: int = 0
    waiting: FloatArray = field(init=False)
    """The item-ns of waiting in each stretch, shape (bins.count,)."""
    waiting_late: FloatArray = field(init=False)
    """The item-ns of waiting of late items in each stretch, shape (bins.count,)."""
    queued: IntArray = field(init=False)
    """The number of items that waited as each stretch began, shape (bins.count + 1,); the last value is for the end."""

    def __post_init__(self) -> None:
        count = self.bins.count
        self.waiting, self.waiting_late = np.zeros(count), np.zeros(count)
        self.queued = np.zeros(count + 1, np.int64)

    def add(self, piece: Piece) -> None:
        """Adds the items of a piece of `work_items`."""
        own = (piece.column("flags") & flag("work_items", "inlined")) == 0
        enqueue, dequeue = piece.column("enqueue")[own], piece.column("dequeue")[own]
        bins = self.bins
        begin = np.clip(np.where(enqueue < 0, bins.start, enqueue), bins.start, bins.stop)
        taken = np.maximum(np.where(dequeue < 0, bins.stop, np.minimum(dequeue, bins.stop)), begin)
        wait = taken - begin
        late = wait > self.late_ns
        self.sketch = merged([self.sketch, sketch_of(wait, (enqueue < 0) | (dequeue < 0))])
        self.late += int(late.sum())
        self.waiting += self._spread(begin, taken)
        self.waiting_late += self._spread(begin[late], taken[late])
        # Queued before a stretch begins, and not taken before it.
        self.queued[1:] += np.cumsum(
            np.bincount(bins.of(begin), minlength=bins.count) - np.bincount(bins.of(taken), minlength=bins.count)
        )
        self.queued[-1] += int((taken >= bins.stop).sum())

    def late_share(self, start: int, stop: int) -> float | None:
        """Returns the share of the waiting of late items between two moments, 0..1; None without late items. A stretch
        that a moment divides counts in proportion to its length."""
        if not self.late:
            return None
        edges = [self.bins.edge(number) for number in range(self.bins.count + 1)]
        until = np.interp([start, stop], edges, np.append(0.0, np.cumsum(self.waiting_late)))
        return min(max(float((until[1] - until[0]) / self.waiting_late.sum()), 0.0), 1.0)

    def _spread(self, begin: IntArray, end: IntArray) -> FloatArray:
        """Returns the part of all these intervals in each stretch, item-ns. An interval counts up to the end of its
        first stretch, in full in every later one, and up to its own end in the last one."""
        bins, width = self.bins, self.bins.width
        first, last = bins.of(begin), bins.of(end)
        open_at = np.bincount(first, minlength=bins.count) - np.bincount(last, minlength=bins.count)
        whole = np.append(0, np.cumsum(open_at)[:-1]) * float(width)
        rest = (first + 1) * width - (begin - bins.start)
        over = (last + 1) * width - (end - bins.start)
        began = np.bincount(first, weights=rest, minlength=bins.count)
        return np.asarray(whole + began - np.bincount(last, weights=over, minlength=bins.count))


def survey_waits(capture: DecodedCapture, late_ns: int) -> Waits:
    """Reads `work_items` once, in pieces. Raises UnreadableCapture without that table, or if it is damaged."""
    waits = Waits(Bins(*capture.window), late_ns)
    with capture.opened("work_items") as file:
        if file is not None:
            for piece in TableFile(file, load_schema().tables["work_items"]).pieces():
                waits.add(piece)
    return waits


class CutCapture(DecodedCapture):
    """A part of a recording, as a capture of that time alone. Rows are numbered from 0 on."""

    def __init__(self, whole: DecodedCapture, part: Part) -> None:
        """Cuts `part`, which lies within the window of `whole`."""
        super().__init__(whole.path, whole._files, whole.manifest)
        self.part: Part = part
        self._old_rows: dict[str, IntArray] = {}

    @cached_property
    def running_before(self) -> RunningBefore:
        """The workers that were inside an item when the part began."""
        found = []
        with self.opened("work_items") as file:
            if file is not None:
                pieces = TableFile(file, load_schema().tables["work_items"]).pieces()
                found = [parts.running_before(piece, self.part) for piece in pieces]
        none = np.zeros(0, dtype=np.int64)
        return RunningBefore(
            np.concatenate([none, *(each.worker for each in found)]),
            np.concatenate([none, *(each.end for each in found)]),
        )

    def forget(self, *tables: TableName) -> None:
        """Keeps the tables: reading one again takes a pass over the whole recording."""

    def _read(self, name: str) -> tuple[pd.DataFrame | None, int | None]:
        if not is_cut(name):
            table, rows = super()._read(name)
            if name == "streams" and table is not None:
                super()._check(name, table)
                table = self._clipped(table)
            return table, rows
        with self.opened(name) as file:
            return (None, None) if file is None else self._picked(name, file)

    def _check(self, name: str, table: pd.DataFrame) -> None:
        if name != "streams":  # checked against the manifest before it was clipped
            super()._check(name, table)

    def _picked(self, name: str, file: BinaryIO) -> tuple[pd.DataFrame, int]:
        source = TableFile(file, load_schema().tables[name])
        picked, before = [], None
        for piece in source.pieces():
            if name in HOLDING:
                rows = piece.rows(np.ones(piece.count, dtype=bool))
                held = held_before(name, rows, self.part)
                before = held if before is None or len(held) else before
            picked.append(piece.rows(chosen(name, piece, self.part)))
        table = cut(name, pd.concat(picked) if picked else source.empty(), self.part)
        if before is not None and not (len(table) and table["time"].iloc[0] == self.part.start):
            table = pd.concat([before, table])
        self._old_rows[name] = table.index.to_numpy()
        table = table.reset_index(drop=True)
        for column in source.schema.columns:
            if "row number" in column.must:
                table[column.name] = np.arange(len(table), dtype=column.dtype)
            if (to := column.of("row of")) is not None and is_cut(to):
                table[column.name] = self._renumbered(to, table[column.name].to_numpy()).astype(column.dtype)
            if column.type == "string":
                table[column.name] = table[column.name].cat.remove_unused_categories()
        return table, source.rows

    def _renumbered(self, table: str, row: IntArray) -> IntArray:
        """Returns the rows of the part for these rows of the whole table; -1 if the part lacks a row."""
        if table not in self._old_rows:
            self.stored(table)
        old = self._old_rows[table]
        if not len(old):
            return np.full(len(row), -1)
        order = np.argsort(old, kind="stable")
        new = order[np.minimum(np.searchsorted(old, row, sorter=order), len(old) - 1)]
        return np.where(old[new] == row, new, -1)

    def _clipped(self, streams: pd.DataFrame) -> pd.DataFrame:
        """Returns the streams clipped to the part. The numbers of events and of lost events are those of the whole
        capture."""
        start, end = streams["start"].to_numpy(), streams["end"].to_numpy()
        return streams.assign(
            start=np.where(start < 0, start, np.clip(start, self.part.start, self.part.stop)),
            end=np.where(end < 0, end, np.clip(end, self.part.start, self.part.stop)),
        )
