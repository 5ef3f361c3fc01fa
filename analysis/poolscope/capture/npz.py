"""Tables as NumPy archives. Reads their columns, packed or not (traces/schema.json, "packed"), and writes tables for
tests and benchmarks.

An array has the one form that tables use: version 1.0, one dimension, little-endian numbers. NumPy's own reader accepts
more, and runs a parser of Python literals on the header. This reader refuses anything that a table never has, before it
allocates memory.
"""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray
from poolscope.base.errors import UnreadableCapture
from poolscope.base.files import written_whole
from poolscope.capture.schema import TableSchema
from poolscope.capture.storage import DAMAGED

MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][uif][1248])', 'fortran_order': False, 'shape': \((0|[1-9][0-9]{0,17}),\), \}[ ]*\n"
)
_PREAMBLE = len(MAGIC) + 2


HEADER_BYTES = 1 << 12
"""The bytes within which the header of an array lies; the headers of tables have 128."""
READ_BYTES = 1 << 20
"""The bytes to read at a time from a column, so that memory holds no second copy of it."""


def read_array(file: IO[bytes], size: int, dtype: np.dtype[Any]) -> AnyArray:
    """Returns the next array in `file`, which has `size` bytes including its header. Raises ValueError if it is damaged
    or has another type than `dtype`, and EOFError if the file ends before it."""
    head = file.read(min(HEADER_BYTES, size))
    begin, count = read_header(head, size, dtype)
    values = np.empty(count, dtype)
    room = values.view(BYTES)
    at = len(head) - begin
    room[:at] = np.frombuffer(head, BYTES, at, begin)
    while at < len(room):
        part = file.read(min(READ_BYTES, len(room) - at))
        if not part:
            raise EOFError("it ends in the middle")
        room[at : at + len(part)] = np.frombuffer(part, BYTES)
        at += len(part)
    return values


