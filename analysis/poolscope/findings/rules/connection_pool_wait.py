"""Calls of another service waited for a connection of HttpClient's own pool."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.connection_limits import ConnectionLimit


MOST = 0.5
"""Share of the time of calls from which the severity is medium. It is never high: a gate that fails on causes of high severity
is about work items."""


class ConnectionPoolWait(Rule):
    """Fires when calls to one host waited for a tenth of their time, a second in all and 1 % of the wall time until other calls
    gave their connections back, while no connection was added (measures/connection_limits.py).

    What a call waited while its connection was made, or for a thread once it had one, is not part of that. The rule has no
    cost of its own and is never the verdict: call-seconds are not item-seconds, and a call keeps its connection also while it
    waits for a thread, so behind a starved pool this wait follows from the pool's.
    """

    id = "connection-pool-wait"
    title = "Calls found free connections in HttpClient's pool"
    failing_title = "Calls waited for a connection of HttpClient's pool"
    needs = ("calls",)
    documentation = "connection-pool-wait"
    golden = ""
    section = "calls"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        found = [limit for limit in evidence.connection_limits if evidence.matters(limit)]
        if not found:
            return None
        worst = found[0]
        return self.without_cost(
            "medium" if worst.share >= MOST else "low",
            f"{percent(worst.share)} of the time of calls to {worst.endpoint}",
            said=[_told(limit) for limit in found],
            advice=[
                "Raise MaxConnectionsPerServer of the SocketsHttpHandler or HttpClientHandler, or make fewer calls at once. Find out "
                "first whether the other service can bear more.",
                "If the pool lacks threads as well, correct that first: a call keeps its connection while it waits for one.",
            ],
            where=_where(evidence, worst),
        )


def _told(limit: ConnectionLimit) -> str:
    mean, longest = (duration(float(ns) / NS_PER_MS) for ns in (limit.held.mean(), limit.held.max()))
    open_at_once = "1 connection was" if limit.connections == 1 else f"{limit.connections:,} connections were"
    return (
        f"{len(limit.held):,} of {limit.calls:,} calls to {limit.endpoint} waited until another call gave its connection back: "
        f"{mean} on average, up to {longest}. {open_at_once} open, and none was added while they waited. Probably "
        f"MaxConnectionsPerServer is {limit.connections:,}; if several handlers call this host, that is the sum of theirs. Or no "
        "further connection could be made, which no event tells."
    )


def _where(evidence: Evidence, limit: ConnectionLimit) -> Where:
    calls = evidence.calls
    assert calls is not None
    start, stop = evidence.capture.window
    since = calls.waited_since[limit.waited]
    costs = Costs(np.full(len(limit.held), -1), since, since + limit.held, limit.held)
    return Where(costs.window(stop - start), section=ConnectionPoolWait.section)
