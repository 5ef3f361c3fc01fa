"""Which item a thread was in: the one that it had begun last."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.executions.items import Items


def last_begun(items: Items, tid: IntArray, time: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns for each (tid, time) the item (index into Items) that the thread had begun last, and whether there is
    one.

    Times are ns from the start of the window. The item may have ended by then.
    """
    started = np.flatnonzero(items.started)
    at, known = latest(items.worker[started], items.dequeue[started], tid, time)
    return started[at] if len(started) else at, known
