"""The CPU time that the target may use: affinity, quota, and suspensions, which count as cores that stand still.

Beside busy neighbours, more runnable threads get more of the cores. A replay with more threads then shows items that
end sooner, although the pool was not short of threads but of cores. So a step of the ladder counts only as far as it
also helps on the cores that the items really had, without competitors. While the cores are full, these are exactly the
cores that items were on. A replay would use the last percent of idle time to clear the queue, because its items arrive
at their captured times. In reality, callers that get their answers sooner also come back sooner.
"""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import READY, RUNNING, Segments
from poolscope.executions.states import ThreadStates, threads_in_state


def core_count(capture: DecodedCapture) -> float:
    """Returns the CPUs' worth of time that the target may use: its affinity, or its cgroup's quota if that is less. If
    that changed, returns the most that it had."""
    return float(cores_over_time(capture).value.max())


def cores_over_time(capture: DecodedCapture) -> Steps:
    """Returns the cores that the target may use over time, ns from the start of the window. The first reading also
    holds for the time before it."""
    if capture.has("capacity") and not capture.table("capacity").empty:
        rows = capture.table("capacity")
        start, stop = capture.window
        time = np.maximum(rows["time"].to_numpy() - start, 0)
        inside = time < stop - start
        inside[0] = True
        time[0] = 0
        return Steps.of_changes(time[inside], rows["cores"].to_numpy()[inside])
    return Steps.constant(_cores_at_start(capture))


def _cores_at_start(capture: DecodedCapture) -> float:
    target = capture.manifest["target"]
    allowed = float(target["cpus_allowed"])
    quota = target.get("cpu_quota")
    return min(allowed, float(quota)) if quota else allowed


def cores_while(suspension: Steps, cores: float | Steps) -> Steps:
    """Returns `cores`, and 0 while the runtime is suspended."""
    if isinstance(cores, Steps):
        return cores.combine(suspension, lambda c, s: np.where(s > 0, 0.0, c))
    return Steps(suspension.time, np.where(suspension.value > 0, 0.0, cores))


def capacity(capture: DecodedCapture) -> Steps:
    """Returns the cores that the target may use over time; while a CPU quota stopped the target, at most the cores that
    it really had.

    In an interval in which the quota ran out, the CPU time that the target's threads used is the limit. The quota may
    have been set, or the process moved under it, after the manifest was written.
    """
    if capture.kernel_tier == "none" or not capture.has("throttles") or capture.table("throttles").empty:
        return cores_over_time(capture)
    start = capture.window[0]
    throttles = capture.table("throttles")
    begin, end = throttles["start"].to_numpy() - start, throttles["end"].to_numpy() - start
    threads = capture.table("threads")
    own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    own = np.union1d(own, capture.table("workers")["tid"].to_numpy())
    used = threads_in_state(capture, RUNNING, own).integral(begin, end) / np.maximum(end - begin, 1)
    cores = cores_over_time(capture)
    allowed = cores.integral(begin, end) / np.maximum(end - begin, 1)
    missing = Steps.count(begin, end, weight=np.maximum(allowed - used, 0.0))
    return cores.combine(missing, lambda c, m: np.maximum(c - m, 0.0))


BIN_NS = 10 * NS_PER_MS
"""The resolution of the cores that the items had: a few time slices."""
CONTESTED = 0.25
"""The mean number of runnable threads outside the pool from which the cores are contested; fewer take hardly
anything."""
NOTABLE = 0.1
"""The share of the time with items queued below the maximum from which full cores are examined."""
SATURATED = 0.95
"""The share of the cores in use from which they are full: between two threads a core idles for a moment."""
WITH_ITEMS = 0.5
"""The least share of the cores that the items must be on meanwhile: with less, others fill the cores."""
SATURATION_BIN_NS = int(100 * NS_PER_MS)
"""The bins for full cores, as long as some tens of time slices: a momentary burst does not fill one."""


