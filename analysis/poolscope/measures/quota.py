"""What a CPU quota took: cgroup throttling against the core time that workers wanted in vain."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.execution import READY
from poolscope.capture import Capture
from poolscope.series import Steps


def throttled_ns(capture: Capture) -> float:
    """Time that the quota stopped runnable threads in the window, ns, summed over CPUs."""
    start, stop = capture.window
    rows = capture.table("throttles")
    begin, end = rows["start"].to_numpy(), rows["end"].to_numpy()
    inside = np.maximum(np.minimum(end, stop) - np.maximum(begin, start), 0) / np.maximum(end - begin, 1)
    return float((rows["throttled"].to_numpy() * inside).sum())


def throttled_share(capture: Capture) -> float:
    """Throttled time over the core time that workers wanted in vain, at most 1; 0 without a kernel stream.

    The kernel counts a throttled CPU once, however many threads it stops there, so ready workers count up to the number
    of CPUs that the process may use.
    """
    if capture.kernel_tier == "none":
        return 0.0
    start, stop = capture.window
    states = capture.table("thread_states")
    workers = capture.table("workers")["tid"].to_numpy()
    ready = states[(states["state"].to_numpy() == READY) & np.isin(states["tid"].to_numpy(), workers)]
    waiting = Steps.count(ready["start"].to_numpy() - start, ready["end"].to_numpy() - start)
    wanted = Steps(waiting.time, np.minimum(waiting.value, float(capture.manifest["target"]["cpus_allowed"])))
    total = float(wanted.integral(0.0, float(stop - start)))
    return min(1.0, throttled_ns(capture) / total) if total > 0 else 0.0
