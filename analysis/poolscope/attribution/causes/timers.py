"""The effects of a delay that an item began: timers as answers that an item asked for.

The thread of the timers queues one item that looks after all of them, and while that one waits for a thread whatever becomes
due waits with it: it runs the first callback itself, and queues each other one as an item of its own. So it is a relay.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from poolscope.attribution.causes.arrivals import Arrivals
from poolscope.attribution.causes.relays import Relays
from poolscope.attribution.causes.wakers import OUTSIDE, running_item
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions


@dataclass(frozen=True)
class Fired:
    """Callbacks of timers of which it is known when they were due and in which item they ran, shape (callbacks,). Times are ns
    from the start of the window."""

    item: IntArray
    time: IntArray
    due: IntArray
    """Not after the item was queued: the timers' clock counts ticks, so that a callback may come a little early."""
    asked_by: IntArray
    """Index into Executions of what began the delay; OUTSIDE: a thread without an item, or a periodic timer."""
    asked: IntArray
    relay: IntArray
    """The item that looks after all timers and led to it: itself, or what queued it."""

    def where(self, chosen: BoolArray) -> Fired:
        return Fired(*(column[chosen] for column in vars(self).values()))


def find_fired(capture: DecodedCapture, items: Items, executions: Executions, arrivals: Arrivals) -> Fired:
    """Leaves out all callbacks of a relay that ran one itself of which it is unknown who asked for it: that keeps its time."""
    if not capture.has("timers"):
        return Fired(*(np.zeros(0, dtype=np.int64) for _ in fields(Fired)))
    table, (base, _) = capture.table("timers"), capture.window
    item = items.index_of(table["item"].to_numpy())
    known = (item >= 0) & (table["due"].to_numpy() >= 0)
    table, item = table[known], item[known]
    timers = arrivals.completion & ~arrivals.by_sockets
    work = capture.table("work_items")["work_id"].to_numpy()[items.row]
    parent = arrivals.parent[item]
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    own = work[item] == table["timer_id"].to_numpy()
    relay = np.where(own, queued_by, item)
    sent = table["sent"].to_numpy() - base
    asked_by = running_item(executions, table["sent_tid"].to_numpy().astype(np.int64), sent)
    once = table["period"].to_numpy() < 0
    asked_by = np.where(once & (asked_by != item) & (asked_by != relay), asked_by, OUTSIDE)
    # A timer that was set before the window may have been due before it, too.
    due = np.maximum(np.minimum(table["due"].to_numpy() - base, items.enqueue[item]), 0)
    fired = Fired(item, table["fired"].to_numpy() - base, np.maximum(due, sent), asked_by, sent, relay)
    fired = fired.where((relay >= 0) & timers[relay])
    kept = np.ones(items.count, dtype=bool)
    kept[fired.item[(fired.item == fired.relay) & (fired.asked_by < 0)]] = False
    return fired.where(kept[fired.relay])


def with_timers(relays: Relays, items: Items, fired: Fired) -> Relays:
    """Returns the same with the items that serve timers, and the items that they queue for due ones."""
    root, since, by = relays.root.copy(), relays.since.copy(), relays.by.copy()
    root[fired.relay], since[fired.relay] = fired.relay, items.enqueue[fired.relay]
    own = fired.item != fired.relay
    by[fired.item[own]] = fired.relay[own]
    return replace(relays, root=root, since=since, by=by)
