"""Ranks code by the thread-seconds for which it blocked workers inside items while other items waited in the queue."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.blame.evidence import EVENT, NONE, SNAPSHOT, Blocked, gather, initialising
from poolscope.blame.owner_search import owner_search
from poolscope.blame.owners import Owners
from poolscope.blame.sampling import Estimate, beat_of, estimate
from poolscope.blame.stacks import Place, StackNames, own_stack_of, stack_names
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import BlameRowJson
from poolscope.naming import is_user
from poolscope.naming.call import BlockingCall
from poolscope.naming.choice import call_in, kind_of, user_method

STACKS_SHOWN = 3
ROWS_SHOWN = 20
SOME_WAIT = "some-wait"
"""The kind of a wait until another row names it: an event shows that a thread waits, and no name on its stack shows for
what."""


@dataclass
class BlameRow:
    """One method and kind of wait. Times are thread-seconds."""

    method: str | None
    """The user's method nearest to the leaf, as its author wrote it, or else a telling method of the framework; None:
    no stack, or none of its code has a name."""
    kind: str
    thread_s: float = 0.0
    event_s: float = 0.0
    """The part of thread_s that a wait event shows."""
    estimated_s: float = 0.0
    """The part of thread_s that is blocked time without any evidence, divided by the snapshots of other stretches
    (sampling.py)."""
    low_s: float = 0.0
    """The ends of the 95 % interval of thread_s."""
    high_s: float = 0.0
    samples: int = 0
    """The number of snapshots that saw a thread blocked here."""
    own: bool = False
    """Whether the method belongs to the application, not to a library or the framework."""
    place: Place | None = None
    """The source line of the method on the stacks with the most time; None: not known."""
    call: BlockingCall | None = None
    """The call of the framework or a library that blocked on those stacks; None: no known call."""
    stacks: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    """The time that is not estimated, by `stacks.id`."""
    owners: Owners | None = None
    """For kind lock: the holders of the locks during the waits."""


@dataclass(frozen=True)
class Blame:
    """The rows of blame, costliest first and rows without a stack last, with the time that they leave open."""

    rows: list[BlameRow]
    total_s: float
    """Thread-seconds blocked while items waited: the sum of the rows."""
    unknown_s: float
    """The part of total_s without a stack, neither measured nor estimated."""
    estimated_s: float
    """The part of total_s that is estimated."""
    snapshots: int
    """The number of observations behind the estimate; 0: there is none."""
    samples: int
    """The number of times that a snapshot saw an item's thread blocked, over all rows; each thread counts."""
    unseen_s: float
    """The largest part of total_s that code without a row may have held."""
    names: StackNames

    @property
    def first(self) -> BlameRow | None:
        """The costliest row with known code."""
        return self.rows[0] if self.rows and self.rows[0].stacks else None

    def to_json(self) -> list[BlameRowJson]:
        known = [row for row in self.rows if row.stacks]
        return [self._row(row) for row in known[:ROWS_SHOWN] + self.rows[len(known) :]]

    def _row(self, row: BlameRow) -> BlameRowJson:
        costliest = sorted(row.stacks.items(), key=lambda s: (-s[1], s[0]))[:STACKS_SHOWN]
        return {
            "method": row.method,
            "own": row.own,
            "file": row.place[0] if row.place else None,
            "line": row.place[1] if row.place else None,
            "line_is": None if row.place is None else "executed" if row.place[2] else "method_start",
            "kind": row.kind,
            "call": row.call.call if row.call else None,
            "instead": row.call.instead if row.call else None,
            "thread_s": round(row.thread_s, 6),
            "share": round(row.thread_s / self.total_s, 6),
            "event_s": round(row.event_s, 6),
            "estimated_s": round(row.estimated_s, 6),
            "samples": row.samples,
            "samples_of": self.samples,
            "share_low": round(row.low_s / self.total_s, 6),
            "share_high": round(row.high_s / self.total_s, 6),
            "named_share": round(1.0 - row.estimated_s / row.thread_s, 6) if row.stacks and row.thread_s else 0.0,
            "stacks": [
                {"thread_s": round(s, 6), "frames": self.names.shown(stack), "own": self.names.own(stack)}
                for stack, s in costliest
            ],
            "held_by": row.owners.to_json() if row.owners else None,
        }


