"""What the target's workers share the machine with: cores, competitors, and suspensions as cores that stand still."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.execution import BLOCKED
from poolscope.capture import Capture
from poolscope.series import Steps

COMPETITOR_BIN_NS = 1_000_000.0
"""Competitors are averaged over 1 ms, shorter than the scheduler's slice (2.8 to 4 ms): finer structure cannot matter
to processor sharing, and it bounds the number of steps by the length of the capture instead of by its switches."""


def core_count(capture: Capture) -> float:
    """CPUs' worth of time that the target may use: its affinity, or its cgroup's quota where that is less."""
    target = capture.manifest["target"]
    allowed = float(target["cpus_allowed"])
    quota = target.get("cpu_quota")
    return min(allowed, float(quota)) if quota else allowed


def competitors(capture: Capture) -> Steps:
    """Runnable threads that are not workers of the target, of any process; ns from the start of the window.

    They compete for the cores while they are runnable; they never make the cores fewer.
    """
    if capture.kernel_tier == "none":
        return Steps.constant(0.0)
    start, stop = capture.window
    states = capture.table("thread_states")
    workers = capture.table("workers")["tid"].to_numpy()
    others = states[(states["state"].to_numpy() != BLOCKED) & ~np.isin(states["tid"].to_numpy(), workers)]
    begin = np.clip(others["start"].to_numpy(), start, stop) - start
    end = np.clip(others["end"].to_numpy(), start, stop) - start
    return Steps.count(begin, end).binned(COMPETITOR_BIN_NS)


def cores_while(suspension: Steps, cores: float) -> Steps:
    """`cores`, and none while the runtime is suspended."""
    return Steps(suspension.time, np.where(suspension.value > 0, 0.0, cores))
