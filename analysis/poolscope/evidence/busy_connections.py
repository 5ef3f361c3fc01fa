"""Finds connections with a blocked message that others queue behind: a hub, or a loop over a web socket.

Such a connection handles its messages one after another. The process reads arriving data at once into a buffer, so
neither the kernel nor a work item shows the wait. The bytes do: the process keeps reading the connection, and sends
nothing over it while the item runs that its reader had queued.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.causes.origins import OUTSIDE, find_arrivals
from poolscope.attribution.causes.socket_io import CONNECTED, NEVER, SocketIo
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import ordered
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import Executions
from poolscope.measures.activities import Activities
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.walk import MOST_STEPS_TO_READ
from poolscope.measures.services import SILENT_NS, Turns

QUEUED_NS = int(NS_PER_MS)
"""The longest time from the read of a message to the enqueue of the item that handles it; 18 to 24 us in SignalR."""
COVERED = 0.9
"""The share of the silence in which that item must have run."""
BEHIND = 3
"""The least reads of the connection within one silence: with fewer, no message waited behind the slow one."""
REQUESTS = 1
"""The most requests tied to a connection of messages: the request that opened it. If each request has an answer, the
requests show the waits."""


HUB_CALLS = "Microsoft.AspNetCore.SignalR.Server"
"""The ActivitySource of SignalR (.NET 9 and newer): an activity for each call of a hub method, named Hub/Method."""

AT_ONCE_NS = int(200 * NS_PER_MS)
"""The time after the silence in which at least BEHIND answers go out together: the others had waited, too."""


@dataclass(frozen=True)
class BusyConnections:
    """Stretches in which a connection of messages was read and not answered, shape (stretches,). Times are ns from the
    start of the window."""

    socket: IntArray
    start: IntArray
    end: IntArray
    behind: IntArray
    """The number of reads of the connection within the stretch."""
    cost: IntArray
    """The total time for which these reads' data waited there, ns."""
    worker: IntArray
    """The thread of the item that ran all that time and was queued right after the read of a message there; -1: no item
    did, but the answers went out together afterwards."""
    call: AnyArray
    """The hub method whose call took all that time, by its activity; None: no call did, or no activity was recorded."""

    @property
    def handled(self) -> BoolArray:
        """Whether the capture shows the handler: an item or a call of a hub method that ran throughout."""
        return np.asarray((self.worker >= 0) | (self.call != None))  # noqa: E711

    @property
    def longest(self) -> int:
        return int((self.end - self.start).max())

    def where(self, chosen: BoolArray) -> BusyConnections | None:
        """Returns the chosen stretches; None if there are none."""
        columns = (self.socket, self.start, self.end, self.behind, self.cost, self.worker, self.call)
        return BusyConnections(*(column[chosen] for column in columns)) if chosen.any() else None


def find_busy_connections(
    capture: DecodedCapture,
    attribution: Attribution,
    io: SocketIo | None,
    requests: Requests | None,
    activities: Activities | None,
) -> BusyConnections | None:
    """Finds the connections on which messages waited for each other. Returns None if there are none, or sockets were
    not recorded."""
    if io is None or len(io.reads.time) == 0 or len(io.sends.time) == 0:
        return None
    reads, sends, start, stop = io.reads, io.sends, *capture.window
    tied = np.zeros(len(io.role), dtype=np.int64) if requests is None else _count(requests.socket, len(io.role))
    of_messages = (io.role != CONNECTED) & (tied <= REQUESTS)
    own = of_messages[reads.socket]
    turns = Turns.of(reads.socket[own], reads.time[own], sends.socket, sends.time, stop - start)
    chosen = turns.silent & turns.some
    socket, begin, end = turns.socket[chosen], turns.asked[chosen], turns.came[chosen]
    behind, cost = _within(reads.socket, reads.time, socket, begin, end)
    together, _ = _within(sends.socket, sends.time, socket, end, end + AT_ONCE_NS)
    item, of = _handlers(capture, attribution, io)
    worker = _ran_meanwhile(attribution.executions, item, of, socket, begin, end)
    late = (behind >= BEHIND) & ((worker >= 0) | (together >= BEHIND))
    call = _called_meanwhile(activities, begin, end)
    return BusyConnections(socket, begin, end, behind, cost, worker, call).where(late)


def _within(
    socket: IntArray, time: IntArray, of: IntArray, begin: IntArray, end: IntArray
) -> tuple[IntArray, IntArray]:
    """Returns the number of these times in each stretch of its socket, and their total distance to its end."""
    order = ordered(socket, time)
    socket, time = socket[order], time[order]
    span = int(max(time.max(initial=0), end.max(initial=0))) + 1
    key = socket * span + time
    first, last = (np.searchsorted(key, of * span + at, side="left") for at in (begin, end))
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(time)))
    return last - first, (last - first) * end - (total[last] - total[first])


def _ran_meanwhile(
    executions: Executions, item: IntArray, of: IntArray, socket: IntArray, begin: IntArray, end: IntArray
) -> IntArray:
    """Returns the thread of the item of each socket that ran nearly all the time; -1: no item did."""
    worker = np.full(len(socket), -1, dtype=np.int64)
    for one, mine in zip(item.tolist(), of.tolist(), strict=True):
        ran = np.minimum(executions.end[one], end) - np.maximum(executions.start[one], begin)
        worker[(socket == mine) & (ran >= COVERED * (end - begin))] = executions.worker[one]
    return worker


def _called_meanwhile(activities: Activities | None, begin: IntArray, end: IntArray) -> AnyArray:
    """Returns the hub method whose call covers most of each stretch; None: no call covers nearly all of it. A call
    names no connection, so the result may be a call of another one."""
    called = np.full(len(begin), None, dtype=object)
    if activities is None or not (hub := activities.source == HUB_CALLS).any():
        return called
    start, over, name = activities.begun[hub], activities.end[hub], activities.name[hub]
    over = np.where(over < 0, activities.stop, over)
    for at in range(len(begin)):
        lasted = np.minimum(over, end[at]) - np.maximum(start, begin[at])
        longest = int(np.argmax(lasted))
        if lasted[longest] >= COVERED * (end[at] - begin[at]):
            called[at] = str(name[longest]).replace("/", ".")
    return called


def _handlers(capture: DecodedCapture, attribution: Attribution, io: SocketIo) -> tuple[IntArray, IntArray]:
    """Returns long items that were queued right after a read from a connection, by the item that read or by an item
    that it had queued: their indices into Executions, and the connections."""
    executions, items = attribution.executions, attribution.items
    parent = find_arrivals(capture, items, executions).parent
    ran = (executions.end - executions.start)[: items.count]
    long = np.flatnonzero(ran >= COVERED * SILENT_NS)
    of = np.full(len(long), NEVER, dtype=np.int64)
    below = long
    for _ in range(MOST_STEPS_TO_READ):
        by = np.where(below >= 0, parent[below], OUTSIDE)
        read, some = io.reads.last_up_to(by, np.where(below >= 0, items.enqueue[below], 0))
        soon = (by >= 0) & some & (of < 0) & (items.enqueue[long] - io.reads.time[read] <= QUEUED_NS)
        of[soon] = io.reads.socket[read][soon]
        below = np.where(by < items.count, by, OUTSIDE)
    return long[of >= 0], of[of >= 0]


def _count(socket: IntArray, sockets: int) -> IntArray:
    return np.bincount(socket[socket >= 0], minlength=sockets)