def assign_blame(
    capture: DecodedCapture, attribution: Attribution, counted: Steps | None = None, *, owners: bool = True
) -> Blame | None:
    """Ranks the code that held the threads. Returns None without a kernel stream (no blocked time) or without any
    stacks.

    `counted`: the weight of each moment, from 0 to 1; default: 1 while at least one item waits in the queue. `owners`:
    whether to search for the owners of locks while items waited, whatever `counted` is. It is much faster without them.
    """
    if capture.kernel_tier == "none" or not capture.has("stacks", "frames", "waits"):
        return None
    blocked = gather(capture, attribution, counted)
    names = stack_names(capture, attribution)
    if own := own_stack_of(np.unique(blocked.stack[blocked.stack >= 0]).tolist(), names):
        told = np.arange(names.nodes, dtype=np.int32)
        told[list(own)] = list(own.values())
        blocked = replace(blocked, stack=np.where(blocked.stack >= 0, told[np.maximum(blocked.stack, 0)], -1))
    rows, row_of = _rows(blocked, names, initialising(capture, blocked, names))
    for index, count in enumerate(np.bincount(row_of, blocked.samples, len(rows)).astype(np.int64).tolist()):
        rows[index].samples = count
    found = _estimate(capture, blocked, row_of, len(rows))
    unknown = float(blocked.held[blocked.origin == NONE].sum()) / NS_PER_S
    estimated = 0.0 if found is None else _divide(rows, found)
    unseen = _bound(rows, found, unknown)
    unknown -= estimated
    if owners and any(row.kind == "lock" for row in rows):
        search = owner_search(capture, attribution)
        for index, row in enumerate(rows):
            if row.kind != "lock":
                continue
            # Without a contention event the lock is unknown.
            mine = (row_of == index) & (blocked.lock == 1)
            if mine.any():
                row.owners = search.of(blocked, mine)
    kept = [row for row in rows if row.thread_s > 0]
    return Blame(
        rows=sorted(kept, key=lambda r: (not r.stacks, -r.thread_s, r.kind, r.method or "")),
        total_s=float(blocked.held.sum()) / NS_PER_S,
        unknown_s=max(unknown, 0.0),
        estimated_s=estimated,
        snapshots=0 if found is None else found.snapshots,
        samples=int(blocked.samples.sum()),
        unseen_s=unseen,
        names=names,
    )


def _rows(blocked: Blocked, names: StackNames, initialises: BoolArray) -> tuple[list[BlameRow], IntArray]:
    """Returns the rows, and the index of the row of each stretch."""
    rows: dict[tuple[str | None, str], BlameRow] = {}
    order: dict[tuple[str | None, str], int] = {}
    # Packs all five into one number: the values are few enough to be counted.
    shape = (names.nodes + 1, 1 + max(NONE, EVENT, SNAPSHOT), 2, 2, 2)
    columns_of = (blocked.stack + 1, blocked.origin, blocked.lock, blocked.waited, initialises.astype(np.int8))
    number = np.ravel_multi_index(columns_of, shape)
    held_by_number = np.bincount(number, blocked.held)
    groups = np.flatnonzero(np.bincount(number))
    held = held_by_number[groups] / NS_PER_S
    row_of_group = np.zeros(len(held_by_number), dtype=np.int64)
    stacks, *others = np.unravel_index(groups, shape)
    columns = zip(groups.tolist(), *(column.tolist() for column in (stacks - 1, *others)), held.tolist(), strict=True)
    for at, stack, origin, lock, waited, once, seconds in columns:
        path = names.path(stack) if stack >= 0 else []
        kind = kind_of(path, bool(lock)) if path or lock else "unknown"
        if kind == "unknown":
            kind = "initialisation" if once else SOME_WAIT if waited else kind
        key = (user_method(path), kind)
        row = rows.setdefault(key, BlameRow(*key))
        row_of_group[at] = order.setdefault(key, len(order))
        row.thread_s += seconds
        row.event_s += seconds if origin == EVENT else 0.0
        if stack >= 0:
            row.stacks[stack] += seconds
    for row in rows.values():
        _locate(row, names)
    target = _one_row_per_place(list(rows.values()))
    kept = list({id(row): row for row in target}.values())
    for row, into in zip(rows.values(), target, strict=True):
        if into is not row:
            into.thread_s += row.thread_s
            into.event_s += row.event_s
            for stack, seconds in row.stacks.items():
                into.stacks[stack] += seconds
            _locate(into, names)
    index = {id(row): at for at, row in enumerate(kept)}
    moved = np.array([index[id(row)] for row in target], dtype=np.int64)
    return kept, moved[row_of_group[number]]


