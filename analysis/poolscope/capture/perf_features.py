"""Reads the events that a perf.data file was recorded with from the description that perf writes after its records."""

from __future__ import annotations

import struct
from typing import BinaryIO

MAGIC = b"PERFILE2"
DATA = 40
"""The place in a file's header of the offset and size of its records (tools/perf/util/header.h, perf_file_header)."""
FEATURES = 72
"""The place in the header of the bits that say which sections follow the records."""
EVENT_DESCRIPTION = 12
"""The bit of the section that names the events."""
MOST = 16 << 20
"""The most bytes of that section that are read."""


def names_event(file: BinaryIO, event: bytes) -> bool | None:
    """Returns whether a perf.data names an event as recorded; None if it does not show, as in a file that perf wrote to
    a pipe."""
    file.seek(0)
    head = file.read(FEATURES + 8)
    if len(head) < FEATURES + 8 or not head.startswith(MAGIC):
        return None
    offset, size = struct.unpack_from("<QQ", head, DATA)
    (bits,) = struct.unpack_from("<Q", head, FEATURES)
    if not bits & (1 << EVENT_DESCRIPTION):
        return None
    before = (bits & ((1 << EVENT_DESCRIPTION) - 1)).bit_count()
    try:
        file.seek(offset + size + 16 * before)
        section = file.read(16)
        if len(section) < 16:
            return None
        at, length = struct.unpack("<QQ", section)
        file.seek(at)
        described = file.read(min(length, MOST))
    except (OSError, OverflowError, ValueError):
        return None
    return event in described if described else None
