"""Columns of integers that the decoder packs (traces/schema.json, "packed")."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray

BLOCK_ROWS = 16_384
"""Rows of each block but the last one (Packing.BlockRows in traces/Poolscope.Tables)."""
_WIDTHS: dict[int, np.dtype[Any]] = {8: np.dtype("u1"), 16: np.dtype("<u2"), 32: np.dtype("<u4"), 64: np.dtype("<i8")}
_PARTS = (1, 2, 4)
"""Bits of a row that shares its byte with others."""


def unpacked(rows: int, base: AnyArray, bits: AnyArray, packed: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Returns the `rows` values of a column, of the integer type `dtype`.

    `base` (int64) and `bits` (uint8): of each block of BLOCK_ROWS rows, what is added to its distances and how many bits
    each of those has (1, 2, 4, 8, 16, 32, or 64 for the values themselves). `packed` (uint8): the distances of all blocks.
    Raises ValueError where these do not fit together, before anything is allocated, or where a value is not one of `dtype`.
    """
    blocks = -(-rows // BLOCK_ROWS)
    if rows < 0 or not blocks == len(base) == len(bits) or not np.isin(bits, [*_PARTS, *_WIDTHS]).all():
        raise ValueError("its blocks do not fit its rows")
    counts = np.full(blocks, BLOCK_ROWS, np.int64)
    counts[-1:] = rows - BLOCK_ROWS * (blocks - 1)
    ends = np.cumsum((counts * bits + 7) // 8)
    if (int(ends[-1]) if blocks else 0) != len(packed):
        raise ValueError("its bytes do not fit its rows")
    limits = np.iinfo(dtype)
    values = np.empty(rows, dtype)
    at = 0
    for block, end in enumerate(ends.tolist()):
        first, width, least = block * BLOCK_ROWS, int(bits[block]), int(base[block])
        distances = _distances(packed[at:end], width, int(counts[block]))
        low, high = least + int(distances.min()), least + int(distances.max())
        if low < limits.min or high > limits.max:
            raise ValueError(f"one of the rows from {first} on is beyond {dtype.name}")
        np.add(distances, least, out=values[first : first + len(distances)], casting="unsafe", dtype=np.int64)
        at = end
    return values


def _distances(packed: AnyArray, bits: int, rows: int) -> AnyArray:
    if bits in _WIDTHS:
        whole: AnyArray = packed.view(_WIDTHS[bits])
        return whole
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts: AnyArray = ((packed[:, None] >> shifts) & ((1 << bits) - 1)).ravel()
    return parts[:rows]
