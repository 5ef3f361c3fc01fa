"""The state of the pool over time. The goal and the limits come from the runtime's reports or from the run, the busy
threads from the items. Also measures the part of a wait in which the pool was not short of threads.

In that part an item was queued and the goal was not reached. Until a wake-up or a thread creation begins, it is
dispatch, a cost of the runtime. From then until the worker runs, it is core contention: the worker is runnable and has
no core.

A program may set its maximum of threads before the recording, and no event repeats it; then it is inferred. The gate
adds a thread when items are queued and none was taken or finished for 500 ms, unless the pool is at its maximum. So a
pool that stands still for seconds and adds no thread is at its maximum. While items finish, hill climbing adds the
magnitude of its wave to its control setting in two of four samples, unless the maximum allows no more. Its statistics
also show by how much it raised the setting. If the setting rose by less, the maximum cut it off, which reveals the
maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum, load_schema
from poolscope.executions.competitors import count_ready_workers
from poolscope.executions.items import Items
from poolscope.executions.segments import READY, RUNNING, Executions, Segments


STARVATION = enum("pool_changes", "reason", "Starvation")
STALLED_NS = 2 * NS_PER_S
"""Twice the time that the gate takes at most to add a thread while the CPU is not busy (1 s)."""
UNLIMITED_THREADS = 32767
"""The runtime's default maximum on 64-bit (facts of System.Private.CoreLib 10.0)."""


@dataclass(frozen=True)
class Pool:
    """The state of the pool: step functions over ns from the start of the window, in threads or items."""

    goal: Steps
    """The number of items that the pool lets hold a thread at once."""
    minimum: Steps
    maximum: Steps
    busy: Steps
    """The number of items that hold a thread."""
    queued: Steps
    goal_known: bool
    """Whether the goal before the first change is known. If not, the capture began late and the busy threads give that
    goal."""
    limits_known: str
    """The source of minimum and maximum: event, look (read from the memory of the process), environment, runtimeconfig,
    default, inferred (a pool that stood still and added no thread), or unknown."""

    @property
    def maximum_known(self) -> bool:
        """Whether the maximum is more than a default that the program may have changed before the capture."""
        return self.goal_known or self.limits_known in ("event", "look", "inferred")

    @property
    def may_be_full(self) -> bool:
        """Whether the pool may have been at a maximum that the program set before the capture: items were queued for
        STALLED_NS or more in all, and the goal never rose. No event shows such a maximum."""
        if self.maximum_known or (np.diff(self.goal.value) > 0).any():
            return False
        waiting = Steps(self.queued.time, np.where(self.queued.value > 0, 1.0, 0.0))
        end = float(max(self.queued.time[-1], self.busy.time[-1]))
        return float(waiting.integral(0.0, end)) >= STALLED_NS


def load_pool(capture: DecodedCapture, items: Items, executions: Executions) -> Pool:
    """Builds the step functions. The goal starts at the minimum (the runtime's rule) if the capture saw the start."""
    base = capture.window[0]
    busy = Steps.count(executions.start, executions.end)
    queued = Steps.count(items.enqueue, items.dequeue)
    minimum, maximum, known = _limits(capture, base)
    changes = capture.table("pool_changes")
    change_time = changes["time"].to_numpy() - base
    change_goal = changes["goal"].to_numpy().astype(np.float64)
    launched = bool(capture.manifest["target"]["launched"])
    look = capture.manifest.get("look")
    seen = None if look is None else look.get("goal")
    if launched:
        first = float(minimum.value[0])
    elif seen is not None:
        first = float(seen)
    else:
        before = np.array([0.0, max(1.0, change_time[0] if len(change_time) else capture.window[1] - base)])
        first = max(float(minimum.value[0]), float(busy.maximum(before)[0]))
        if len(changes) and int(changes["reason"].iloc[0]) == STARVATION:
            # The gate adds one to the number of busy threads, and only if that number has reached the goal.
            first = max(float(minimum.value[0]), change_goal[0] - 1.0)
    goal = _goal(first, change_time, change_goal, minimum, maximum)
    return Pool(goal, minimum, maximum, busy, queued, launched or seen is not None, known)


def _limits(capture: DecodedCapture, base: int) -> tuple[Steps, Steps, str]:
    table = capture.table("pool_limits")
    if table.empty:
        cores = float(capture.manifest["target"]["processor_count"])
        return Steps.constant(cores), Steps.constant(float(UNLIMITED_THREADS)), "unknown"
    time = np.maximum(table["time"].to_numpy() - base, 0)
    return (
        Steps.of_changes(time, table["min"].to_numpy()),
        Steps.of_changes(time, table["max"].to_numpy()),
        load_schema().tables["pool_limits"].column("known").values[int(table["known"].iloc[-1])],
    )


