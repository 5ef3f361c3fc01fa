"""Finds items that hand on work that arrived while they waited: the runtime's socket engine, the queues behind it, and
the timers.

The engine is one object. While its work item is queued, all data that arrives on sockets waits for it. Each request
that it then hands on gets an enqueue event of that moment, so that an item hides a queue. If the engine had run at
once, these requests would have come one by one. If sockets were recorded, the socket events show when each request
arrived. Otherwise the first request is assumed to have arrived when the engine began to wait. The others are assumed to
have arrived at any moment at which it, and each relay between, waited: independently of each other, as from many
clients.

The timer thread queues one item that serves all timers. While that item waits for a thread, all timers that become due
wait with it. The item runs the first callback itself, and queues an item of its own for every other callback.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from poolscope.attribution.causes.origins import OUTSIDE, Arrivals, running_item
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.lookup import ordered
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions

AGAIN = 3
"""A relay is one object that is queued again and again. A work id that occurs this often is a relay, or the state of
one async method; two occurrences may be chance (2^26 ids)."""
SEED = 1
"""The seed for the moments that are drawn: the same capture gives the same moments."""
DEEPEST = 16
"""The depth to which relays that queue each other are followed. Engine, connection, request: three."""


@dataclass(frozen=True)
class Relays:
    """The relay behind each item, shape (items,)."""

    root: IntArray
    """For a relay: the engine's item that led to it and that the socket thread queued (for the engine, the item
    itself); -1: no relay."""
    since: IntArray
    """The time from which data gathered for a relay, ns from the start of the window; -1: no relay.

    For the engine it is the time it was queued, also by itself to let another worker look for more. For a relay that a
    relay queued it is the time from which data gathered for that one.
    """
    by: IntArray
    """The relay that handed the item on; -1: none did."""


def find_relays(items: Items, work_id: IntArray, parent: IntArray, by_sockets: BoolArray) -> Relays:
    """Finds the items that hand on others. `parent` is the index of the item that queued each one; other values are not
    followed. `by_sockets`: the thread that watches the sockets queued the item."""
    object_, _ = pd.factorize(work_id)
    again = (np.bincount(object_)[object_] >= AGAIN) & (work_id >= 0) if items.count else np.zeros(0, dtype=bool)
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    engine = by_sockets & again
    root = np.where(engine, np.arange(items.count), -1)
    since = np.where(engine, items.enqueue, -1)
    for _ in range(DEEPEST):
        reached = again & (root < 0) & (queued_by >= 0)
        reached &= root[queued_by] >= 0
        if not reached.any():
            break
        itself = object_ == object_[queued_by]
        since = np.where(reached, np.where(itself, items.enqueue, since[queued_by]), since)
        root = np.where(reached, root[queued_by], root)
    handed = (queued_by >= 0) & (object_ != object_[queued_by]) & (root[queued_by] >= 0)
    return Relays(root, since, np.where(handed, queued_by, -1))


def not_before(items: Items, relays: Relays, came: IntArray) -> FloatArray:
    """Returns when the data behind each item arrived, ns from the start of the window, shape (items,); 0: when it was
    queued.

    `came`: the arrival that the socket events show, shape (items,); -1: not shown.
    """
    result = np.zeros(items.count)
    handed = np.flatnonzero(relays.by >= 0)
    order = handed[ordered(relays.by[handed], items.enqueue[handed], items.rank[handed])]
    by = relays.by[order]
    drawn = np.random.default_rng(SEED).random(len(by))
    drawn = drawn[np.lexsort((drawn, by))]
    drawn[np.searchsorted(by, by, side="left") == np.arange(len(by))] = 0.0
    since = relays.since[by]
    moment = np.rint(since + (items.dequeue[by] - since) * drawn)
    # An engine that queued itself again shares data with the one before it, so data may be older than its own wait.
    told = np.minimum(came[order], items.enqueue[order])
    result[order] = np.where(came[order] >= 0, told, moment)
    return result


@dataclass(frozen=True)
class Fired:
    """Timer callbacks with a known due time and a known item that ran them, shape (callbacks,). Times are ns from the
    start of the window."""

    item: IntArray
    time: IntArray
    due: IntArray
    """Never later than the item's enqueue: the timers' clock counts ticks, so that a callback may come a little
    early."""
    asked_by: IntArray
    """Index into Executions of the execution that began the delay; OUTSIDE: a thread without an item, or a periodic
    timer."""
    asked: IntArray
    relay: IntArray
    """The item that serves all timers and led to this callback: the item itself, or the item that queued it."""

    def where(self, chosen: BoolArray) -> Fired:
        return Fired(*(column[chosen] for column in vars(self).values()))


def find_fired(capture: DecodedCapture, items: Items, executions: Executions, arrivals: Arrivals) -> Fired:
    """Returns the timer callbacks. Drops all callbacks of a relay that itself ran a callback with an unknown origin:
    such a relay keeps its time."""
    if not capture.has("timers"):
        return Fired(*(np.zeros(0, dtype=np.int64) for _ in fields(Fired)))
    table, (base, _) = capture.table("timers"), capture.window
    item = items.index_of(table["item"].to_numpy())
    known = (item >= 0) & (table["due"].to_numpy() >= 0)
    item = item[known]
    timer_id, due, period, fired_at, sent, sent_tid = (
        table[name].to_numpy()[known] for name in ("timer_id", "due", "period", "fired", "sent", "sent_tid")
    )
    timers = arrivals.completion & ~arrivals.by_sockets
    work = capture.table("work_items")["work_id"].to_numpy()[items.row]
    parent = arrivals.parent[item]
    queued_by = np.where((parent >= 0) & (parent < items.count), parent, -1)
    own = work[item] == timer_id
    relay = np.where(own, queued_by, item)
    sent = sent - base
    asked_by = running_item(executions, sent_tid.astype(np.int64), sent)
    asked_by = np.where((period < 0) & (asked_by != item) & (asked_by != relay), asked_by, OUTSIDE)
    # A timer that was set before the window may also have been due before it.
    due = np.maximum(np.minimum(due - base, items.enqueue[item]), 0)
    fired = Fired(item, fired_at - base, np.maximum(due, sent), asked_by, sent, relay)
    fired = fired.where((relay >= 0) & timers[relay])
    kept = np.ones(items.count, dtype=bool)
    kept[fired.item[(fired.item == fired.relay) & (fired.asked_by < 0)]] = False
    return fired.where(kept[fired.relay])


def with_timers(relays: Relays, items: Items, fired: Fired) -> Relays:
    """Returns the relays together with the items that serve timers and the items that those queue for due timers."""
    root, since, by = relays.root.copy(), relays.since.copy(), relays.by.copy()
    root[fired.relay], since[fired.relay] = fired.relay, items.enqueue[fired.relay]
    own = fired.item != fired.relay
    by[fired.item[own]] = fired.relay[own]
    return replace(relays, root=root, since=since, by=by)
