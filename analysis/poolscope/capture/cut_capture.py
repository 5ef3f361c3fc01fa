"""A capture that is read in part: the rows of the part are picked while the tables are read in pieces."""

from __future__ import annotations

from functools import cached_property
from typing import BinaryIO

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.capture import part as parts
from poolscope.capture.capture import DecodedCapture
from poolscope.capture.part import HOLDING, Part, RunningBefore, chosen, cut, held_before, is_cut
from poolscope.capture.pieces import TableFile
from poolscope.capture.schema import load_schema


class CutCapture(DecodedCapture):
    """A part of a recording, as a capture of that time alone. Rows are numbered from 0 on."""

    def __init__(self, whole: DecodedCapture, part: Part) -> None:
        """Cuts `part`, which lies within the window of `whole`."""
        super().__init__(whole.path, whole._files, whole.manifest)
        self.part: Part = part
        self._old_rows: dict[str, IntArray] = {}

    @cached_property
    def running_before(self) -> RunningBefore:
        """Workers that were inside an item when the part began."""
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
        if name != "streams":  # held to the manifest before it was clipped
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
        """Returns the rows of the part that are these rows of the whole table; -1 where the part has none."""
        if table not in self._old_rows:
            self.stored(table)
        old = self._old_rows[table]
        if not len(old):
            return np.full(len(row), -1)
        order = np.argsort(old, kind="stable")
        new = order[np.minimum(np.searchsorted(old, row, sorter=order), len(old) - 1)]
        return np.where(old[new] == row, new, -1)

    def _clipped(self, streams: pd.DataFrame) -> pd.DataFrame:
        """Returns every stream covers the part at most. The numbers of events and of lost events are those of the whole capture."""
        start, end = streams["start"].to_numpy(), streams["end"].to_numpy()
        return streams.assign(
            start=np.where(start < 0, start, np.clip(start, self.part.start, self.part.stop)),
            end=np.where(end < 0, end, np.clip(end, self.part.start, self.part.stop)),
        )
