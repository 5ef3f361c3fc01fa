"""Requests, or calls of another service, waited for a connection of a pool: HttpClient's, or a driver's."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.calls import ConnectionLimit
from poolscope.measures.requests import Requests
from poolscope.measures.requests.pool_waits import PoolWaits
from poolscope.measures.requests.tiles import SERVICE

MOST = 0.5
"""Share of the time of calls from which the severity is medium where items waited, too. It is never high there: a gate that fails
on causes of high severity is about work items."""


class ConnectionPoolWait(Rule):
    """Fires when calls to one host waited for a tenth of their time, a second in all and 1 % of the wall time until other calls
    gave their connections back, while no connection was added (measures/calls.py). Also, where items started on time,
    when requests spent half of their time so before they could ask a service over a connection of a driver's pool
    (measures/requests/pool_waits.py).

    The wait while its connection was made, or for a thread once it had one, is not part of that. Where items waited,
    too, the rule has no cost of its own and is not the verdict: call-seconds are not item-seconds, and a call keeps its
    connection also while it waits for a thread, so behind a starved pool this wait follows from the pool's.
    """

    id = "connection-pool-wait"
    title = "Calls found free connections in HttpClient's pool"
    failing_title = "Calls waited for a connection of a pool"
    needs = ("calls",)
    documentation = "connection-pool-wait"
    golden = ""
    section = "calls"

    def missing(self, evidence: Evidence) -> list[str]:
        """Returns nothing if requests are seen to ask services, because those show other pools than HttpClient's."""
        requests = evidence.requests
        asked = requests is not None and bool((requests.tiles.kind == SERVICE).any())
        return [] if asked else super().missing(evidence)

    def evaluate(self, evidence: Evidence) -> Finding | None:
        waits, requests = evidence.pool_waits, evidence.requests
        if waits is not None and requests is not None and evidence.is_healthy:
            return self._of_requests(evidence, requests, waits)
        found = [limit for limit in evidence.connection_limits if evidence.matters(limit)]
        if not found:
            return None
        worst = found[0]
        number, said = f"{percent(worst.share)} of the time of calls to {worst.endpoint}", [_told(one) for one in found]
        advice = (
            "Raise MaxConnectionsPerServer of the SocketsHttpHandler or HttpClientHandler, or make fewer calls at once. First "
            "find out whether the other service can take more load."
        )
        if not evidence.is_healthy:
            first = "If the pool lacks threads as well, correct that first: a call keeps its connection while it waits for one."
            severity = "medium" if worst.share >= MOST else "low"
            return self.without_cost(severity, number, said=said, advice=[advice, first], where=_where(evidence, worst))
        count = "the only connection" if worst.connections == 1 else f"all {worst.connections:,} connections"
        return self.of_end(
            float(worst.held.sum()) / NS_PER_S,
            worst.share,
            number,
            because=f"calls to {worst.endpoint} waited for a connection",
            said=said,
            advice=[advice],
            where=_where(evidence, worst),
            sentence=f"{len(worst.held):,} of {worst.calls:,} calls to {worst.endpoint} were late because other calls had {count}: "
            f"they waited {duration(float(worst.held.mean()) / NS_PER_MS)} on average.",
            late=("calls", len(worst.held), worst.calls),
            endpoint=worst.endpoint,
        )

    def _of_requests(self, evidence: Evidence, requests: Requests, waits: PoolWaits) -> Finding | None:
        """Judges requests whose work items started on time, so that none kept a connection while it waited for a
        thread."""
        cost = float(waits.wait.sum()) / NS_PER_S
        if cost < evidence.least_seconds:
            return None
        mean, longest = (duration(float(ns) / NS_PER_MS) for ns in (waits.wait.mean(), waits.wait.max()))
        count = "the only connection" if waits.connections == 1 else f"all {waits.connections:,} connections"
        met, start, stop = len(waits.request), *evidence.capture.window
        costs = Costs(np.full(met, -1), waits.start, waits.end, waits.wait)
        return self.of_end(
            cost,
            waits.share,
            f"{percent(waits.share)} of the time of all requests",
            because=f"{count} to {waits.endpoint} were taken",
            said=[
                f"{met:,} of {requests.count:,} requests asked {waits.endpoint} right after another request's answer had come over the "
                f"same connection. Before that they waited {mean} on average, up to {longest}, and {count} owed an answer.",
            ],
            advice=[
                f"Make the calls to {waits.endpoint} shorter, give connections back sooner, or raise the limit of the driver's pool "
                "(Npgsql and SqlClient: Maximum Pool Size in the connection string). First find out whether the service can take more load."
            ],
            where=Where(costs.window(stop - start), section="requests"),
            sentence=f"{met:,} of {requests.count:,} requests were late because other requests had {count} to {waits.endpoint}: they "
            f"waited {mean} on average.",
            doubt="No event shows what a request waits for in a driver's pool: Poolscope infers the cause from the "
            "bytes on its connections.",
            late=("requests", met, requests.count),
            endpoint=waits.endpoint,
        )


def _told(limit: ConnectionLimit) -> str:
    mean, longest = (duration(float(ns) / NS_PER_MS) for ns in (limit.held.mean(), limit.held.max()))
    open_at_once = "1 connection was" if limit.connections == 1 else f"{limit.connections:,} connections were"
    return (
        f"{len(limit.held):,} of {limit.calls:,} calls to {limit.endpoint} waited until another call gave its connection back: "
        f"{mean} on average, up to {longest}. {open_at_once} open, and none was added while they waited. Probably "
        f"MaxConnectionsPerServer is {limit.connections:,}; if several handlers call this host, that is the sum of "
        "theirs. Or connecting failed; no event shows that."
    )


def _where(evidence: Evidence, limit: ConnectionLimit) -> Where:
    calls = evidence.calls
    assert calls is not None
    start, stop = evidence.capture.window
    since = calls.waited_since[limit.waited]
    costs = Costs(np.full(len(limit.held), -1), since, since + limit.held, limit.held)
    return Where(costs.window(stop - start), section=ConnectionPoolWait.section)
