"""What arrived on sockets waited inside another work item: requests waited longer than any item shows."""

from __future__ import annotations

import numpy as np

from poolscope.arrays import FloatArray
from poolscope.findings.evidence import HEALTHY_P99_MS, NOTABLE_SHARE, Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.findings.words import duration, percent
from poolscope.series import Steps
from poolscope.units import NS_PER_MS

SOCKETS_THREAD = ".NET Sockets"
"""The runtime's epoll thread on Linux. What it queues is the socket engine: one object that stands for all events that
come until a worker takes it."""


class HiddenWaits(Rule):
    """Fires when the socket engine's own work item was in the queue for a tenth of the capture, and once for 50 ms.

    An event that comes meanwhile is handled when that item runs, and has no enqueue of its own. The rule says that waits
    of requests are longer than waits of items, not why either is long: it has no cost of its own and is never the verdict.
    """

    id = "hidden-waits"
    title = "Socket events were handled at once"
    failing_title = "Requests waited longer than work items"
    needs = ("work_items", "threads", "thread_states")
    documentation = "hidden-waits"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        begin, end = _queued(evidence)
        if len(begin) == 0:
            return None
        start, stop = evidence.capture.window
        depth = Steps.count(begin, end, start=float(start))
        some = Steps(depth.time, np.minimum(depth.value, 1.0))
        share = float(some.integral(start, stop)) / (stop - start)
        longest = float((end - begin).max()) / NS_PER_MS
        if share < NOTABLE_SHARE or longest < HEALTHY_P99_MS:
            return None
        return Finding(
            id=self.id,
            severity="medium" if share >= 0.5 else "low",
            title=self.failing_title,
            number=f"socket events waited for a worker {percent(share)} of the time, up to {duration(longest)}",
            item_seconds=0.0,
            because="",
            evidence=[
                f"The work item of the socket engine was in the queue {len(begin):,} times, {percent(share)} of the capture, "
                f"for up to {duration(longest)}.",
                "Everything that arrived on sockets meanwhile - requests, answers of a database - waited inside it and has "
                "no enqueue of its own: what a client saw is longer than any wait of an item here, by an unknown amount.",
            ],
            advice=[
                "Judge requests by the clients' or the service's own latencies; the cause of the wait is the verdict's."
            ],
            predicted=[],
        )


def _queued(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """When the items of the socket engines were queued and dequeued, ns; the engine also queues itself, from a worker."""
    items = evidence.capture.table("work_items")
    threads = evidence.capture.table("threads")
    sockets = threads["tid"][threads["name"] == SOCKETS_THREAD]
    engines = items["work_id"][items["enqueue_tid"].isin(sockets) & (items["work_id"] >= 0)].unique()
    own = items[items["work_id"].isin(engines)]
    start, stop = evidence.capture.window
    begin = own["enqueue"].to_numpy(dtype=np.float64)
    end = own["dequeue"].to_numpy(dtype=np.float64)
    return np.where(begin < 0, start, begin), np.where(end < 0, stop, end)
