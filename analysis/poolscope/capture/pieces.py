"""Reads a table of a capture folder piece by piece: a table may be larger than memory."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray
from poolscope.base.errors import UnreadableCapture
from poolscope.capture.npz import BLOCK_ROWS, BYTES, HEADER_BYTES, OFFSETS, Words, read_header, unpacked
from poolscope.capture.schema import ColumnSchema, TableSchema
from poolscope.capture.storage import DAMAGED

PIECE_ROWS = 64 * BLOCK_ROWS
"""Rows of every piece except the last one: a million rows, some 100 MB of the widest table."""
_LOCAL_HEADER, _NAMES = 30, struct.Struct("<HH")
"""The local header of a zip entry: its length without name and extra field, and the lengths of these two, at its end
(APPNOTE.TXT 4.3.7)."""

Read = Callable[[int, int], AnyArray]
"""Reads the rows from the first number up to, not including, the second."""


class TableFile:
    """One table. Only its headers are read before its first use. Columns have the form that `read_table` gives them.

    The archive's checksums are not verified, because they cover whole columns.
    """

    def __init__(self, file: BinaryIO, schema: TableSchema) -> None:
        """Opens `file`, a table that the caller closes. Raises UnreadableCapture if it is damaged."""
        self._file = file
        self.schema = schema
        with _said_of(schema):
            self._entries = {entry.filename: entry for entry in zipfile.ZipFile(file).infolist()}
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in self._entries.values()):
                raise ValueError("it is compressed, and tables are not")
            counts: list[int] = []
            self._read = {column.name: self._column(column, counts) for column in schema.columns}
            if len(set(counts)) != 1:
                raise ValueError("its columns are not of one length")
            self.rows = counts[0]
            self._words = {c.name: self._dictionary(c.name) for c in schema.columns if c.type == "string"}

    def pieces(self) -> Iterator[Piece]:
        """Yields all rows in order, PIECE_ROWS at a time."""
        for start in range(0, self.rows, PIECE_ROWS):
            yield Piece(self, start, min(start + PIECE_ROWS, self.rows))

    def empty(self) -> pd.DataFrame:
        """Returns the columns without any row."""
        return Piece(self, 0, 0).rows(np.zeros(0, dtype=bool))

    def read(self, name: str, start: int, stop: int) -> AnyArray:
        """Returns the rows from `start` up to, not including, `stop` of a column; codes for strings. `start` is a
        multiple of BLOCK_ROWS."""
        with _said_of(self.schema, name):
            return self._read[name](start, stop)

    def strings(self, name: str, codes: AnyArray) -> pd.Categorical:
        with _said_of(self.schema, name):
            return self._words[name].of(codes)

    def _column(self, column: ColumnSchema, counts: list[int]) -> Read:
        """Returns a function that reads a column. Appends the number of its rows to `counts`."""
        name, dtype = column.name, column.dtype
        if f"{name}.packed.npy" not in self._entries:
            if column.older is not None and f"{name}.npy" not in self._entries:
                return lambda start, stop: np.full(stop - start, column.older, dtype=dtype)
            at, rows = self._array(name, dtype)
            counts.append(rows)
            return lambda start, stop: self._values(at + start * dtype.itemsize, stop - start, dtype)
        if f"{name}.npy" in self._entries or dtype.kind not in "iu":
            raise ValueError("it is packed, and should not be")
        (rows,) = self._whole(f"{name}.rows", OFFSETS).tolist()
        base, bits = self._whole(f"{name}.base", OFFSETS), self._whole(f"{name}.bits", BYTES)
        at, size = self._array(f"{name}.packed", BYTES)
        blocks = -(-rows // BLOCK_ROWS)
        if not blocks == len(base) == len(bits):
            raise ValueError("its blocks do not fit its rows")
        lengths = np.minimum(rows - BLOCK_ROWS * np.arange(blocks), BLOCK_ROWS)
        ends = np.append(0, np.cumsum((lengths * bits + 7) // 8))
        if int(ends[-1]) != size:
            raise ValueError("its bytes do not fit its rows")
        counts.append(rows)
        return partial(self._unpacked, at, ends, base, bits, dtype)

    def _unpacked(
        self, at: int, ends: AnyArray, base: AnyArray, bits: AnyArray, dtype: np.dtype[Any], start: int, stop: int
    ) -> AnyArray:
        first, last = start // BLOCK_ROWS, -(-stop // BLOCK_ROWS)
        packed = self._values(at + int(ends[first]), int(ends[last] - ends[first]), BYTES)
        return unpacked(stop - start, base[first:last], bits[first:last], packed, dtype)

    def _dictionary(self, name: str) -> Words:
        return Words(self._whole(f"{name}.utf8", BYTES), self._whole(f"{name}.offsets", OFFSETS))

    def _array(self, name: str, dtype: np.dtype[Any]) -> tuple[int, int]:
        """Returns where the values of an array begin in the file, and their number."""
        entry = self._entries[f"{name}.npy"]
        lengths = self._bytes(entry.header_offset, _LOCAL_HEADER)[-_NAMES.size :]
        at = entry.header_offset + _LOCAL_HEADER + sum(_NAMES.unpack(lengths))
        begin, count = read_header(self._bytes(at, min(HEADER_BYTES, entry.file_size)), entry.file_size, dtype)
        return at + begin, count

    def _whole(self, name: str, dtype: np.dtype[Any]) -> AnyArray:
        return self._values(*self._array(name, dtype), dtype)

    def _values(self, at: int, count: int, dtype: np.dtype[Any]) -> AnyArray:
        return np.frombuffer(self._bytes(at, count * dtype.itemsize), dtype).copy()

    def _bytes(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        raw = self._file.read(size)
        if len(raw) < size:
            raise EOFError("it ends in the middle")
        return raw


class Piece:
    """Consecutive rows of a table."""

    def __init__(self, table: TableFile, start: int, stop: int) -> None:
        self._table, self._start, self._stop = table, start, stop
        self.count = stop - start

    def column(self, name: str) -> AnyArray:
        """Returns the numbers of a column; codes for strings."""
        return self._table.read(name, self._start, self._stop)

    def rows(self, chosen: BoolArray) -> pd.DataFrame:
        """Returns the chosen rows with all columns. The index has the numbers of the rows in the table."""
        columns: dict[str, AnyArray | pd.Categorical] = {}
        for column in self._table.schema.columns:
            values = self.column(column.name)[chosen]
            columns[column.name] = self._table.strings(column.name, values) if column.type == "string" else values
        return pd.DataFrame(columns, index=self._start + np.flatnonzero(chosen), copy=False)


@contextmanager
def _said_of(schema: TableSchema, column: str = "") -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        at = f", column {column}" if column else ""
        raise UnreadableCapture(
            f"table {schema.name}{at} cannot be read ({error}); run: poolscope decode CAPTURE"
        ) from error
