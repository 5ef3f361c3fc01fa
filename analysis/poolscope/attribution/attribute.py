"""The attribution of one capture: measured facts, the ladder, and the parts of every item's wait."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poolscope.attribution.causes.find import Causes, find_causes
from poolscope.attribution.ladder import CoreSupply, Demand, Ladder, WaitParts, Worlds, charge, climb
from poolscope.attribution.programs import build_workload
from poolscope.base.arrays import AnyArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.stages import Results, side_by_side
from poolscope.capture import DecodedCapture
from poolscope.executions.capacity import capacity, core_count, cores_had, saturation
from poolscope.executions.competitors import Competitors, competitors
from poolscope.executions.items import Items, load_items
from poolscope.executions.pool import Handoff, Pool, load_pool, measure_handoff, with_inferred_maximum
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import (
    BLOCKED,
    READY,
    RUNNING,
    ExecutionBounds,
    Executions,
    Segments,
    cut_executions,
    execution_bounds,
)
from poolscope.executions.suspension import caused_by_suspension, stopped_while_waiting, suspended
from poolscope.replay import Workload


@dataclass(frozen=True)
class ExecutionParts:
    """Parts of each item's execution in ns, all >= 0; they add up to `end - dequeue` exactly."""

    cpu: IntArray
    blocked: IntArray
    ready: IntArray
    runtime: IntArray
    unknown: IntArray
    """Time that the kernel stream does not cover."""

    def first(self, count: int) -> ExecutionParts:
        """Returns the parts of the first `count` executions."""
        parts = (self.cpu, self.blocked, self.ready, self.runtime, self.unknown)
        return ExecutionParts(*(part[:count] for part in parts))


WORKED_OFF = 2.0
"""The pool later needs the same time again to work off the items that queue while a core is missing."""


@dataclass(frozen=True)
class Split:
    """The parts of an attribution that need a kernel stream."""

    worker_ready: Steps
    """As in Handoff."""
    workload: Workload
    causes: Causes
    """The arrivals and blocked times that another item caused. They move with that item in every world."""
    ladder: Ladder
    parts: WaitParts
    behind_blocked: IntArray
    """The part of each item's injection delay in which the threads that the goal allowed were blocked, ns."""
    competitors: Competitors
    had: Steps
    """The cores that the items had, as `cores_had` counts them."""


@dataclass(frozen=True)
class Attribution:
    """The result of the attribution, for all later stages. Times are ns from the start of the window."""

    items: Items
    executions: Executions
    """The executions of `items` first, then those of items that already ran and held a worker when a late capture
    began. No event names the latter."""
    pool: Pool
    segments: Segments
    suspension: Steps
    by_suspension: AnyArray
    """The part of each segment that a suspension caused, ns, shape (segments,): blocked time, and the time of the
    collecting thread. int32 if all fit."""
    all_execution: ExecutionParts
    """The parts for all executions, shape (executions,)."""
    bounds: ExecutionBounds | None
    """None if the parts of the executions are exact, or are not known at all."""
    cores: float
    split: Split | None
    """None without a kernel stream: only a kernel stream distinguishes CPU time from blocked time."""
    kept: Results = field(init=False, default_factory=Results, compare=False, repr=False)
    """Results that later stages (`base.stages.once`) computed from this capture and this attribution."""

    @property
    def carried(self) -> int:
        """The number of items that already ran and held a worker when a late capture began; no event names them."""
        return self.executions.count - self.items.count

    @property
    def execution(self) -> ExecutionParts:
        """The parts for the items alone, shape (items,)."""
        return self.all_execution.first(self.items.count)

    @property
    def worker_ready(self) -> Steps | None:
        """Returns 1 while at least one worker is runnable without a core, otherwise 0; None without a kernel stream."""
        return None if self.split is None else self.split.worker_ready

    def workload(self, causes: Causes, shorter: FloatArray) -> Workload:
        """Returns the workload with other causes, and with segments that ask for `shorter` ns less, shape
        (segments,)."""
        unseen = self.all_execution.unknown
        return build_workload(self.items, self.executions, self.segments, self.by_suspension, unseen, causes, shorter)


