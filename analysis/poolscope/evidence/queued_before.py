"""Items that stood in the queue right before the recording of a process that it attached to: no event tells their wait."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture

NEAR_NS = 1 * NS_PER_S
"""From the look to the first event: of a part of a recording, the look says nothing."""


@dataclass(frozen=True)
class QueuedBefore:
    """At least `count` items at both ends of `length` ns. `ended`: items that ended meanwhile, or soon after; None: not known."""

    count: int
    length: int
    ended: int | None

    @property
    def item_seconds(self) -> float:
        """What the items waited in all, if the queue was as long in between."""
        return self.count * self.length / NS_PER_S

    def is_late(self, limit_ms: float) -> bool:
        """Returns whether the items that left the queue waited longer than this on average, by Little's law."""
        return self.length * self.count > limit_ms * NS_PER_MS * max(self.ended or 0, self.count)


def queued_before(capture: DecodedCapture) -> QueuedBefore | None:
    """Returns what a counter and the look at the process's memory found in the queue, one after the other; None: not both."""
    look, start = capture.manifest.get("look"), capture.window[0]
    if not look or not capture.has("pool_counters") or not 0 <= start - look["time_ns"] <= NEAR_NS:
        return None
    rows = capture.table("pool_counters").sort_values("time")
    before = rows[(rows["time"] < look["time_ns"]) & (rows["queue_length"] >= 0)]
    if before.empty:
        return None
    after = rows[(rows["time"] >= look["time_ns"]) & (rows["completed"] >= 0)]
    last = before.iloc[-1]
    return QueuedBefore(
        min(int(last["queue_length"]), int(look["queue_length"])),
        int(look["time_ns"] - last["time"]),
        None if after.empty else int(after.iloc[0]["completed"]),
    )
