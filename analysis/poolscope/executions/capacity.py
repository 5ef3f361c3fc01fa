"""How much CPU the target may use: affinity, quota, and suspensions as cores that stand still."""

from __future__ import annotations

import numpy as np

from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import RUNNING


def core_count(capture: DecodedCapture) -> float:
    """Returns the CPUs' worth of time that the target may use: its affinity, or its cgroup's quota if that is less. If
    that changed, the most that it had."""
    return float(cores_over_time(capture).value.max())


def cores_over_time(capture: DecodedCapture) -> Steps:
    """Returns the same over time, ns from the start of the window. The first look also holds for what came before it."""
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
    """Returns `cores`, and none while the runtime is suspended."""
    if isinstance(cores, Steps):
        return cores.combine(suspension, lambda c, s: np.where(s > 0, 0.0, c))
    return Steps(suspension.time, np.where(suspension.value > 0, 0.0, cores))


def capacity(capture: DecodedCapture) -> Steps:
    """Returns the cores that the target may use over time, and while a CPU quota stopped the target no more than it really had.

    In an interval in which the quota ran out, what the target's threads used is the limit. The quota itself may have
    been set, or the process moved under it, after the manifest was written.
    """
    if capture.kernel_tier == "none" or not capture.has("throttles") or capture.table("throttles").empty:
        return cores_over_time(capture)
    start = capture.window[0]
    throttles = capture.table("throttles")
    begin, end = throttles["start"].to_numpy() - start, throttles["end"].to_numpy() - start
    states = capture.table("thread_states")
    threads = capture.table("threads")
    own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    own = np.union1d(own, capture.table("workers")["tid"].to_numpy())
    rows = np.flatnonzero((states["state"].to_numpy() == RUNNING) & np.isin(states["tid"].to_numpy(), own))
    running = Steps.count(states["start"].to_numpy()[rows] - start, states["end"].to_numpy()[rows] - start)
    used = running.integral(begin, end) / np.maximum(end - begin, 1)
    cores = cores_over_time(capture)
    allowed = cores.integral(begin, end) / np.maximum(end - begin, 1)
    missing = Steps.count(begin, end, weight=np.maximum(allowed - used, 0.0))
    return cores.combine(missing, lambda c, m: np.maximum(c - m, 0.0))