def attribute(capture: DecodedCapture) -> Attribution:
    """Attributes the wait of every item.

    Raises InsufficientEvidence without a runtime stream, and UnreadableCapture if a table is missing or damaged.
    """
    capture.table("streams")  # every table must fit its streams
    with side_by_side(capture.rows) as begun:
        # The longest table. The next caller that reads it gets the error if it is damaged.
        begun.submit(capture.has, "thread_states")
        items = load_items(capture)
        executions = Executions.of(items, find_carried(capture, items))
        pool = load_pool(capture, items, executions)
    segments = cut_executions(capture, executions)
    cores = core_count(capture)
    if capture.kernel_tier != "none":
        length = float(capture.window[1] - capture.window[0])
        pool = with_inferred_maximum(capture, pool, items, segments, cores, length)
    suspension = suspended(capture)
    by_suspension = caused_by_suspension(capture, executions, segments, suspension)
    execution = _execution_parts(executions, segments, by_suspension)
    split = None
    if capture.kernel_tier != "none":
        with side_by_side(capture.rows) as begun:
            causing = begun.submit(find_causes, capture, items, executions, segments, by_suspension)
            competing = begun.submit(competitors, capture)
        causes, others = causing.result(), competing.result()
        executions.forget()
        with side_by_side(capture.rows) as begun:
            beside = begun.submit(_beside_workload, capture, items, segments, pool, cores)
            workload = build_workload(items, executions, segments, by_suspension, execution.unknown, causes)
        handoff, full, had, blocked_share = beside.result()
        segments.forget(READY, RUNNING)
        demand = Demand(workload, causes.lock_of(items.count), causes.waits_for_others(segments, items.count))
        supply = CoreSupply(cores, others.all, suspension, capacity(capture), full, had)
        ladder, rungs = climb(Worlds(items, pool, demand, supply), capture.rows)
        stopped = stopped_while_waiting(items, segments, by_suspension, suspension, pool.busy)
        coreless = _coreless(capture, items, pool, cores, full, handoff.worker_ready)
        parts = charge(items, handoff, rungs, stopped, coreless)
        del rungs  # each is as long as the items
        behind_blocked = _behind_blocked(parts.injection, blocked_share)
        split = Split(handoff.worker_ready, workload, causes, ladder, parts, behind_blocked, others, had)
    return Attribution(
        items=items,
        executions=executions,
        pool=pool,
        segments=segments,
        suspension=suspension,
        by_suspension=by_suspension,
        all_execution=execution,
        bounds=execution_bounds(capture, items, segments, suspension),
        cores=cores,
        split=split,
    )


def _execution_parts(executions: Executions, segments: Segments, by_suspension: AnyArray) -> ExecutionParts:
    count = executions.count
    some = np.flatnonzero(by_suspension)
    item, part, running = segments.item[some], by_suspension[some], segments.state[some] == RUNNING
    runtime = np.rint(np.bincount(item, part, count)).astype(np.int64)
    ran = np.rint(np.bincount(item[running], part[running], count)).astype(np.int64)
    cpu = segments.total(RUNNING, count) - ran
    ready = segments.total(READY, count)
    blocked = segments.total(BLOCKED, count) - (runtime - ran)
    unknown = executions.end - executions.start - cpu - blocked - ready - runtime
    return ExecutionParts(cpu, blocked, ready, runtime, unknown)


def _beside_workload(
    capture: DecodedCapture, items: Items, segments: Segments, pool: Pool, cores: float
) -> tuple[Handoff, Steps, Steps, FloatArray]:
    """Computes, one after the other, the results that take about as long as the workload in all: each has arrays as
    long as the capture."""
    handoff = measure_handoff(capture, items, segments, pool)
    full = saturation(capture, segments)
    return handoff, full, cores_had(segments, cores, full), _blocked_share(items, segments, pool)


def _coreless(
    capture: DecodedCapture, items: Items, pool: Pool, cores: float, full: Steps, worker_ready: Steps
) -> FloatArray | None:
    """Returns the most that a lack of cores can have cost each wait, ns, shape (items,): WORKED_OFF times the part of
    the wait in which a worker had no core or the cores were full. Returns None for tiers without exact times, and if a
    maximum below the number of cores kept the cores from being short."""
    if capture.poll_step_ns is not None or pool.maximum.value.min() < cores:
        return None
    lack = worker_ready.combine(full, np.maximum)
    return np.asarray(WORKED_OFF * lack.integral(items.enqueue, items.dequeue))


def _blocked_share(items: Items, segments: Segments, pool: Pool) -> FloatArray:
    """Returns the mean share of the busy threads that were blocked during each wait, shape (items,)."""
    share = segments.counted(BLOCKED).combine(pool.busy, _share)
    busy = Steps(pool.busy.time, (pool.busy.value > 0).astype(np.float64)).merged()
    while_busy = busy.integral(items.enqueue, items.dequeue)
    return np.asarray(share.integral(items.enqueue, items.dequeue) / np.maximum(while_busy, 1.0))


def _share(blocked: FloatArray, busy: FloatArray) -> FloatArray:
    """Returns the share of busy threads that are blocked; 0 if no thread is busy, because then none is blocked."""
    share = np.maximum(busy, 1.0)
    return np.asarray(np.divide(blocked, share, out=share))


def _behind_blocked(injection: IntArray, blocked_share: FloatArray) -> IntArray:
    """Returns the part of the injection that passed behind blocked threads."""
    return np.minimum(np.rint(injection * np.clip(blocked_share, 0.0, 1.0)).astype(np.int64), injection)
