"""Objects of the runtime that are queued once for everything that arrives until a thread takes them: the socket engine,
and queues that one item at a time works off."""

from __future__ import annotations

from poolscope.replay.loop.state import State


def carries(s: State, what: int, item: int) -> bool:
    """Returns whether the item has to be queued for the object. If not, an item that is already queued takes it
    along."""
    if s.carrier[what] < 0:
        s.carrier[what] = item
        return True
    s.gathered[what].append(item)
    return False


def taken_along(s: State, what: int) -> list[int]:
    """Returns the gathered items in the order in which they arrived. From now on the object gathers again."""
    s.carrier[what] = -1
    return s.gathered.pop(what, [])
