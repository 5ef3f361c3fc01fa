"""Finds the events in one item's execution that another item caused, the point in that item's execution, and the
evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.attribution.causes.answers import Answers, Wire, bringing, ending, find_wire
from poolscope.attribution.causes.awaited import Awaited, Told, completions, find_awaited, told_by_events
from poolscope.attribution.causes.holds import ESTIMATE, Holds, find_holds
from poolscope.attribution.causes.origins import OUTSIDE, Arrivals, find_arrivals, find_wakers
from poolscope.attribution.causes.relays import Relays, find_fired, find_relays, not_before, with_timers
from poolscope.attribution.causes.socket_io import load_socket_io
from poolscope.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from poolscope.base.lookup import first_after, ordered
from poolscope.base.stages import side_by_side
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import Executions, Segments

HANDS_ON_NS = int(20 * NS_PER_MS)
"""The longest time a relay may take to hand everything on. It does so at once, some microseconds each, unless it lacks
a core. A relay that takes longer has done something else in between. In a replay in which the threads it woke share the
cores with it from then on, they would find the queue empty and take items that came later."""


@dataclass(frozen=True)
class Causes:
    """The causes that a replay needs to move events along with the items that caused them."""

    awaited: Awaited
    holds: Holds
    parent: IntArray
    """Per item: the execution that queues it in every world; OUTSIDE: it keeps its time."""
    enters: IntArray
    """Per item with a parent: when the parent reaches the point where it queues the item, ns from the start of the
    window."""
    not_before: FloatArray
    """Per item: the time before which it cannot arrive, however soon the parent runs, on the same clock. 0: unknown, or
    the item arrives with its answer."""
    answers: Answers
    """Answers that bring items."""
    ended_by_answer: Answers
    """Answers that end waits: rows of `awaited`."""
    task: BoolArray
    """Per segment: it lies in a synchronous wait for a task, whatever ended it."""
    shared: BoolArray
    """Per item: it belongs to the runtime and hands on data for many items; as in Workload."""

    @property
    def replaced(self) -> BoolArray:
        """Per segment: blocked time that the replay produces itself, so that it is no demand of the item."""
        result = self.holds.replaced.copy()
        result[self.awaited.segment] = True
        return result

    def waits_for_others(self, segments: Segments, count: int) -> BoolArray:
        """Returns whether each of the first `count` executions waited for another one."""
        result = np.zeros(count, dtype=bool)
        waiting = segments.item[self.replaced]
        result[waiting[waiting < count]] = True
        return result

    def lock_of(self, count: int) -> AnyArray:
        """Returns the lock that each of the first `count` executions held longest, including the wait for it; -1:
        none. int32."""
        holds = self.holds
        lock = np.full(count, -1, dtype=np.int32)
        order = np.argsort(holds.released - holds.asked, kind="stable")
        order = order[holds.execution[order] < count]
        lock[holds.execution[order]] = holds.lock[order]  # the last assignment counts
        return lock


def find_causes(
    capture: DecodedCapture, items: Items, executions: Executions, segments: Segments, by_suspension: IntArray
) -> Causes:
    """Finds the causes of arrivals and of the ends of waits.

    An item that waits for a response waits in two parts. The part up to the response keeps its duration in every world.
    The item that the runtime queued for the response then arrives with the waiting item. If something else came with
    the response, the whole wait keeps its duration: otherwise the arrivals of other items would move with one of the
    waiting items.
    """
    usable = by_suspension == 0
    # One after the other: the cores are in use meanwhile, and each has arrays as long as the capture.
    arrivals, relays, wire = _what_came(capture, items, executions)
    wakers = find_wakers(capture, executions, segments)
    holds = find_holds(capture, executions, segments, wakers, usable)
    told = told_by_events(capture, executions, segments)
    candidates = usable & ~holds.replaced
    with side_by_side(capture.rows) as begun:
        bring = begun.submit(bringing, items, executions, relays, wire)
        come = begun.submit(not_before, items, relays, wire.came)
        awaited = find_awaited(capture, items, executions, segments, wakers, told, arrivals, candidates)
        ended = ending(executions, relays, wire, awaited)
        led_back = _led_back(items, segments, told, arrivals, relays, wire, awaited, ended)
        awaited.completion[led_back] = -1
        kept = _movable(capture, items, arrivals.parent, awaited)
        ended = ended.where((led_back & kept)[ended.to])
        ended = replace(ended, to=(np.cumsum(kept) - 1)[ended.to])
        awaited = awaited.where(kept)
        parent = arrivals.parent.copy()
        brings = np.flatnonzero(awaited.completion >= 0)
        moved = awaited.completion[brings]
        parent[moved] = segments.item[awaited.segment[brings]]
        holds = _let_go_before_waits(holds, segments, awaited)
    answers = bring.result().without(moved)
    came = np.maximum(come.result(), wire.floor)
    # An item that a wait or an answer brings moves with it, and so do the items that it hands on.
    came[answers.to] = 0.0
    came[(relays.by >= 0) & np.isin(relays.root[relays.by], moved)] = 0.0
    enters = _enters(items, executions, relays)
    shared = _shared(relays, wire, moved)
    return Causes(awaited, holds, parent, enters, came, answers, ended, told.task >= 0, shared)


def _what_came(capture: DecodedCapture, items: Items, executions: Executions) -> tuple[Arrivals, Relays, Wire]:
    """Returns the item that queued each item, and the event behind that: an answer, a timer, or data for many items."""
    arrivals = find_arrivals(capture, items, executions)
    work_id = capture.table("work_items")["work_id"].to_numpy()[items.row]
    fired = find_fired(capture, items, executions, arrivals)
    relays = with_timers(find_relays(items, work_id, arrivals.parent, arrivals.by_sockets), items, fired)
    return arrivals, relays, find_wire(items, arrivals.parent, relays, load_socket_io(capture, executions), fired)


def _led_back(
    items: Items,
    segments: Segments,
    told: Told,
    arrivals: Arrivals,
    relays: Relays,
    wire: Wire,
    awaited: Awaited,
    ended: Answers,
) -> BoolArray:
    """Returns the waits whose end leads back, through answers and the executions that asked for them, to before the
    wait began. Any other wait would end at a time that no world changes. The search stops at an item that a relay
    handed on for an unknown reason."""
    asker = awaited.cause.copy()
    asker[ended.to] = ended.asked_by
    led_by = replace(arrivals, parent=np.where(wire.asked_by >= 0, wire.asked_by, arrivals.parent))
    unknown_why = (relays.by >= 0) & (wire.asked_by < 0)
    return np.asarray(completions(items, segments, told, led_by, awaited, asker, unknown_why) < 0)


def _shared(relays: Relays, wire: Wire, moved: IntArray) -> BoolArray:
    """Returns the engine's items that do not move with one wait, and the relays that handed on data from outside."""
    shared = (relays.root >= 0) & (relays.by < 0)
    shared[moved] = False
    outside = (relays.by >= 0) & (wire.came >= 0) & (wire.asked_by < 0)
    shared[relays.by[outside]] = True
    return shared


