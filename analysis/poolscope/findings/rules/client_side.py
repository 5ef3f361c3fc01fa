"""Requests took long because their clients were slow to take the answer."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule


class ClientSide(Rule):
    """Fires when requests (evidence/late_reasons.py: 1 % of those that are tied, a second each) spent most of their time while
    their connection was full of what the client had not taken, 1 % of the wall time in all; and work items started on time.

    Where the routes of these requests always take this long, nothing says whether anybody missed the time: medium.
    """

    id = "client-side"
    title = "No client was slow to take an answer"
    failing_title = "Clients were slow to take answers"
    needs = ("requests", "socket_io")
    documentation = "client-side"
    golden = ""
    section = "requests"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        slow = evidence.slow_clients
        if slow is None or not evidence.is_well or slow.waited.sum() < evidence.least_seconds * NS_PER_S:
            return None
        share = float(slow.waited.sum()) / max(float((slow.end - slow.start).sum()), 1.0)
        longest, count = duration(float(slow.waited.max()) / NS_PER_MS), len(slow.row)
        requests = "1 request" if count == 1 else f"{count:,} requests"
        start, stop = evidence.capture.window
        costs = Costs(np.full(count, -1), slow.start, slow.end, slow.waited)
        return self.of_end(
            float(slow.waited.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of {requests}",
            because="clients were slow to take answers",
            said=[
                f"The send buffers of the connections of {requests} were full for {percent(share)} of the time that "
                f"these took, up to {longest}: the service had more to send, and the client had not taken what was sent."
            ],
            advice=[
                "Look at the clients and the network between: no setting of the thread pool makes them quicker. Smaller or "
                "compressed answers, or a proxy that takes the answer at once, free the request sooner."
            ],
            where=Where(costs.window(stop - start), section=self.section),
            sentence=f"{count:,} of {slow.known:,} requests took long because their clients were slow to take the answer, for up to {longest}.",
            doubt="Requests of these routes usually wait for their clients, and their users may not mind."
            if slow.typical
            else "",
            late=("requests", count, slow.known),
        )
