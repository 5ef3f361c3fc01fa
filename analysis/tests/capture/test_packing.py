"""Packed columns compared with a reader that goes bit by bit, and arrays that do not match each other."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poolscope.base.errors import UnreadableCapture
from poolscope.capture import load_schema
from poolscope.capture.npz import BLOCK_ROWS, read_table, unpacked, write_arrays

ROOT = Path(__file__).resolve().parents[3]
BITS = (1, 2, 4, 8, 16, 32)


def packed(values: list[int], base: int, bits: int) -> bytes:
    """Returns the packed rows of one block."""
    whole = sum((value - base) << (row * bits) for row, value in enumerate(values))
    return whole.to_bytes((len(values) * bits + 7) // 8, "little")


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("last", [1, 3, 1000, BLOCK_ROWS])
def test_every_width_and_a_last_block_of_any_length(bits: int, last: int) -> None:
    rng = np.random.default_rng(bits * last)
    blocks = [rng.integers(0, 1 << bits, size).tolist() for size in (BLOCK_ROWS, last)]
    bases = [-1, 10**15]
    values = [value + base for block, base in zip(blocks, bases) for value in block]
    raw = b"".join(packed(block, 0, bits) for block in blocks)
    read = unpacked(len(values), np.array(bases), np.array([bits] * 2, "u1"), np.frombuffer(raw, "u1"), np.dtype("<i8"))
    assert read.dtype == np.dtype("<i8") and read.tolist() == values


def test_values_of_64_bits_and_blocks_of_different_widths() -> None:
    ends = [np.iinfo("i8").min, -1, np.iinfo("i8").max]
    raw = np.zeros(BLOCK_ROWS // 8, "u1").tobytes() + np.array(ends, "<i8").tobytes()
    read = unpacked(
        BLOCK_ROWS + 3, np.array([7, 0]), np.array([1, 64], "u1"), np.frombuffer(raw, "u1"), np.dtype("<i8")
    )
    assert set(read[:BLOCK_ROWS].tolist()) == {7} and read[BLOCK_ROWS:].tolist() == ends


@pytest.mark.parametrize("bits", [*BITS, 64])
def test_a_long_column_of_one_value_takes_the_memory_of_one_row(bits: int) -> None:
    rows, blocks = 7 * BLOCK_ROWS - 5, 7
    base, widths = np.full(blocks, 9), np.full(blocks, bits, "u1")
    raw = np.zeros((6 * BLOCK_ROWS * bits + (BLOCK_ROWS - 5) * bits + 7) // 8, "u1")
    assert unpacked(rows, base, widths, raw, np.dtype("<i4")).strides == (4,)
    read = unpacked(rows, base, widths, raw, np.dtype("<i4"), shared=True)
    assert read.dtype == np.dtype("<i4") and read.strides == (0,) and read.shape == (rows,) and read[0] == 9
    with pytest.raises(ValueError, match="rows from 0 on is beyond"):
        unpacked(rows, np.full(blocks, 1 << 40), widths, raw, np.dtype("<i4"), shared=True)
    raw[0] = 1
    assert unpacked(rows, base, widths, raw, np.dtype("<i4"), shared=True).strides == (4,)


@pytest.mark.parametrize(
    ("rows", "base", "bits", "size", "dtype"),
    [
        (-1, [0], [8], 10, "<i8"),
        (10, [0, 0], [8], 10, "<i8"),
        (10, [0], [8, 8], 10, "<i8"),
        (10, [0], [3], 10, "<i8"),
        (10, [0], [0], 0, "<i8"),
        (10, [0], [8], 9, "<i8"),
        (10, [0], [8], 11, "<i8"),
        (10**17, [0], [8], 10, "<i8"),
        (0, [], [], 1, "<i8"),
        (10, [32_767], [8], 10, "<i2"),
        (10, [-1], [8], 10, "u1"),
        (10, [np.iinfo("i8").max], [8], 10, "<i8"),
    ],
)
def test_what_does_not_fit_is_refused(rows: int, base: list[int], bits: list[int], size: int, dtype: str) -> None:
    raw = np.arange(size, dtype="u1")
    with pytest.raises(ValueError, match="its blocks|its bytes|beyond"):
        unpacked(rows, np.array(base, "i8"), np.array(bits, "u1"), raw, np.dtype(dtype))


def test_a_table_that_would_unpack_to_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    schema = load_schema().tables["wakeups"]
    blocks = 2_000
    rows = blocks * BLOCK_ROWS
    arrays: dict[str, Any] = {}
    for column in schema.columns:
        arrays[f"{column.name}.rows"] = np.array([rows])
        arrays[f"{column.name}.base"] = np.zeros(blocks, "i8")
        arrays[f"{column.name}.bits"] = np.ones(blocks, "u1")
        arrays[f"{column.name}.packed"] = np.zeros(rows // 8, "u1")
    write_arrays(tmp_path / "wakeups.npz", arrays)
    with pytest.raises(UnreadableCapture, match="would take more than 16 times its size"):
        read_table(io.BytesIO((tmp_path / "wakeups.npz").read_bytes()), schema)


def test_the_reader_in_the_description_of_the_format_reads_every_column(tmp_path: Path) -> None:
    text = (ROOT / "traces" / "README.md").read_text("utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    reader: dict[str, Any] = {}
    exec(found[1], reader)
    rng, rows = np.random.default_rng(1), 2 * BLOCK_ROWS + 5
    arrays = expected = {"plain": np.arange(3)}
    for width in (*BITS, 64):
        # Values of 64 bits are stored as they are, so nothing is added to them.
        base = np.array([0, 0, 0] if width == 64 else [-1, 10**12, 7])
        bits = np.full(3, width, "u1")
        stored = rng.integers(0, 256, 2 * (BLOCK_ROWS * width // 8) + (5 * width + 7) // 8).astype("u1")
        parts = {"rows": np.array([rows]), "base": base, "bits": bits, "packed": stored}
        arrays = arrays | {f"of{width}.{part}": values for part, values in parts.items()}
        expected = expected | {f"of{width}": unpacked(rows, base, bits, stored, np.dtype("<i8"))}
    write_arrays(tmp_path / "table.npz", arrays)
    with np.load(tmp_path / "table.npz") as table:
        for name, values in expected.items():
            assert (reader["column"](table, name) == values).all(), name
