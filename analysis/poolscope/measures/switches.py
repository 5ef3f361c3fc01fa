"""Context switches of workers, from the kernel's own records."""

from __future__ import annotations

import numpy as np

from poolscope.capture import DecodedCapture

PREEMPTED = (0, 0x100)
"""prev_state of a thread that was still runnable when it lost its core (traces/schema.json)."""


def preempted_workers(capture: DecodedCapture) -> int | None:
    """Returns how often a worker was taken off a core although it could have gone on. None without sched_switch."""
    if capture.kernel_tier != "tracepoint" or not capture.has("switches"):
        return None
    switches = capture.table("switches")
    workers = capture.table("workers")["tid"].to_numpy()
    preempted = np.isin(switches["prev_state"].to_numpy(), PREEMPTED)
    return int((preempted & np.isin(switches["prev_tid"].to_numpy(), workers)).sum())