def saturation(capture: DecodedCapture, segments: Segments) -> Steps:
    """Returns 1 while the cores that the target may use were full, at least half of them with its items, otherwise
    0; ns from the start of the window. Beside others that fill the cores, an item that gets a thread gets its share
    of them. If the target may use only a part of the machine, or other processes are not seen, only its own threads
    count."""
    start, stop = capture.window
    states, target = ThreadStates(capture), capture.manifest["target"]
    lane = np.zeros(len(states.tid), dtype=np.int64)
    cores = capacity(capture)
    if cores.value.min() < (capture.manifest.get("host", {}).get("cpus_online") or target["cpus_allowed"]):
        threads = capture.table("threads")
        own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(target["pid"])]
        lane[~np.isin(states.tid, np.union1d(own, capture.table("workers")["tid"].to_numpy()))] = -1
    edges = SATURATION_BIN_NS * np.arange(-(-(stop - start) // SATURATION_BIN_NS) + 1, dtype=np.float64)
    mean = states.running_in_bins(lane, 1, edges)
    if mean is None:
        return Steps.constant(0.0)
    full = _at_least(SATURATED, Steps(edges, np.append(mean[0], 0.0)).merged(), cores)
    running = segments.state == RUNNING
    begin, end, one = segments.start[running], segments.end[running], np.zeros(running.sum(), dtype=np.int64)
    items = Steps.count_in_bins(begin, end, one, np.ones(1), SATURATION_BIN_NS, np.ones(1, dtype=bool))
    full = full.combine(_at_least(WITH_ITEMS, items, cores), np.minimum)
    # A kernel stream that begins late shows nothing before, which is not idleness: its first value holds there, too.
    seen = (
        int(np.maximum(capture.table("thread_states")["start"].to_numpy().min() - start, 0))
        // SATURATION_BIN_NS
        * SATURATION_BIN_NS
    )
    if seen:
        seen += SATURATION_BIN_NS
        later = full.time > seen
        full = Steps(np.append(0.0, full.time[later]), np.append(full.at(seen), full.value[later]))
    over = Steps.of_changes([0.0, float(stop - start)], [1.0, 0.0])  # items that end later in a replay find cores
    return full.combine(over, np.minimum).merged()


def _at_least(share: float, used: Steps, cores: Steps) -> Steps:
    """Returns 1 while this share of the cores or more is used, otherwise 0."""
    return used.combine(cores, lambda on, may: np.where(on >= share * may, 1.0, 0.0))


def cores_had(segments: Segments, cores: float, full: Steps) -> Steps:
    """Returns the cores that items were on while at least one of them was ready, or the cores were `full` (see
    `saturation`); otherwise all cores that the process may use."""
    ready = segments.count(READY)
    short = ready.combine(full, lambda waiting, is_full: np.where((waiting > 0) | (is_full > 0), 1.0, 0.0))
    segments.forget(READY)
    del ready  # each count is as long as the capture
    on = segments.count(RUNNING)
    return on.combine(short, lambda running, is_short: np.where(is_short > 0, running, cores)).binned(BIN_NS)


def is_contested(competitors: Steps, length_ns: float) -> bool:
    """Returns whether others wanted the cores for a notable part of the capture."""
    return float(competitors.integral(0.0, length_ns)) >= CONTESTED * max(length_ns, 1.0)


def is_full(full: Steps, below: Steps) -> bool:
    """Returns whether the cores were full for a notable part (a tenth) of the time `below`, in which items queued below
    the maximum."""
    short = below.combine(full, np.minimum)
    return float(short.integral(0.0, short.time[-1])) > NOTABLE * float(below.integral(0.0, below.time[-1]))


def only_gained(above: FloatArray, below: FloatArray, above_own: FloatArray, below_own: FloatArray) -> float:
    """Returns the share, 0 ... 1, of the step from `above` to `below` (delays, ns, shape (items,)) that is no gain at
    the expense of others: the part that remains on the items' own cores. Items that only change places gain nothing in
    all."""
    step, own = float((above - below).sum()), float((above_own - below_own).sum())
    return min(max(own, 0.0) / step, 1.0) if step > 0 else 0.0
