"""Memory of arrays that are gone: kept for the next ones, or given back to the system."""

from __future__ import annotations

import ctypes
import sys

from poolscope.base import large_pages

_keeps = False


def keep() -> None:
    """Says that this process keeps freed memory (cli/allocator.py), and reserves large pages for it."""
    global _keeps
    _keeps = True
    large_pages.reserve()


def give_back() -> None:
    """Lets go of what the allocator keeps of arrays that are gone: between two stages of a large analysis that is hundreds of
    megabytes, in pieces that the next stage's arrays do not fit. Does nothing if the C library is not glibc."""
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
        if _keeps:
            large_pages.reserve()