def read_header(raw: bytes, size: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Returns where the values begin, and their number, in an array of `size` bytes that begins with `raw`. Raises
    ValueError if it is damaged or has another type than `dtype`."""
    if not raw.startswith(MAGIC) or len(raw) < _PREAMBLE:
        raise ValueError("no array of NumPy's format 1.0")
    begin = _PREAMBLE + int.from_bytes(raw[len(MAGIC) : _PREAMBLE], "little")
    header = _HEADER.fullmatch(raw, _PREAMBLE, begin)
    if header is None:
        raise ValueError("its header is not that of a column")
    found, count = header[1].decode("ascii"), int(header[2])
    if np.dtype(found) != dtype:
        raise ValueError(f"it holds {found}, not {dtype.str}")
    if size - begin != count * dtype.itemsize:
        raise ValueError(f"its header says {count:,} values, and {size - begin:,} bytes follow")
    return begin, count


BLOCK_ROWS = 16_384
"""Rows of each block except the last one (Packing.BlockRows in traces/Poolscope.Tables)."""
_WIDTHS: dict[int, np.dtype[Any]] = {8: np.dtype("u1"), 16: np.dtype("<u2"), 32: np.dtype("<u4"), 64: np.dtype("<i8")}
LONG = 100_000
"""The number of rows from which a column is checked for a single value. Such a column must not be written to."""
_PARTS = (1, 2, 4)
"""The bits of a row that shares its byte with others."""


def unpacked(
    rows: int, base: AnyArray, bits: AnyArray, packed: AnyArray, dtype: np.dtype[Any], shared: bool = False
) -> AnyArray:
    """Returns the `rows` values of a column, of the integer type `dtype`.

    The arrays describe blocks of BLOCK_ROWS rows:

    - `base` (int64): the number to add to each distance of a block.
    - `bits` (uint8): the bits of each distance: 1, 2, 4, 8, 16, 32, or 64 for the values themselves.
    - `packed` (uint8): the distances of all blocks.

    `shared`: a long column of a single value takes the memory of one row, and must not be written to.

    Raises ValueError if the arrays do not fit together, before it allocates anything, or if a value does not fit
    `dtype`.
    """
    blocks = -(-rows // BLOCK_ROWS)
    if rows < 0 or not blocks == len(base) == len(bits) or not np.isin(bits, [*_PARTS, *_WIDTHS]).all():
        raise ValueError("its blocks do not fit its rows")
    counts = np.full(blocks, BLOCK_ROWS, np.int64)
    counts[-1:] = rows - BLOCK_ROWS * (blocks - 1)
    ends = np.cumsum((counts * bits + 7) // 8)
    if (int(ends[-1]) if blocks else 0) != len(packed):
        raise ValueError("its bytes do not fit its rows")
    if shared and rows >= LONG and (base == base[0]).all() and not packed.any():
        return np.broadcast_to(unpacked(1, base[:1], bits[:1], packed[: -(-int(bits[0]) // 8)], dtype), rows)
    limits = np.iinfo(dtype)
    values = np.empty(rows, dtype)
    at = 0
    for block, end in enumerate(ends.tolist()):
        first, width, least = block * BLOCK_ROWS, int(bits[block]), int(base[block])
        distances = _distances(packed[at:end], width, int(counts[block]))
        if width == 64 or least < limits.min or least + (1 << width) - 1 > limits.max:  # else any distance fits
            low, high = least + int(distances.min()), least + int(distances.max())
            if low < limits.min or high > limits.max:
                raise ValueError(f"one of the rows from {first} on is beyond {dtype.name}")
        # Both steps may wrap around, and together they do not.
        part = values[first : first + len(distances)]
        part[:] = distances
        part += np.int64(least).astype(dtype)
        at = end
    return values


def _distances(packed: AnyArray, bits: int, rows: int) -> AnyArray:
    if bits in _WIDTHS:
        whole: AnyArray = packed.view(_WIDTHS[bits])
        return whole
    return _parts_of_bytes(bits)[packed].view(BYTES)[:rows]


@cache
def _parts_of_bytes(bits: int) -> AnyArray:
    """Returns the parts of `bits` bits of each byte, shape (256,): a byte for each part, together one number."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts = (np.arange(256, dtype=np.uint8)[:, None] >> shifts) & ((1 << bits) - 1)
    return np.ascontiguousarray(parts).view(f"<u{len(shifts)}").ravel()


MOST_UNPACKED = 16
"""The most that packed columns may take together, in multiples of the size of their table. Those of real captures take
2 to 5 times as much; a hostile table could take 64 times."""
SMALL_BYTES = 1 << 24
"""The bytes that are always allowed."""
BYTES, OFFSETS = np.dtype("u1"), np.dtype("<i8")


def read_table(file: IO[bytes], schema: TableSchema) -> pd.DataFrame:
    """Reads one table as a DataFrame with the schema's columns in the schema's order.

    Strings come as pandas categoricals (absent: NaN), all other columns as the stored numbers. Takes at most
    MOST_UNPACKED times the size of `file`. Raises UnreadableCapture if the file is no archive or does not fit the
    schema.
    """
    at = ""
    try:
        arrays = _Arrays(file)
        columns: dict[str, AnyArray | pd.Categorical] = {}
        for column in schema.columns:
            at = f", column {column.name}"
            if column.older is not None and not arrays.has(column.name):
                rows = len(next(iter(columns.values())))
                columns[column.name] = np.full(rows, column.older, dtype=column.dtype)
                continue
            values = arrays.column(column.name, column.dtype, column.type != "string")
            columns[column.name] = _strings(arrays, column.name, values) if column.type == "string" else _shared(values)
        at = ""
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError("its columns are not of one length")
        return pd.DataFrame(columns, copy=False)
    except DAMAGED as error:
        raise UnreadableCapture(
            f"table {schema.name}{at} cannot be read ({_said(error)}); run: poolscope decode CAPTURE"
        ) from error
    except MemoryError as error:
        raise UnreadableCapture(f"table {schema.name} is larger than the memory of this machine") from error


def read_arrays(raw: bytes, types: dict[str, np.dtype[Any]]) -> dict[str, AnyArray]:
    """Returns the named arrays of an archive, each of its type. Raises ValueError and other errors of DAMAGED."""
    arrays = _Arrays(io.BytesIO(raw))
    return {name: arrays.read(name, dtype) for name, dtype in types.items()}


def write_table(path: Path, schema: TableSchema, frame: pd.DataFrame) -> None:
    """Writes a table, and replaces an older one whole. String columns may be anything that pandas can factorise."""
    arrays: dict[str, AnyArray] = {}
    for column in schema.columns:
        if column.type == "string":
            codes, words = pd.factorize(frame[column.name])
            encoded = [str(w).encode() for w in words]
            arrays[column.name] = codes.astype(column.dtype)
            arrays[f"{column.name}.utf8"] = np.frombuffer(b"".join(encoded), dtype=BYTES)
            arrays[f"{column.name}.offsets"] = np.cumsum([0, *map(len, encoded)], dtype=OFFSETS)
        else:
            arrays[column.name] = frame[column.name].to_numpy(dtype=column.dtype)
    write_arrays(path, arrays)


def write_arrays(path: Path, arrays: dict[str, AnyArray]) -> None:
    """Writes an uncompressed archive of one-dimensional arrays."""
    with written_whole(path) as temporary:
        with zipfile.ZipFile(temporary, "w") as archive:  # np.savez cannot write an array that is named "file"
            for name, values in arrays.items():
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, values, allow_pickle=False)  # type: ignore[no-untyped-call]


