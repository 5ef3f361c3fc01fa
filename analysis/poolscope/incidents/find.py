"""Finds the incidents, in which items were late, and decides which ones matter.

Late items that overlap, or that follow each other within a second, are one incident. Short and small incidents do not
matter, and neither does a start-up that compiles code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.series import Steps
from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items as items_words
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.executions.segments import READY, RUNNING
from poolscope.measures.quota import throttled_between


BEGINS_WITHIN_NS = 5 * NS_PER_S
"""After the process was created. A service that gets load within this time compiles the code that the first requests
need."""
ENDS_WITHIN_NS = 10 * NS_PER_S
"""Lateness beyond this time is not caused by start-up, whatever was compiled meanwhile."""
RUNTIME_SHARE = 0.25
"""A share of the process's CPU samples. From a quarter in the runtime's own code on (the JIT compiler, the type
loader), start-up is a notable part of what the process did. A warm service has less than a tenth there."""
BUSY_SHARE = 0.25
"""A share of the cores that items wanted or had. A process that starves with blocked threads leaves cores idle, however
much of its little CPU time is start-up."""
SUSPENDED_SHARE = 0.25
"""A share of the time. If the runtime was suspended for this share, collections delayed the items. Collections also run
in the runtime's code, and time in the compiler keeps counting while a thread is suspended there."""
THROTTLED_SHARE = 0.25
"""A share of the time, summed over CPUs. If a CPU quota stopped the process for this share, the quota delayed the
items. Time in the compiler keeps counting then too: background recompilation looked like a start-up (measured)."""
COMPILING_SHARE = 0.25
"""A share of the cores, like BUSY_SHARE, by the runtime's own measure of the time in its compiler."""
BLOCKED_SHARE = 0.5
"""A share of the wait. Threads that compile sometimes wait for each other, for a fifth of the wait in cold services
(measured)."""
RUNTIME_MODULES = ("libclrjit.so", "libcoreclr.so", "clrjit.dll", "coreclr.dll")


@dataclass(frozen=True)
class StartUp:
    """The start time of the process, and its CPU samples in the runtime's code."""

    capture: DecodedCapture
    attribution: Attribution

    @cached_property
    def created_ns(self) -> float | None:
        """The creation of the process, ns from the start of the window, usually negative. None if unknown."""
        target = self.capture.manifest["target"]
        told = target.get("process_start_ns")
        if told is not None:
            return float(told) - self.capture.window[0]
        return 0.0 if target["launched"] else None

    def explains(self, start: int, end: int) -> bool:
        """Returns whether items that were late from `start` to `end`, ns from the start of the window, were late
        because the process was starting. False without evidence."""
        created = self.created_ns
        if created is None or start - created > BEGINS_WITHIN_NS or end - created > ENDS_WITHIN_NS:
            return False
        if float(self.attribution.suspension.integral(start, end)) >= SUSPENDED_SHARE * (end - start):
            return False
        if throttled_between(self.capture, start, end) >= THROTTLED_SHARE * (end - start):
            return False
        if self._compiling(start, end) >= COMPILING_SHARE * self.attribution.cores:
            return True
        there = (self._time >= start) & (self._time <= end)
        samples = int(there.sum())
        if samples == 0:
            return False
        in_runtime = int((there & self._in_runtime).sum()) / samples
        segments = self.attribution.segments
        runnable = sum(float(segments.count(state).integral(start, end)) for state in (RUNNING, READY))
        return in_runtime >= RUNTIME_SHARE and runnable >= BUSY_SHARE * self.attribution.cores * (end - start)

    def held_by_blocked(self, late: IntArray) -> bool:
        """Returns whether these items (indexes) waited mostly behind blocked items. Then compilation was not the
        cause."""
        split = self.attribution.split
        if split is None:
            return False
        behind = float((split.behind_blocked + split.parts.blocking)[late].sum())
        return behind >= BLOCKED_SHARE * float(self.attribution.items.wait[late].sum())

    def _compiling(self, start: int, end: int) -> float:
        """Returns how many cores compiled methods on average in this time, as the runtime counted. 0 if it did not
        count."""
        if not self.capture.has("pool_counters") or end <= start:
            return 0.0
        rows = self.capture.table("pool_counters")
        rows = rows[(rows["compiling"].to_numpy() >= 0) & (rows["since"].to_numpy() >= 0)]
        begin, stop = (rows[c].to_numpy() - self.capture.window[0] for c in ("since", "time"))
        inside = np.maximum(np.minimum(stop, end) - np.maximum(begin, start), 0) / np.maximum(stop - begin, 1)
        return float((rows["compiling"].to_numpy() * inside).sum()) / (end - start)

    @cached_property
    def _time(self) -> FloatArray:
        """The times of the target's CPU samples, ns from the start of the window."""
        if not self._has_samples:
            return np.zeros(0)
        samples = self.capture.table("cpu_samples")
        own = samples["pid"].to_numpy() == int(self.capture.manifest["target"]["pid"])
        return np.asarray(samples["time"].to_numpy()[own] - self.capture.window[0], dtype=np.float64)

    @cached_property
    def _in_runtime(self) -> BoolArray:
        """Returns which samples ended in the runtime's own code while it was not suspended: a collection runs there
        too."""
        samples = self.capture.table("cpu_samples")
        own = samples["pid"].to_numpy() == int(self.capture.manifest["target"]["pid"])
        stack = samples["stack"].to_numpy()[own].astype(np.int64)
        stacks, frames = self.capture.table("stacks"), self.capture.table("frames")
        if stacks.empty:
            return np.zeros(len(stack), dtype=bool)
        runtime_frame = frames["module"].isin(RUNTIME_MODULES).to_numpy()
        leaf = runtime_frame[stacks["frame"].to_numpy()[np.maximum(stack, 0)]] & (stack >= 0)
        return np.asarray(leaf & (self.attribution.suspension.at(self._time) == 0))

    @property
    def _has_samples(self) -> bool:
        return self.capture.has("cpu_samples", "stacks", "frames")


