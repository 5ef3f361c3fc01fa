"""Objects of the runtime that are queued once for all that comes until a thread takes them: the socket engine, and queues that
are worked off by one item at a time."""

from __future__ import annotations

from poolscope.base.arrays import IntArray
from poolscope.replay.loop.state import ITEM_NEXT, OBJECT_CARRIER, OBJECT_HEAD, OBJECT_TAIL


def carries(i: IntArray, what: int, item: int) -> bool:
    """Returns whether the item has to be queued for it; else one that is queued already takes it along."""
    if i[i[OBJECT_CARRIER] + what] < 0:
        i[i[OBJECT_CARRIER] + what] = item
        return True
    i[i[ITEM_NEXT] + item] = -1
    if i[i[OBJECT_HEAD] + what] < 0:
        i[i[OBJECT_HEAD] + what] = item
    else:
        i[i[ITEM_NEXT] + i[i[OBJECT_TAIL] + what]] = item
    i[i[OBJECT_TAIL] + what] = item
    return False


def taken_along(i: IntArray, what: int) -> int:
    """Returns the first of those that have gathered, each followed by its ITEM_NEXT; -1: none. From now on it gathers again."""
    first = i[i[OBJECT_HEAD] + what]
    i[i[OBJECT_HEAD] + what] = -1
    i[i[OBJECT_CARRIER] + what] = -1
    return int(first)