def _one_row_per_place(rows: list[BlameRow]) -> list[BlameRow]:
    """Returns for each row the row that it becomes part of, or itself; no row of the result becomes part of another.

    A wait event may show some wait without names that say its kind. Such a wait belongs to the method's only named wait
    if it has one, otherwise to its wait handle. If no stack has the user's own code, the call is the place: methods of
    one namespace that make the same call are ways into it, and the costliest gives the row its name.
    """
    named: dict[str | None, list[BlameRow]] = defaultdict(list)
    calls: dict[object, list[BlameRow]] = defaultdict(list)
    for row in rows:
        if row.kind not in (SOME_WAIT, "unknown"):
            named[row.method].append(row)
            if row.call is not None and row.method is not None and not row.own:
                calls[row.kind, row.call, row.method.rsplit(".", 2)[0]].append(row)
    into = {id(row): max(same, key=lambda r: r.thread_s) for same in calls.values() for row in same}
    for row in rows:
        if row.kind != SOME_WAIT:
            continue
        same = named[row.method] if row.method is not None else []
        handle = next((other for other in same if other.kind == "wait-handle"), None)
        target = same[0] if len(same) == 1 else handle
        if target is None:
            row.kind = "wait-handle"
        else:
            into[id(row)] = into.get(id(target), target)
    return [into.get(id(row), row) for row in rows]


def _estimate(capture: DecodedCapture, blocked: Blocked, row_of: IntArray, rows: int) -> Estimate | None:
    if not capture.has("snapshots") or rows == 0:
        return None
    open_to_sampling = blocked.waited == 0
    return estimate(
        beat=beat_of(capture),
        start=blocked.start[open_to_sampling],
        end=blocked.end[open_to_sampling],
        held=blocked.held[open_to_sampling],
        sampled=blocked.sampled[open_to_sampling],
        group=row_of[open_to_sampling],
        groups=rows,
    )


def _locate(row: BlameRow, names: StackNames) -> None:
    """Sets the source line and the call that account for most of the row's time."""
    places: Counter[Place | None] = Counter()
    calls: Counter[BlockingCall | None] = Counter()
    for stack, seconds in sorted(row.stacks.items()):
        path = names.path(stack)
        row.own = row.own or any(map(is_user, path))
        places[names.place(stack)] += seconds  # type: ignore[assignment]
        calls[call_in(path)] += seconds  # type: ignore[assignment]
    row.place = max((p for p in places if p), key=lambda p: places[p], default=None)
    row.call = max(calls, key=lambda c: calls[c], default=None)


def _divide(rows: list[BlameRow], found: Estimate) -> float:
    """Moves estimated time from the row without a stack to the rows that it is charged to. Returns the seconds moved.
    If each block has a stack of its own, no such row exists and nothing is moved."""
    nameless = next((row for row in rows if row.method is None and row.kind == "unknown" and not row.stacks), None)
    if nameless is None:
        return 0.0
    moved = 0.0
    for row, held in zip(rows, found.held.tolist(), strict=True):
        if row is not nameless and held > 0:
            row.thread_s += held / NS_PER_S
            row.estimated_s = held / NS_PER_S
            moved += held / NS_PER_S
    nameless.thread_s = max(nameless.thread_s - moved, 0.0)
    return moved


def _bound(rows: list[BlameRow], found: Estimate | None, unknown: float) -> float:
    """Sets the interval of each row. Returns the most that code without a row may have held, in seconds.

    `unknown`: seconds that neither an event nor a snapshot of their own shows. Without an estimate, any code may have
    held all of them.
    """
    unseen = min(found.unseen / NS_PER_S, unknown) if found is not None else unknown
    for at, row in enumerate(rows):
        if not row.stacks and row.kind == "unknown":
            row.low_s, row.high_s = 0.0, max(unseen, row.thread_s)
            continue
        measured = row.thread_s - row.estimated_s
        low, high = (found.low[at] / NS_PER_S, found.high[at] / NS_PER_S) if found is not None else (0.0, unknown)
        row.low_s, row.high_s = measured + low, measured + min(high, unknown)
    return unseen