def _goal(first: float, time: AnyArray, goal: AnyArray, minimum: Steps, maximum: Steps) -> Steps:
    """Returns the goal after its own changes and changes of the limits: both move it, but the runtime reports only the
    former."""
    goal_at, goal_to = [0.0], [first]
    limits = np.unique(np.concatenate((minimum.time, maximum.time)))
    moments = np.concatenate((time, limits))
    is_change = np.concatenate((np.ones(len(time), dtype=bool), np.zeros(len(limits), dtype=bool)))
    low, high = minimum.at(moments), maximum.at(moments)
    current = first
    for i in np.argsort(moments, kind="stable"):  # changes of a pool: hundreds, never one per item
        current = float(goal[i]) if is_change[i] else min(max(current, float(low[i])), float(high[i]))
        goal_at.append(max(float(moments[i]), 0.0))
        goal_to.append(current)
    return Steps.of_changes(goal_at, goal_to)


@dataclass(frozen=True)
class Handoff:
    """The handoff of each item, ns; `core + dispatch` never exceeds the wait."""

    core: IntArray
    dispatch: IntArray
    worker_ready: Steps
    """1 while at least one worker, with an item or woken for one, is runnable without a core; otherwise 0."""


def measure_handoff(capture: DecodedCapture, items: Items, segments: Segments, pool: Pool) -> Handoff:
    """Integrates over each wait the time in which fewer items than the goal held a thread."""
    below_goal = pool.busy.combine(pool.goal, np.less).merged()
    ready_workers = count_ready_workers(capture)
    spare_ready = ready_workers.combine(segments.count(READY), np.greater).merged()
    worker_ready = Steps(ready_workers.time, np.minimum(ready_workers.value, 1.0)).merged()
    del ready_workers  # as long as the capture
    waking = below_goal.combine(spare_ready, np.multiply).merged()
    total = np.rint(below_goal.integral(items.enqueue, items.dequeue)).astype(np.int64)
    core = np.rint(waking.integral(items.enqueue, items.dequeue)).astype(np.int64)
    total = np.minimum(total, items.wait)
    core = np.minimum(core, total)
    return Handoff(core, total - core, worker_ready)


WAVE = 3
"""The number of consecutive hill-climbing statistics that include a crest: two of four are on it, one after the
other."""
SAMPLES = 12
"""The least samples without statistics, with items queued and the goal unchanged: three waves."""
SAMPLE, STATS = enum("hill_climbing", "event", "sample"), enum("hill_climbing", "event", "stats")
GAIN, MOST_RAISED = 4.0, 20.0
"""Threads per second, and per sample: the runtime's HillClimbing:MaxChangePerSecond and MaxChangePerSample."""
TOLERANCE = 0.01
"""Threads: far above rounding, far below the size of a cut."""
OF_HILL_CLIMBING = tuple(
    enum("pool_changes", "reason", reason) for reason in ("Warmup", "Initializing", "ClimbingMove", "Stabilizing")
)
STANDSTILL_NS = 3 * NS_PER_S
"""Three times the time that an injected thread takes at most while the CPU is not busy (1 s)."""
BUSY_CPU = 0.7
"""The share of the cores above which the CPU is busy. Above 80 % the gate waits a second for each thread of the goal;
the rest is a margin for its own reading."""


def with_inferred_maximum(
    capture: DecodedCapture, pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float
) -> Pool:
    """Returns the pool with its busy threads as its maximum, if items were queued for long and it never tried one more
    thread.

    Changes only a maximum that is an unconfirmed default, in a capture that began late.
    """
    if pool.goal_known or pool.limits_known in ("event", "look"):
        return pool
    cut_off = _cut_off(capture)
    if cut_off is not None and cut_off >= pool.goal.value.max():
        return replace(pool, maximum=Steps.constant(cut_off), limits_known="inferred")
    moment = _standstill(pool, items, segments, cores, window_ns)
    if moment is None:
        moment = _held_on_the_crest(capture, pool)
    if moment is None:
        moment = _never_varied(capture, pool)
    if moment is None:
        return pool
    held = float(pool.busy.at(moment))
    # With fewer busy threads than the goal allows, the pool was not full, for whatever reason it waited.
    if held < max(1.0, float(pool.goal.at(moment))) or held >= float(pool.maximum.value[-1]):
        return pool
    return replace(pool, maximum=Steps.constant(held), limits_known="inferred")


