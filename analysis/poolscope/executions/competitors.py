"""Threads that share the cores with the target's workers: seen, inferred if the kernel stream shows only the target,
and the recorder's own.

A core does not idle while a thread waits for it, so other threads had the core time that the target's runnable threads
lacked. A stream of the target alone does not show which threads. In tier schedstat the order of states within a polling
step is a convention: single moments mean nothing, but means over many steps do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.stages import side_by_side
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.capacity import capacity, cores_over_time
from poolscope.executions.segments import READY, RUNNING
from poolscope.executions.states import ThreadStates, threads_in_state

BIN_NS = 100 * NS_PER_MS
"""The least length of a bin. Shares over this time are accurate to a tick (1 to 10 ms)."""
STEPS_PER_BIN = 10
"""The least number of polling steps in a bin; a bin has exactly this many default steps."""
LEAST_SHARE = 0.01
"""The least share of a bin: below it, a bin in which threads only waited would have infinitely many competitors."""


def is_inferable(capture: DecodedCapture) -> bool:
    """Returns whether competitors can be inferred. They cannot without a kernel stream, or if the manifest has a CPU
    quota but the recording does not show when it ran out. A quota takes cores away just as other processes do."""
    if capture.kernel_tier == "none":
        return False
    return not capture.manifest["target"].get("cpu_quota") or capture.has("throttles")


def unseen_competitors(capture: DecodedCapture) -> Steps:
    """Returns the least number of runnable threads of other processes over time; ns from the start of the window.

    If the target's runnable threads got the share s of the cores, processor sharing has c / s runnable threads on c
    cores. Those beyond the target's own threads, or beyond the cores if these are more, belong to other processes.
    """
    if not is_inferable(capture):
        return Steps.constant(0.0)
    edges = _edges(capture)
    cores = capacity(capture).mean(edges)
    on_core = threads_in_state(capture, RUNNING).mean(edges)
    own = on_core + threads_in_state(capture, READY).mean(edges)
    share = np.where(own > 0, np.maximum(on_core / np.maximum(own, 1e-9), LEAST_SHARE), 1.0)
    others = np.maximum(cores / share - np.maximum(own, cores), 0.0)
    return Steps(edges, np.append(others, 0.0))


def count_ready_workers(capture: DecodedCapture) -> Steps:
    """Returns the number of workers over time that are runnable without a core; 0 without a kernel stream."""
    if capture.kernel_tier == "none":
        return Steps.constant(0.0)
    return threads_in_state(capture, READY, of=capture.table("workers")["tid"].to_numpy())


def any_worker_ready(capture: DecodedCapture) -> Steps:
    """Returns 1 while at least one worker was runnable without a core, otherwise 0; in tier schedstat, the mean over
    many polling steps. ns from the start of the window."""
    ready = count_ready_workers(capture)
    if capture.poll_step_ns is not None:
        edges = _edges(capture)
        ready = Steps(edges, np.append(ready.mean(edges), 0.0))
    return Steps(ready.time, np.minimum(ready.value, 1.0))


def unseen_share(capture: DecodedCapture) -> float:
    """Returns the part of the core time that the target did not have while workers were ready, 0 ... 1; 0 if nothing is
    known.

    Intervals in which a CPU quota ran out do not count, because the quota explains them.
    """
    if not is_inferable(capture):
        return 0.0
    start, stop = capture.window
    cores = capacity(capture)
    running = threads_in_state(capture, RUNNING)
    ready = _unthrottled(capture, threads_in_state(capture, READY, of=capture.table("workers")["tid"].to_numpy()))
    if capture.poll_step_ns is not None:
        edges = _edges(capture)
        cores, running, ready = (Steps(edges, np.append(s.mean(edges), 0.0)) for s in (cores, running, ready))
    contended = Steps(ready.time, np.minimum(ready.value, 1.0))
    others = cores.combine(running, lambda all_, own: np.maximum(all_ - own, 0.0))
    whole = float(stop - start)
    total = float(contended.combine(cores, np.multiply).integral(0.0, whole))
    return float(contended.combine(others, np.multiply).integral(0.0, whole)) / total if total else 0.0


def _edges(capture: DecodedCapture) -> FloatArray:
    """Returns the edges of bins in which a mean is meaningful, from the start of the window. The last bin also has the
    remainder. A shorter bin would mean less, and one beyond the window's end has cores and no threads."""
    start, stop = capture.window
    width = max(BIN_NS, float(STEPS_PER_BIN * (capture.poll_step_ns or 0)))
    return np.append(width * np.arange(max(int((stop - start) // width), 1)), float(stop - start))


def _unthrottled(capture: DecodedCapture, series: Steps) -> Steps:
    """Returns the series, and 0 in intervals in which a CPU quota ran out.

    `capacity` has the mean of such an interval, but not the moments at which the process was stopped. Between two
    readings it may have run on more cores than its quota has, and then on none.
    """
    if not capture.has("throttles"):
        return series
    rows, start = capture.table("throttles"), capture.window[0]
    throttled = Steps.count(rows["start"].to_numpy() - start, rows["end"].to_numpy() - start)
    return series.combine(throttled, lambda value, stopped: np.where(stopped > 0, 0.0, value))


SENDER = ".NET EventPipe"
"""The runtime's thread that sends a session's events; one for each session, in .NET 8 to 10."""


def recorder_threads(capture: DecodedCapture) -> IntArray | None:
    """Returns the threads of the collector, and the threads of the target that sent it events: ids, shape (threads,).
    The sender of another tool's session counts as well, because nothing distinguishes the two.

    Returns None if the manifest does not name the collector's process, or other processes were not seen.
    """
    pid = capture.manifest.get("tool", {}).get("pid")  # a redacted manifest has no tool
    if pid is None or not capture.sees_other_processes or not capture.has("threads"):
        return None
    threads = capture.table("threads")
    of = threads["pid"].to_numpy()
    sends = (of == int(capture.manifest["target"]["pid"])) & (threads["name"].to_numpy() == SENDER)
    found: IntArray = np.unique(threads["tid"].to_numpy()[(of == int(pid)) | sends])
    return found


COMPETITOR_BIN_NS = NS_PER_MS
"""The bins over which competitors are averaged: 1 ms, shorter than the scheduler's slice (2.8 to 4 ms). A finer
structure does not matter to processor sharing. Bins bound the number of steps by the length of the capture instead of
its switches."""


@dataclass(frozen=True)
class Competitors:
    """The number of threads that compete with the target's workers over time, each weighted; ns from the start of the
    window."""

    all: Steps
    """Runnable threads of any process that are not workers of the target."""
    of_target: Steps
    """Such threads of the target alone."""
    unrecorded: Steps | None
    """All competitors without the recorder's threads; None: the capture does not name them."""


def competitors(capture: DecodedCapture) -> Competitors:
    """Counts the threads that compete for the cores.

    Threads compete while they are runnable; they never reduce the number of cores. Each counts with the share that it
    really took: its time on a core, relative to its fair share. That is the time that processor sharing among all
    runnable threads would have given it in the same intervals. The result is relative to the same ratio for the
    workers. Threads that yield, or that have a low weight, are runnable for long and take little; threads of another
    cgroup or session may take more than a worker can. In tiers switch and schedstat, and with --scope target, other
    processes are inferred, and too few.
    """
    if capture.kernel_tier == "none":
        return Competitors(Steps.constant(0.0), Steps.constant(0.0), None)
    threads, ran, (thread, begin, end) = ThreadStates(capture).runnable()
    cores, allowed = cores_over_time(capture), capacity(capture)
    share = Steps.count(begin, end).combine(cores, _fair)

    fair = share.integral(begin, end)
    worker = np.isin(threads, capture.table("workers")["tid"].to_numpy())
    theirs = worker[thread]
    mine = np.flatnonzero(theirs)
    # If the workers got their share or more, there is nothing to correct.
    if np.array_equal(cores.time, allowed.time) and np.array_equal(cores.value, allowed.value):
        due = float(fair[mine].sum())
    else:
        # Counts again instead of keeping two arrays as long as the capture.
        del share
        share = Steps.count(begin, end).combine(allowed, _fair)
        due = float(share.integral(begin[mine], end[mine]).sum())
    got = min(1.0, float(ran[worker].sum()) / max(due, 1.0)) or 1.0
    del share, mine
    weight = ran / np.maximum(np.bincount(thread, fair, len(threads)), 1.0) / got
    del fair
    if not capture.sees_other_processes:
        other = np.flatnonzero(~theirs)
        seen = Steps.count(begin[other], end[other], weight=weight[thread[other]])
        every = seen.combine(unseen_competitors(capture), np.add)
        return Competitors(every.binned(COMPETITOR_BIN_NS), seen.binned(COMPETITOR_BIN_NS), None)
    del theirs

    def counted(chosen: BoolArray) -> Steps:
        return Steps.count_in_bins(begin, end, thread, weight, width, chosen & ~worker)

    width = int(COMPETITOR_BIN_NS)
    names, recorder = capture.table("threads"), recorder_threads(capture)
    mine = names["tid"].to_numpy()[names["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    with side_by_side(len(begin)) as begun:
        everyone = begun.submit(counted, np.ones(len(threads), dtype=bool))
        of_target = begun.submit(counted, np.isin(threads, mine))
        unrecorded = None if recorder is None else begun.submit(counted, ~np.isin(threads, recorder))
    return Competitors(everyone.result(), of_target.result(), None if unrecorded is None else unrecorded.result())


def _fair(runnable: FloatArray, cores: FloatArray) -> FloatArray:
    share = np.maximum(runnable, 1.0)
    np.divide(cores, share, out=share)
    return np.asarray(np.minimum(1.0, share, out=share))
