"""What comes some time after it was asked for: it brings items, and lets those go on that wait for it.

The one that hands it on, an item that needs a thread, may be late too: then the later of both counts.
"""

from __future__ import annotations

import math

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.replay.loop.heaps import push
from poolscope.replay.loop.state import (
    BLOCKED,
    BLOCKED_ITEMS,
    BLOCKED_KEYS,
    HANDED_ON,
    ITEM_ANSWERED,
    ITEM_ARRIVED,
    ITEM_COMING,
    ITEM_STAND_IN,
    ITEMS,
    MARK_ANSWERED,
    NOW,
    READY,
    STAND_INS,
)


def comes_by_itself(f: FloatArray, i: IntArray, item: int, time: float) -> None:
    """Lets the item arrive at that time, among those whose blocked time ends, unless something brings it sooner."""
    if f[i[ITEM_ARRIVED] + item] == math.inf and f[i[ITEM_COMING] + item] == math.inf:
        f[i[ITEM_COMING] + item] = time
        push(f, i, i[BLOCKED_KEYS], i[BLOCKED_ITEMS], i[BLOCKED], time, item)
        i[BLOCKED] += 1


def handed_on_later(f: FloatArray, i: IntArray, item: int, time: float) -> None:
    """Lets the item's data come at that time, after the item that hands it on has run. With stand-ins the engine would
    then be queued once more and need a thread: the item stands in for it."""
    if i[STAND_INS] != 0 and f[i[ITEM_ARRIVED] + item] == math.inf and f[i[ITEM_COMING] + item] == math.inf:
        i[i[ITEM_STAND_IN] + item] = READY
    comes_by_itself(f, i, item, time)


def answered(f: FloatArray, i: IntArray, item: int, time: float) -> None:
    """Lets the answer that the item takes up come at that time."""
    before = f[i[ITEM_ANSWERED] + item]
    if before == HANDED_ON:
        handed_on_later(f, i, item, time)
    elif before == 0.0:
        comes_by_itself(f, i, item, time)
    else:
        f[i[ITEM_ANSWERED] + item] = time


def comes_at(f: FloatArray, i: IntArray, item: int, not_before: float) -> float:
    """Returns when an item that another one hands on arrives; inf: its answer will bring it."""
    time = f[i[ITEM_ANSWERED] + item]
    if time == math.inf:
        f[i[ITEM_ANSWERED] + item] = HANDED_ON
    return float(max(not_before, time))


def mark_answered(f: FloatArray, i: IntArray, mark: int, time: float) -> None:
    """Lets the answer that the mark stands for come at that time."""
    if f[i[MARK_ANSWERED] + mark] == HANDED_ON:
        fire_at(f, i, mark, time)
    f[i[MARK_ANSWERED] + mark] = time


def mark_fires_at(f: FloatArray, i: IntArray, mark: int) -> float:
    """Returns when a mark fires that an item has come to; inf: with its answer."""
    time = f[i[MARK_ANSWERED] + mark]
    if time == math.inf:
        f[i[MARK_ANSWERED] + mark] = HANDED_ON
    return float(time)


def fire_at(f: FloatArray, i: IntArray, mark: int, time: float) -> None:
    """Lets the mark fire at that time, among the items whose blocked time ends."""
    push(f, i, i[BLOCKED_KEYS], i[BLOCKED_ITEMS], i[BLOCKED], time, i[ITEMS] + mark)
    i[BLOCKED] += 1