class _Arrays:
    """The arrays of an archive with uncompressed entries, so that none inflates."""

    def __init__(self, file: IO[bytes]) -> None:
        size = file.seek(0, io.SEEK_END)
        self._archive = zipfile.ZipFile(file)
        entries = self._archive.infolist()
        self._names = {entry.filename for entry in entries}
        if len(self._names) < len(entries):
            raise ValueError("two arrays have one name")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("it is compressed, and tables are not")
        if sum(entry.file_size for entry in entries) > size:
            raise ValueError("it says that it holds more than its own size")
        self._room = MOST_UNPACKED * size + SMALL_BYTES

    def has(self, name: str) -> bool:
        """Returns whether the archive has this column, packed or not."""
        return f"{name}.npy" in self._names or f"{name}.packed.npy" in self._names

    def column(self, name: str, dtype: np.dtype[Any], shared: bool) -> AnyArray:
        """Returns a column, packed or not. `shared`: as for `unpacked`."""
        if f"{name}.packed.npy" not in self._names:
            return self.read(name, dtype)
        if f"{name}.npy" in self._names or dtype.kind not in "iu":
            raise ValueError("it is packed, and should not be")
        rows = self.read(f"{name}.rows", OFFSETS)
        if len(rows) != 1:
            raise ValueError("it does not say how many rows it has")
        self._room -= int(rows[0]) * dtype.itemsize
        if self._room < 0:
            raise ValueError(f"its table would take more than {MOST_UNPACKED} times its size")
        stored = (
            self.read(f"{name}.base", OFFSETS),
            self.read(f"{name}.bits", BYTES),
            self.read(f"{name}.packed", BYTES),
        )
        return unpacked(int(rows[0]), *stored, dtype, shared)

    def read(self, name: str, dtype: np.dtype[Any]) -> AnyArray:
        with self._archive.open(f"{name}.npy") as file:
            return read_array(file, self._archive.getinfo(f"{name}.npy").file_size, dtype)


def _shared(values: AnyArray) -> AnyArray:
    """Returns the values of a long column. If all are equal, they share the memory of one value: states are exact in
    every tier but one."""
    if len(values) < LONG or not values.strides[0] or values[0] != values[-1] or not (values == values[0]).all():
        return values
    return np.broadcast_to(values[:1].copy(), len(values))


def _strings(arrays: _Arrays, name: str, codes: AnyArray) -> pd.Categorical:
    raw, offsets = arrays.read(f"{name}.utf8", BYTES), arrays.read(f"{name}.offsets", OFFSETS)
    return Words(raw, offsets).of(codes)


class Words:
    """The dictionary of a column of strings."""

    def __init__(self, utf8: AnyArray, offsets: AnyArray) -> None:
        """Raises ValueError if offsets and bytes do not fit together."""
        raw = utf8.tobytes()
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(raw) or (offsets[1:] < offsets[:-1]).any():
            raise ValueError("the places of its strings do not fit their bytes")
        words = [raw[a:b].decode("utf-8", "replace") for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
        # Two names that are not UTF-8 may decode to the same text.
        self._which, unique = pd.factorize(np.array(words, dtype=object))
        self._categories = pd.Index(unique, dtype=object)

    def of(self, codes: AnyArray) -> pd.Categorical:
        """Returns the strings of these codes, and changes the codes. Raises ValueError if a code has no string."""
        count = len(self._which)
        if len(codes) and not (codes.min() >= -1 and codes.max() < count):
            raise ValueError(f"row {_first((codes < -1) | (codes >= count))} is none of its strings")
        known = codes >= 0
        codes[known] = self._which[codes[known]]
        return pd.Categorical.from_codes(codes, categories=self._categories)


def _first(wrong: AnyArray) -> int:
    return int(np.flatnonzero(wrong)[0])


def _said(error: BaseException) -> str:
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