GAP_NS = NS_PER_S
"""Late items that follow each other within this time belong to one incident. An injected thread takes about a second,
so a pool that runs out of threads makes items late at least that often."""


@dataclass(frozen=True)
class Incident:
    """One stretch in which items were late. Times are ns from the start of the window."""

    start: int
    """The enqueue of the first late item."""
    end: int
    """The start of the last late item, or the end of the window if it never started."""
    late: IntArray
    """Indexes into Items, in order of enqueue."""
    items: int
    """The number of items that were queued, waited or started in this time, including the late ones."""


def late_items(items: Items, limit_ms: float = LATE_LIMIT_MS) -> BoolArray:
    """Returns which items waited longer than `limit_ms`, shape (items,). A lower bound above the limit counts."""
    return np.asarray(items.wait > limit_ms * NS_PER_MS)


def find_incidents(items: Items, limit_ms: float = LATE_LIMIT_MS) -> list[Incident]:
    """Returns the incidents by start. Empty if nothing was late."""
    late = np.flatnonzero(late_items(items, limit_ms))
    if len(late) == 0:
        return []
    order = late[np.argsort(items.enqueue[late], kind="stable")]
    begin = items.enqueue[order]
    reached = np.maximum.accumulate(items.dequeue[order])
    first = np.flatnonzero(np.append(True, begin[1:] > reached[:-1] + GAP_NS))
    enqueued, started = np.sort(items.enqueue), np.sort(items.dequeue)
    found = []
    for at, members in zip(first, np.split(order, first[1:]), strict=True):
        start, end = int(begin[at]), int(items.dequeue[members].max())
        there = int(np.searchsorted(enqueued, end, side="right") - np.searchsorted(started, start, side="left"))
        found.append(Incident(start, end, members, there))
    return found


LONG_MS = 1.0 * MS_PER_S
"""A single item that waits for a second matters: a second is what the pool takes to add a thread, and people notice
it."""
SHORT_MS, SHORT_S = 250.0, 1.0
"""If no item waited longer than the first limit and the incident ended within the second, it is one hiccup of the
machine, however many items were queued then. A recurrence within a second extends the same incident."""
LEAST_S = 1.0
"""Item-seconds beyond the late limit from which many shorter waits matter: a second in all."""
LEAST_SHARE = 0.01
"""The same per second of the incident: waits of a hundredth of the time are the background of a busy machine."""


@dataclass(frozen=True)
class Weighed:
    """An incident and whether it matters: the longest wait of its late items, ms, and their item-seconds."""

    incident: Incident
    longest_ms: float
    item_seconds: float
    at_least: bool
    """True if some of these waits began before the capture or continued after it."""
    at_start_up: bool
    why_not: str | None
    """Why it does not matter, as a sentence. None if it matters."""

    @property
    def matters(self) -> bool:
        return self.why_not is None


def weigh(incident: Incident, items: Items, limit_ms: float, start_up: StartUp) -> Weighed:
    """Decides whether an incident matters."""
    wait = items.wait[incident.late]
    longest = float(wait.max()) / NS_PER_MS
    beyond = float((wait - limit_ms * NS_PER_MS).sum()) / NS_PER_S
    length = (incident.end - incident.start) / NS_PER_S
    starting = start_up.explains(incident.start, incident.end) and not start_up.held_by_blocked(incident.late)
    why = None
    if starting:
        why = f"{_late(incident)}, up to {duration(longest)}, while the program started and its code was compiled."
    elif longest < SHORT_MS and length < SHORT_S:
        why = (
            f"{_late(incident)}, up to {duration(longest)}, within {duration(length * MS_PER_S)}: too short to matter."
        )
    elif longest < LONG_MS and beyond < max(LEAST_S, LEAST_SHARE * length):
        why = f"{_late(incident)}, up to {duration(longest)}: too few and too short to matter."
    return Weighed(
        incident=incident,
        longest_ms=longest,
        item_seconds=float(wait.sum()) / NS_PER_S,
        at_least=bool(items.censored[incident.late].any()),
        at_start_up=starting,
        why_not=why,
    )


def _late(incident: Incident) -> str:
    count = items_words(len(incident.late))
    return f"{count[0].upper()}{count[1:]} of {incident.items:,} started late"


def assess(
    capture: DecodedCapture, attribution: Attribution, limit_ms: float = LATE_LIMIT_MS, start_up: StartUp | None = None
) -> list[Weighed]:
    """Finds the incidents and decides which ones matter; by start. An item is late if it waits longer than `limit_ms`,
    above 0."""
    start_up = start_up or StartUp(capture, attribution)
    found = find_incidents(attribution.items, limit_ms)
    return [weigh(incident, attribution.items, limit_ms, start_up) for incident in found]


def counted_by_blame(items: Items, incidents: list[Weighed]) -> Steps | None:
    """Returns the weight of each moment in a capture's blame: 1 while a late item of an incident that matters waited.

    Returns None if no incident matters: blame then counts every moment in which an item waited.
    """
    mattering = [i for i in incidents if i.matters]
    return late_and_waiting(items, mattering) if mattering else None


def late_and_waiting(items: Items, incidents: list[Weighed]) -> Steps:
    """Returns 1 while at least one late item of these incidents waits, otherwise 0; ns from the start of the window."""
    late = np.concatenate([i.incident.late for i in incidents])
    waiting = Steps.count(items.enqueue[late], items.dequeue[late])
    return Steps(waiting.time, np.minimum(waiting.value, 1.0)).merged()
