"""Requests were late because they went on one after another in one work item."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.requests.serial import find_serial


class SerialContinuations(Rule):
    """Fires when half of the time of all requests passed in one execution of one work item that five of them or more went on
    in (measures/requests/serial.py), beyond the mean that each needs there, a second in all and 1 % of the wall time; and work
    items started on time.
    """

    id = "serial-continuations"
    title = "No work item ran the continuations of many requests one after another"
    failing_title = "One work item ran the continuations of many requests one after another"
    needs = ("requests", "socket_io", "thread_states")
    documentation = "serial-continuations"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        requests = evidence.requests
        serial = find_serial(requests) if requests is not None and evidence.is_healthy else None
        if requests is None or serial is None:
            return None
        executions = evidence.attribution.executions
        start, end = int(executions.start[serial.execution]), int(executions.end[serial.execution])
        met = len(serial.request)
        # One after another, each needs its share of the whole; the rest it waited for the others.
        cost = np.maximum(serial.duration - (end - start) // met, 0)
        if cost.sum() < evidence.least_seconds * NS_PER_S:
            return None
        share = float(cost.sum()) / max(float(requests.tiles.duration.sum()), 1.0)
        took, mean = duration((end - start) / NS_PER_MS), duration(float(serial.duration.mean()) / NS_PER_MS)
        culprit = evidence.culprit
        own = culprit.method if culprit is not None and culprit.own and culprit.is_clear else None
        place = f" The item spent most of it in {own}." if own else ""
        begin, stop = evidence.capture.window
        costs = Costs(np.full(met, -1), np.full(met, start), np.full(met, end), cost)
        return self.of_end(
            float(cost.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of all requests",
            because="their continuations ran one after another in one work item",
            said=[
                f"{met:,} of {requests.count:,} requests went on in one execution of one work item. It took {took}, and each request "
                f"was {mean} in it on average.{place}",
                "The thread that completes a task, cancels a token or raises an event runs the waiting continuations "
                "one after another, unless they asked to be queued.",
            ],
            advice=[
                f"Queue the continuations: create the TaskCompletionSource with RunContinuationsAsynchronously, or await "
                f"CancelAsync instead of calling Cancel. Do not block in these continuations{f': {own}' if own else ''}."
            ],
            where=Where(costs.window(stop - begin), methods=evidence.methods(self.section), section=self.section),
            sentence=f"{met:,} of {requests.count:,} requests were late because their continuations ran one after another in one work "
            f"item, which took {took}.{place}",
            late=("requests", met, requests.count),
        )
