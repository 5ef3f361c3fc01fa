"""One array of NumPy's .npy format, in the one form that tables have: version 1.0, one dimension, little-endian numbers.

NumPy's own reader takes more, and runs a parser of Python literals over the header; what a table never has is refused
here before anything is allocated.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray

MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][uif][1248])', 'fortran_order': False, 'shape': \((0|[1-9][0-9]{0,17}),\), \}[ ]*\n"
)
_PREAMBLE = len(MAGIC) + 2


def read_array(raw: bytes, dtype: np.dtype[Any]) -> AnyArray:
    """Returns the array, which is the caller's own. Raises ValueError when it is damaged or of another type than `dtype`."""
    begin, count = read_header(raw, len(raw), dtype)
    return np.frombuffer(raw, dtype, count, begin).copy()


def read_header(raw: bytes, size: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Returns where the values begin, and how many there are, of an array of `size` bytes that begins with `raw`. Raises ValueError
    when it is damaged or of another type than `dtype`."""
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
