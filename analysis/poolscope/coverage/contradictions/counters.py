"""Work items against the runtime's own counter of items that ended."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.coverage.contradictions.contradiction import Contradiction
from poolscope.coverage.made import without_work_items

LEAST = 20
"""Items that the counter shows: a few may be those of the collector's own sessions."""
SHARE = 0.5
"""Among these: this many lacking is no matter of when the counter was read. An attached process had 39 % of its items running
before, which no event shows."""


def check(capture: DecodedCapture) -> Iterator[Contradiction]:
    """Yields the places where the counter has more than twice the items of the events."""
    counters, items = capture.stored("pool_counters"), capture.stored("work_items")
    if counters is None or items is None or capture.manifest.get("pool") or without_work_items(capture.manifest):
        return
    start, stop = capture.window
    inside = (counters["since"] >= start) & (counters["time"] <= stop) & (counters["completed"] >= 0)
    read = counters[inside]
    if read.empty:
        return
    told = int(read["completed"].sum())
    known = items[items["dequeue_known"] == enum("work_items", "dequeue_known", "event")]
    # The counter rises as an item ends; the event that bounds its end may come seconds later, where cores are few. So an
    # item that had begun by the last reading may be one that the counter counted.
    begun = (known["dequeue"] <= read["time"].max()) & ((known["end"] < 0) | (known["end"] > read["since"].min()))
    seen = int(begun.sum())
    lacking = max(told - seen, 0)
    if told >= LEAST:
        words = "items that the runtime counted have no event"
        yield Contradiction("work_items, pool_counters", words, lacking if lacking > SHARE * told else 0, told)
