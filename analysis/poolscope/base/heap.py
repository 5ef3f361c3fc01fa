"""Gives memory that arrays no longer use back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Lets go of what the allocator keeps of arrays that are gone: between two stages of a large analysis that is hundreds of
    megabytes, in pieces that the next stage's arrays do not fit. Does nothing where the C library is not glibc."""
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
