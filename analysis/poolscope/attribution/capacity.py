"""How much CPU the target may use: affinity, quota, and suspensions as cores that stand still."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.execution import RUNNING
from poolscope.capture import Capture
from poolscope.series import Steps


def core_count(capture: Capture) -> float:
    """CPUs' worth of time that the target may use: its affinity, or its cgroup's quota where that is less."""
    target = capture.manifest["target"]
    allowed = float(target["cpus_allowed"])
    quota = target.get("cpu_quota")
    return min(allowed, float(quota)) if quota else allowed


def cores_while(suspension: Steps, cores: float | Steps) -> Steps:
    """`cores`, and none while the runtime is suspended."""
    if isinstance(cores, Steps):
        return cores.combine(suspension, lambda c, s: np.where(s > 0, 0.0, c))
    return Steps(suspension.time, np.where(suspension.value > 0, 0.0, cores))


def capacity(capture: Capture, cores: float) -> Steps:
    """`cores`, and while a CPU quota stopped the target no more than it really had.

    In an interval in which the quota ran out, what the target's threads used is the limit. The quota itself may have
    been set, or the process moved under it, after the manifest was written.
    """
    if capture.kernel_tier == "none" or not capture.has("throttles") or capture.table("throttles").empty:
        return Steps.constant(cores)
    start = capture.window[0]
    rows = capture.table("throttles")
    begin, end = rows["start"].to_numpy() - start, rows["end"].to_numpy() - start
    states = capture.table("thread_states")
    threads = capture.table("threads")
    own = threads["tid"].to_numpy()[threads["pid"].to_numpy() == int(capture.manifest["target"]["pid"])]
    own = np.union1d(own, capture.table("workers")["tid"].to_numpy())
    states = states[(states["state"].to_numpy() == RUNNING) & np.isin(states["tid"].to_numpy(), own)]
    running = Steps.count(states["start"].to_numpy() - start, states["end"].to_numpy() - start)
    used = running.integral(begin, end) / np.maximum(end - begin, 1)
    missing = Steps.count(begin, end, weight=np.maximum(cores - used, 0.0))
    return Steps(missing.time, cores - missing.value)
