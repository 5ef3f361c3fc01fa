"""The runtime's clock against the recording: a window that was recorded for long, and events from a moment of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.coverage.contradictions.contradiction import Contradiction

MOMENT = 0.01
"""For the window: items that all lie within so little of it ..."""
LEAST = 100
"""... are suspicious from this many on ..."""
LEAST_WINDOW_NS = 2 * NS_PER_S
"""... and in a recording of this length: a frequency that is read wrong squeezes every time into the beginning."""


def check(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields where all items of a long recording lie within its first moment. Where the kernel says when the workers
    ran, that says more (running.py), and nothing is asked here; the same holds where the process ended."""
    items = capture.stored("work_items")
    if items is None or capture.kernel_tier == "tracepoint" or capture.manifest.get("stop") == "target-exit":
        return
    start, stop = capture.window
    times = np.concatenate([items[name].to_numpy() for name in ("enqueue", "dequeue", "end")])
    times = times[times >= 0]
    if len(items) < LEAST or stop - start < LEAST_WINDOW_NS:
        return
    inside = int(times.max()) - start <= MOMENT * (stop - start)
    yield Contradiction(
        "work_items, streams",
        f"items lie within the first {MOMENT:.0%} of the recording, as if its clock were read wrong",
        len(items) if inside else 0,
        len(items),
    )
