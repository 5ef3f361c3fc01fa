"""What comes some time after it was asked for: it brings items, and lets those go on that wait for it.

The one that hands it on, an item that needs a thread, may be late too: then the later of both counts.
"""

from __future__ import annotations

from heapq import heappush
from math import inf

from poolscope.replay.loop.state import HANDED_ON, READY, State


def comes_by_itself(s: State, item: int, time: float) -> None:
    """Lets the item arrive at that time, among those whose blocked time ends, unless something brings it sooner."""
    if s.arrived[item] == inf and s.coming[item] == inf:
        s.coming[item] = time
        heappush(s.blocked, (time, item))


def handed_on_later(s: State, item: int, time: float) -> None:
    """Lets the item's data come at that time, after the item that hands it on has run. With stand-ins the engine would
    then be queued once more and need a thread: the item stands in for it."""
    if s.given.stand_ins and s.arrived[item] == inf and s.coming[item] == inf:
        s.stand_in[item] = READY
    comes_by_itself(s, item, time)


def answered(s: State, item: int, time: float) -> None:
    """Lets the answer that the item takes up come at that time."""
    before = s.answered[item]
    if before == HANDED_ON:
        handed_on_later(s, item, time)
    elif before == 0.0:
        comes_by_itself(s, item, time)
    else:
        s.answered[item] = time


def comes_at(s: State, item: int, not_before: float) -> float:
    """Returns when an item that another one hands on arrives; inf: its answer will bring it."""
    time = s.answered[item]
    if time == inf:
        s.answered[item] = HANDED_ON
    return max(not_before, time)


def mark_answered(s: State, mark: int, time: float) -> None:
    """Lets the answer that the mark stands for come at that time."""
    if s.mark_answered[mark] == HANDED_ON:
        fire_at(s, mark, time)
    s.mark_answered[mark] = time


def mark_fires_at(s: State, mark: int) -> float:
    """Returns when a mark fires that an item has come to; inf: with its answer."""
    time = s.mark_answered[mark]
    if time == inf:
        s.mark_answered[mark] = HANDED_ON
    return time


def fire_at(s: State, mark: int, time: float) -> None:
    """Lets the mark fire at that time, among the items whose blocked time ends."""
    heappush(s.blocked, (time, s.items + mark))
