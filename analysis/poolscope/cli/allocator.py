"""Memory that a finished array leaves is kept for the next one."""

from __future__ import annotations

import ctypes
import sys

from poolscope.base.heap import keep
from poolscope.base.large_pages import KEPT_BYTES, M_MMAP_THRESHOLD

M_TRIM_THRESHOLD, M_ARENA_MAX = -1, -8
"""Parameters of glibc's `mallopt` (malloc.h)."""
NEVER = -1
"""Nothing is given back by itself: `base.heap.give_back` does so between stages."""


def keep_memory() -> None:
    """Lets the C library keep freed arrays instead of giving each back to the kernel, which would clear every page of the next
    one. Of no effect but with glibc, whose `mallopt` it calls; the command alone does this, as the library has no say over its
    host's memory."""
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES)
    mallopt(M_TRIM_THRESHOLD, NEVER)
    # A second thread's own arena would keep what it frees from the first, and large arrays do not fit into one.
    mallopt(M_ARENA_MAX, 1)
    keep()
