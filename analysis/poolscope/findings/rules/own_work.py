"""Requests were late because of their own code: it computed, or kept its thread, for long."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.elsewhere import MOSTLY
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.late_reasons import OwnWork as Own
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule


class OwnWork(Rule):
    """Fires when late requests (measures/late.py) spent most of what they took beyond the usual in their own items, running
    or blocked, a second in all and 1 % of the wall time; and work items started on time.

    Not if many items met one lock, lacked cores or were in a pause: other rules describe those cases. Time in which an answer of
    another service was awaited is not own work, even if the thread was kept.
    """

    id = "own-work"
    title = "No request was late because of its own code"
    failing_title = "Requests were late because of their own code"
    needs = ("requests", "socket_io", "thread_states")
    documentation = "own-work"
    golden = ""
    section = "requests"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        late, own = evidence.late_requests, evidence.own_work
        if late is None or own is None or not evidence.is_well:
            return None
        cost = own.cost
        if cost.sum() < max(MOSTLY * late.beyond, evidence.least_seconds * NS_PER_S):
            return None
        share = float(cost.sum()) / max(float(late.total), 1.0)
        met, longest = int((cost > 0).sum()), duration(float(cost.max()) / NS_PER_MS)
        how = "computed" if own.cpu.sum() >= own.blocked.sum() else "kept its thread blocked"
        code = own.seen.method or "their own code"
        start, stop = evidence.capture.window
        costs = Costs(np.full(len(cost), -1), late.start, late.end, cost)
        return self.of_end(
            float(cost.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of {len(late.row):,} late requests",
            because=f"{code} {how}",
            said=[
                f"Late requests computed for {_seconds(own.cpu)} in all and were blocked for {_seconds(own.blocked)}, up to {longest} each. "
                "Items started on time, so no thread was missing.",
                _seen(own),
            ],
            advice=[
                f"Look at what {code} does: no setting of the thread pool makes it quicker."
                + (" If it waits, await instead." if own.blocked.sum() > own.cpu.sum() else "")
            ],
            where=Where(
                costs.window(stop - start), methods=[own.seen.method] if own.seen.method else [], section=self.section
            ),
            sentence=f"{met:,} of {late.count:,} requests were late because {code} {how}, for up to {longest}.",
            late=("requests", met, late.count),
        )


def _seconds(part: IntArray) -> str:
    return duration(float(part.sum()) / NS_PER_MS)


def _seen(own: Own) -> str:
    seen = own.seen
    if seen.looks == 0:
        return "No stack was seen of their threads meanwhile."
    if seen.method is None:
        return f"No method of the application is on the {seen.looks:,} stacks that were seen of their threads."
    return f"In {seen.found:,} of {seen.looks:,} stacks that were seen of their threads these were in {seen.method}."
