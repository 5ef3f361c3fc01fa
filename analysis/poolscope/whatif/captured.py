"""The settings under which the capture was made: what a prediction changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.limits import POLICIES
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.capacity import capacity, cores_while
from poolscope.executions.new_threads import new_thread_ns
from poolscope.executions.pool import UNLIMITED_THREADS
from poolscope.replay.policies.net import NEW_THREAD_NS


@dataclass(frozen=True)
class Captured:
    """The pool, the cores, and who else used them."""

    policy: str
    """One of POLICIES."""
    min_threads: int
    max_threads: int
    min_follows_cores: bool
    """The minimum is the runtime's default, the number of processors: with other cores it is another."""
    minimum_over_time: Steps
    maximum_over_time: Steps
    """Both limits with their changes in the capture; above are those that were in force for longest."""
    processors: int
    """Environment.ProcessorCount."""
    core_count: float
    cores: Steps
    """CPUs' worth of time; 0 while the runtime was suspended, less while a quota stopped the process."""
    suspension: Steps
    competitors: Steps
    new_thread_ns: float
    """From a worker's creation to its first event; the replay's own figure where too few were created."""
    peak_busy: int
    """Most items that held a thread at once."""
    peak_threads: int
    """Most worker threads that existed at once."""

    def minimum(self, cores: float | None) -> int:
        """Returns the minimum of threads on this many cores (None: as captured) if the program does not set it."""
        if cores is None or not self.min_follows_cores:
            return self.min_threads
        return min(max(int(np.ceil(cores)), 1), self.max_threads)


def captured_settings(capture: DecodedCapture, attribution: Attribution) -> Captured:
    """Reads them off the capture. Needs the kernel stream's thread states."""
    assert attribution.split is not None
    target = capture.manifest["target"]
    pool = attribution.pool
    length = float(capture.window[1] - capture.window[0])
    least, most = _longest(pool.minimum, length), _longest(pool.maximum, length)
    processors = int(target["processor_count"])
    known = (target.get("min_threads") or {}).get("known", "default")
    return Captured(
        policy=policy_of(capture),
        min_threads=int(least),
        max_threads=int(min(most, UNLIMITED_THREADS)),
        min_follows_cores=known in ("default", "unknown") and int(least) == processors,
        minimum_over_time=pool.minimum,
        maximum_over_time=pool.maximum,
        processors=processors,
        core_count=attribution.cores,
        cores=cores_while(attribution.suspension, capacity(capture)),
        suspension=attribution.suspension,
        competitors=attribution.split.competitors,
        new_thread_ns=new_thread_ns(capture) or NEW_THREAD_NS,
        peak_busy=int(pool.busy.value.max(initial=0.0)),
        peak_threads=_peak_threads(capture),
    )


def policy_of(capture: DecodedCapture) -> str:
    """Returns the rule by which the captured pool grows: the runtime's, or that of a reference pool by its name."""
    name = str((capture.manifest.get("pool") or {}).get("name", "net")).split(":")[0]
    return name if name in POLICIES else "net"


def _longest(limit: Steps, length: float) -> float:
    """Returns the value that was in force for longest within the capture."""
    time = np.clip(np.append(limit.time, length), 0.0, length)
    values, where = np.unique(limit.value, return_inverse=True)
    return float(values[np.bincount(where, np.diff(time)).argmax()])


def _peak_threads(capture: DecodedCapture) -> int:
    start, stop = capture.window
    workers = capture.table("workers")
    begin = np.clip(workers["start"].to_numpy(), start, stop)
    end = np.where(workers["stop"] < 0, stop, np.clip(workers["stop"].to_numpy(), start, stop))
    return int(Steps.count(begin, end, start=float(start)).value.max(initial=0.0)) if len(begin) else 0