def _enters(items: Items, executions: Executions, relays: Relays) -> IntArray:
    """Returns when the parent of each item reaches the point where it queues the item. A relay does so as it begins."""
    handed = np.flatnonzero(relays.by >= 0)
    if len(handed) == 0:
        return items.enqueue  # shares the column
    enters = items.enqueue.copy()
    begun = executions.start[relays.by[handed]]
    enters[handed] = np.where(items.enqueue[handed] - begun <= HANDS_ON_NS, begun, items.enqueue[handed])
    return enters


def _let_go_before_waits(holds: Holds, segments: Segments, awaited: Awaited) -> Holds:
    """Ends estimated holds before their execution waits for another one. Otherwise a replay in which the other one asks
    for the lock first could deadlock because of an estimate."""
    if len(awaited.segment) == 0:
        return holds
    waiter, since = segments.item[awaited.segment], segments.start[awaited.segment]
    order = ordered(waiter, since)
    after, same = first_after(waiter[order], since[order], holds.execution, holds.asked)
    limit = np.where(same, since[order][after], np.iinfo(np.int64).max)
    cut = (holds.known == ESTIMATE) & (limit < holds.released)
    return replace(holds, released=np.where(cut, limit, holds.released))


def _movable(capture: DecodedCapture, items: Items, parent: IntArray, awaited: Awaited) -> BoolArray:
    """Returns the waits that may move with the item that ended them: all but waits for a response that came with
    something else.

    Nothing else came with the response if its item ended only one wait and queued nothing except itself again or an
    item that led to the end of the wait. (The runtime's socket engine queues itself again to let another worker look
    for more.)
    """
    rows = np.flatnonzero(awaited.completion >= 0)
    movable = np.ones(len(awaited.segment), dtype=bool)
    if len(rows) == 0:
        return movable
    root = awaited.completion[rows]
    ended = np.bincount(root, minlength=items.count)
    work = capture.table("work_items")["work_id"].to_numpy()[items.row]
    # Children other than the engine itself and the item that ended the wait.
    own = np.flatnonzero((parent >= 0) & (parent < items.count))
    strange = own[work[own] != work[parent[own]]]
    on_path = np.zeros(items.count, dtype=bool)
    causes = awaited.cause[rows]
    on_path[causes[causes < items.count]] = True
    others = np.bincount(parent[strange[~on_path[strange]]], minlength=items.count)
    movable[rows] = (ended[root] == 1) & (others[root] == 0)
    return movable
