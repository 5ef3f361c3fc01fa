"""Segments of data that arrived twice: no reader is given the copy."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import running_totals

LEFT_READS = 8
"""Reads that leave the same bytes unread, the fewest that show that these were copies."""
LEFT_PROMPT = 0.1
"""Such a read waited for what arrived if it came within this share of the time for which nothing had arrived since the read before."""


def arrived_once(socket: IntArray, time: IntArray, arrives: BoolArray, size: IntArray) -> IntArray:
    """Returns how many bytes had arrived on a row's connection up to it, copies left out; shape (rows,).

    Rows are arrivals and reads, ordered by connection and time; `size`: bytes. A sender that had no acknowledgement in time sends
    a segment again, and from then on every read leaves as many bytes as the copy has. A reader that is behind leaves some, too. One
    whose reads wait for what arrives is not behind: had there been data, it would have read that. Which of the segments since the
    read before was the copy is not known. It is taken to be the first, so that a wait may be too short and is never too long.
    """
    came = running_totals(socket, np.where(arrives, size, 0))
    reads = np.flatnonzero(~arrives)
    if len(reads) == 0:
        return came
    count = int(socket.max()) + 1
    taken = running_totals(socket, np.where(arrives, 0, size))
    of, left = socket[reads], np.maximum(came - taken, 0)[reads]
    span = int(left.max()) + 1
    # The least that this read or a later one leaves.
    least = np.minimum.accumulate((left + of * span)[::-1])[::-1] - of * span
    at_last = np.zeros(count, dtype=np.int64)
    at_last[of] = least
    before = np.append(-1, reads[:-1])
    after_read = (before >= 0) & (socket[before] == of) & (reads > before + 1)
    first = np.where(after_read, before + 1, reads)
    prompt = after_read & (time[reads] - time[first] <= LEFT_PROMPT * (time[first] - time[before]))
    same = (least == at_last[of]) & (left == least) & (least > 0)
    times = np.bincount(of[same], minlength=count)
    shown = (times >= LEFT_READS) & (2 * np.bincount(of[same & prompt], minlength=count) >= times)
    if not shown.any():
        return came
    following = np.minimum(np.searchsorted(reads, np.arange(len(socket))), len(reads) - 1)
    copies = np.where(of[following] == socket, least[following], at_last[socket])
    # No more than arrived since the read before.
    span = int(came.max()) + 1
    once = np.maximum.accumulate(np.maximum(came - copies, 0) + socket * span) - socket * span
    return np.asarray(np.where(shown[socket], once, came))
