"""Keeps the memory of freed arrays for the next ones, in large pages.

The first use of memory in pages of 4 KiB costs up to twenty times as much (docs/performance.md). NumPy requests large
pages itself, but only for arrays of 4 MiB and more.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

MADV_HUGEPAGE = 14
"""From Linux's madvise(2)."""
PAGE = 1 << 21
M_MMAP_THRESHOLD = -3
"""From glibc's `mallopt` (malloc.h)."""
KEPT_BYTES = 1 << 28
"""Blocks larger than this are mapped one by one. glibc's own maximum is 32 MiB."""
BLOCK_BYTES = 1 << 30
"""The size of each block in which memory is reserved; reserving a block touches one page of it."""
PART = 2
"""One part in this many of the machine's memory is reserved. A reserved page takes no memory until its first use."""


def reserve() -> None:
    """Grows the heap and requests large pages there; the C library keeps the space as free memory.

    Does nothing if address space is limited (`ulimit -v`, `ulimit -d`), and stops when the system gives no more.
    """
    if _is_limited() or (library := _library()) is None:
        return
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // PART
    blocks: list[int] = []
    library.mallopt(M_MMAP_THRESHOLD, 2 * BLOCK_BYTES - 1)  # otherwise they would be mapped, and not lie in the heap
    for _ in range(room // BLOCK_BYTES):
        block = library.malloc(BLOCK_BYTES)
        if not block:
            break
        blocks.append(block)
        begin, end = -(-block // PAGE) * PAGE, (block + BLOCK_BYTES) // PAGE * PAGE
        library.madvise(begin, end - begin, MADV_HUGEPAGE)
    library.mallopt(M_MMAP_THRESHOLD, KEPT_BYTES)
    for block in reversed(blocks):  # each joins the free memory above it
        library.free(block)


@cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
        library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    except (OSError, AttributeError):
        return None
    return library


def _is_limited() -> bool:
    import resource

    return any(
        resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    )


M_TRIM_THRESHOLD, M_ARENA_MAX = -1, -8
"""Parameters of glibc's `mallopt` (malloc.h)."""
NEVER = -1
"""Returns no memory to the system before the end. Returning it between stages lowers the peak by up to 9 %, and makes a
large analysis 9 to 30 % slower, because the kernel clears every page once more."""


def keep_memory(most: int = NEVER) -> None:
    """Lets the C library keep freed arrays instead of returning each to the kernel, which would clear every page of the
    next one. Has an effect only with glibc, because it calls `mallopt`. Only commands and their own workers call it: a
    library must not decide over the memory of its host process.

    `most`: the number of bytes to keep, for a process beside others. NEVER: keeps all of them, and reserves memory.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES)
    mallopt(M_TRIM_THRESHOLD, most)
    # A second thread's own arena would not share its freed memory with the first, and large arrays do not fit into one.
    mallopt(M_ARENA_MAX, 1)
    if most == NEVER:
        reserve()