def _standstill(pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float) -> float | None:
    """Returns a moment, ns, in the longest stretch in which items were queued, none started or ended and no thread was
    added; None if no such stretch lasts STANDSTILL_NS, or the CPU was busy in it."""
    waiting = Steps(pool.queued.time, np.where(pool.queued.value > 0, 1.0, 0.0)).merged()
    moved = np.concatenate((items.dequeue[items.started], items.end[items.started], pool.goal.time[1:], waiting.time))
    moments = np.unique(np.concatenate(([0.0], np.clip(moved, 0, window_ns), [window_ns])))
    # The gate has nothing to do in a stretch without queued items, however long it is.
    length = np.diff(moments) * waiting.at(moments[:-1])
    longest = int(np.argmax(length))
    if length[longest] < STANDSTILL_NS:
        return None
    begin, end = float(moments[longest]), float(moments[longest + 1])
    if float(segments.count(RUNNING).integral(begin, end)) / (end - begin) > BUSY_CPU * cores:
        return None
    return (begin + end) / 2


def _cut_off(capture: DecodedCapture) -> float | None:
    """Returns the maximum at which hill climbing's control setting was last cut off; None if it never was.

    A sample raises the setting by `GAIN * duration * (ratio * confidence) ** 2`, both at most 1, and at most by
    MOST_RAISED, then limits it to the maximum minus the wave's magnitude (.NET 8 to 11). Only a setting that rose is
    evidence: above 95 % CPU it stays unchanged.
    """
    if not capture.has("hill_climbing"):
        return None
    rows = capture.table("hill_climbing")
    rows = rows[rows["event"] == STATS]
    setting, wave = rows["new_control_setting"].to_numpy(), rows["new_thread_wave_magnitude"].to_numpy()
    by = np.minimum(rows["throughput_ratio"].to_numpy(), 1.0) * np.minimum(rows["confidence"].to_numpy(), 1.0)
    raised = np.minimum(GAIN * rows["duration"].to_numpy() * np.maximum(by, 0.0) ** 2, MOST_RAISED)[1:]
    changes = capture.table("pool_changes")
    others = np.sort(changes["time"].to_numpy()[~np.isin(changes["reason"].to_numpy(), OF_HILL_CLIMBING)])
    at = rows["time"].to_numpy()
    between = np.searchsorted(others, at[1:]) > np.searchsorted(others, at[:-1])
    rose = np.diff(setting)
    cut = (rose > TOLERANCE) & (raised - rose > TOLERANCE) & ~between & (setting[1:] == np.rint(setting[1:]))
    return float(setting[1:][cut][-1] + wave[1:][cut][-1]) if cut.any() else None


def _held_on_the_crest(capture: DecodedCapture, pool: Pool) -> float | None:
    """Returns a moment, ns, at which hill climbing wanted more threads than the goal on any crest of its wave, a crest
    came, and the goal never moved; None if there is no such moment."""
    if not capture.has("hill_climbing") or not capture.table("pool_changes").empty:
        return None
    rows = capture.table("hill_climbing")
    rows = rows[rows["event"] == STATS]
    at = (rows["time"].to_numpy() - capture.window[0]).astype(np.float64)
    wave = rows["new_thread_wave_magnitude"].to_numpy()
    crest = np.floor(np.nan_to_num(rows["new_control_setting"].to_numpy()) + wave)
    wanted = (wave > 0) & (crest > pool.goal.at(at)) & (pool.queued.at(at) > 0)
    whole = np.convolve(wanted, np.ones(WAVE), "valid") == WAVE if len(wanted) >= WAVE else np.zeros(0, bool)
    return float(at[int(np.argmax(whole))]) if whole.any() else None


def _never_varied(capture: DecodedCapture, pool: Pool) -> float | None:
    """Returns the median time, ns, of hill climbing's samples if it took them with items queued and the goal never
    moved; otherwise None.

    For .NET versions and tools that record no statistics.
    """
    if not capture.has("hill_climbing") or not capture.table("pool_changes").empty:
        return None
    rows = capture.table("hill_climbing")
    at = rows["time"].to_numpy()[rows["event"].to_numpy() == SAMPLE] - capture.window[0]
    under_backlog = at[pool.queued.at(at.astype(np.float64)) > 0]
    if len(under_backlog) < SAMPLES or under_backlog[-1] - under_backlog[0] < STANDSTILL_NS:
        return None
    return float(np.median(under_backlog))
