"""Objects of the runtime that are queued once for all that comes until a thread takes them: the socket engine, and queues that
are worked off by one item at a time."""

from __future__ import annotations

from poolscope.replay.loop.state import State


def carries(s: State, what: int, item: int) -> bool:
    """Returns whether the item has to be queued for it; else one that is queued already takes it along."""
    if s.carrier[what] < 0:
        s.carrier[what] = item
        return True
    s.gathered[what].append(item)
    return False


def taken_along(s: State, what: int) -> list[int]:
    """Returns those that have gathered, in the order in which they came. From now on it gathers again."""
    s.carrier[what] = -1
    return s.gathered.pop(what, [])
