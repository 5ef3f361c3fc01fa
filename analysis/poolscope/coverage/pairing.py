"""Whether enqueues and dequeues can still be paired where runtime events were lost: everything else rests on that."""

from __future__ import annotations

from poolscope.base.words import percent
from poolscope.capture.capture import RUNTIME_STREAM
from poolscope.coverage.coverage import Coverage
from poolscope.coverage.losses import Loss

LOST_FLOOR = 0.001
"""Share of lost runtime events above which pairs of enqueue and dequeue cannot be trusted: one lost event in a
thousand can shift a whole queue of equal ids by one."""
LOST_NEAR_FLOOR = 0.01
"""The same among the items that lived in a gap, where a loss of a second of a long capture hides: two events per item
are what pairs need, and where one in a hundred is missing ..."""
LOSSY_WAIT_FLOOR = 0.25
"""... and these items waited a quarter of all waiting time (what makes a finding's severity medium), the verdict rests
on them."""


def pairs_doubt(coverage: Coverage) -> str | None:
    """Says why the pairs cannot be trusted: which tables contradict each other, or what was lost when and how to avoid
    it; None if they can."""
    c = coverage
    if serious := next((found for found in c.contradictions if found.is_serious), None):
        return f"the capture contradicts itself: {serious.sentence} {c.contradiction_remedy}"
    if c.lost > LOST_FLOOR * (c.events + c.lost):
        return (
            f"the runtime stream lost {percent(c.lost / (c.events + c.lost))} of its events{when_lost(c, RUNTIME_STREAM)}, "
            "so enqueues and dequeues cannot be paired with certainty. Record again with a larger --buffersize."
        )
    for loss in c.losses:
        if _rests_on(loss):
            return (
                f"the runtime stream lost {loss.count:,} events {loss.when}, and the items alive then have "
                f"{percent(loss.wait_share)} of all waiting time. Record again with a larger --buffersize."
            )
    return None


def when_lost(coverage: Coverage, stream: str) -> str:
    """Returns when a stream lost events, after a blank; nothing if that is not known."""
    found = [loss for loss in coverage.losses if loss.stream == stream and loss.what in ("eventpipe_lost", "perf_lost")]
    return f" {found[0].when}" if found else ""


def _rests_on(loss: Loss) -> bool:
    """Returns whether the runtime stream lost this much near items that waited that their waits are doubtful."""
    if loss.stream != RUNTIME_STREAM or loss.what != "eventpipe_lost" or not loss.count:
        return False
    near = loss.count / (2 * loss.items + loss.count)
    return near > LOST_NEAR_FLOOR and loss.wait_share > LOSSY_WAIT_FLOOR
