"""A connection was taken: one of its messages, which are handled one after another, blocked; all connections of a pool,
HttpClient's or a driver's, were in use; or an HTTP/2 connection had no stream left."""

from __future__ import annotations

from collections import Counter

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent, times
from poolscope.evidence.culprit import Seen, seen_in
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.calls import ConnectionLimit
from poolscope.measures.requests import Requests
from poolscope.measures.requests.held_up import PoolWaits
from poolscope.measures.requests.tiles import SERVICE


class ConnectionBusy(Rule):
    """Fires when the messages of a connection, such as a hub's or a web socket's, waited for the one before them.

    The process kept reading the connection but sent nothing for a second, and for ten times the usual. Meanwhile an
    item ran that the connection's reader had queued, or a call of a hub method, recorded as an activity, was in
    progress (evidence/busy_connections.py). The messages read meanwhile waited a second in all and 1 % of the wall
    time. Work items started on time.
    """

    id = "connection-busy"
    title = "No message on a connection waited for the one before it"
    failing_title = "Messages on a connection waited for the one before them"
    needs = ("socket_io", "work_items", "thread_states")
    documentation = "connection-busy"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        found = evidence.busy_connections if evidence.is_healthy else None
        busy = found.where(found.handled) if found is not None else None
        if busy is None or busy.cost.sum() < evidence.least_seconds * NS_PER_S:
            return None
        begin, stop = evidence.capture.window
        count, met = len(np.unique(busy.socket)), int(busy.behind.sum())
        connections = "1 connection" if count == 1 else f"{count:,} connections"
        seen = seen_in(evidence.capture, evidence.attribution, busy.worker, busy.start, busy.end)
        called = Counter(name for name in busy.call if name is not None).most_common(1)
        hub = called[0][0] if called else None
        longest, where = duration(busy.longest / NS_PER_MS), seen.method or hub or seen.call
        ran = (busy.worker >= 0).any()
        share = float((busy.end - busy.start).sum()) / (count * (stop - begin))
        costs = Costs(np.full(len(busy.socket), -1), busy.start, busy.end, busy.cost)
        return self.of_end(
            float(busy.cost.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of {connections}",
            because=f"{connections} handle one message at a time",
            said=[
                f"{connections} went on being read and sent nothing {times(len(busy.socket))}, for up to {longest}; data was read "
                f"{met:,} times meanwhile."
                + (
                    " An item ran all that time that was queued right after a message had been read there."
                    if ran
                    else ""
                ),
                *([f"A call of the hub method {hub} took all that time."] if hub else []),
                *([_told_of_message(seen)] if ran else []),
            ],
            advice=[
                f"Do not wait while handling a message{f': {where}' if where else ''}. Run long work elsewhere and "
                "send its result later, or allow a client several calls at once (SignalR: HubOptions.MaximumParallelInvocationsPerClient, 1 by "
                "default)."
            ],
            where=Where(costs.window(stop - begin), methods=[where] if where else [], section=self.section),
            sentence=f"Messages on {connections} were answered up to {longest} late: the connection handles one at a "
            f"time, and one spent that long in {where or 'code that no stack shows'}.",
            doubt="No event shows which message an answer belongs to: Poolscope infers from the bytes and the item that one waited for the other.",
            late=("messages", count, None),
        )


def _told_of_message(seen: Seen) -> str:
    if seen.looks == 0:
        return "No snapshot caught the stack of the item's thread in that time."
    if seen.method is not None:
        return f"In {seen.found:,} of {seen.looks:,} stacks that were seen meanwhile its thread was in {seen.method}."
    return (
        f"In the {seen.looks:,} stacks that were seen meanwhile its thread was in {seen.call or 'code without a name'}; no method of the "
        "application is on them. The runtime inlines a short hub method into the delegate that calls it."
    )


MOST = 0.5
"""The share of the calls' time from which the severity is medium if items waited too. It is never high then: a gate
that fails on causes of high severity is about work items."""


class ConnectionPoolWait(Rule):
    """Fires when calls to one host waited until other calls returned their connections, while no connection was added.

    The threshold is a tenth of the calls' time, a second in all and 1 % of the wall time (measures/calls.py). Also
    fires if items started on time and requests spent half of their time waiting to ask a service over a connection of a
    driver's pool (measures/requests/held_up.py).

    The wait while a connection is made, or for a thread with a connection in hand, does not count. If items waited too,
    the rule has no cost of its own and is not the verdict. Call-seconds are not item-seconds, and a call keeps its
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
        """Returns nothing if the capture shows requests asking services, because these reveal pools other than
        HttpClient's."""
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
        number, said = f"{percent(worst.share)} of the time of calls to {worst.endpoint}", [
            _told_of_wait(one) for one in found
        ]
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


def _told_of_wait(limit: ConnectionLimit) -> str:
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


class StreamLimit(Rule):
    """Fires when calls over HTTP/2 to one host waited while the number of open streams stayed about the same.

    The threshold is a tenth of the calls' time, a second in all and 1 % of the wall time (measures/calls.py). Work
    items must have started on time: behind a starved pool, streams stay open because their answers wait for a thread.
    """

    id = "stream-limit"
    title = "Calls found free streams on their HTTP/2 connections"
    failing_title = "Calls waited for a stream of an HTTP/2 connection"
    needs = ("calls",)
    documentation = "stream-limit"
    golden = ""
    section = "calls"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        limit = next(iter(evidence.stream_limits), None)
        if limit is None or not evidence.is_healthy or not evidence.matters(limit):
            return None
        calls = evidence.calls
        assert calls is not None
        mean, longest = (duration(float(ns) / NS_PER_MS) for ns in (limit.held.mean(), limit.held.max()))
        since = calls.waited_since[limit.waited]
        begin, stop = evidence.capture.window
        costs = Costs(np.full(len(limit.held), -1), since, since + limit.held, limit.held)
        connections = "1 connection" if limit.connections == 1 else f"{limit.connections:,} connections"
        return self.of_end(
            float(limit.held.sum()) / NS_PER_S,
            limit.share,
            f"{percent(limit.share)} of the time of calls to {limit.endpoint}",
            because=f"calls to {limit.endpoint} waited for a stream",
            said=[
                f"{len(limit.held):,} of {limit.calls:,} calls to {limit.endpoint} waited until another call's stream ended: {mean} "
                f"on average, up to {longest}. About {limit.streams:,} streams were open meanwhile, on {connections}.",
                "The server sets how many streams a connection may have. No event reports that number: Poolscope "
                "infers it from the streams that were open while calls waited.",
            ],
            advice=[
                "Set SocketsHttpHandler.EnableMultipleHttp2Connections to true, so that the client opens another "
                "connection when all streams are taken; or raise the server's limit (Kestrel: Limits.Http2.MaxStreamsPerConnection, 100 by default); "
                "or make fewer calls at once.",
            ],
            where=Where(costs.window(stop - begin), section=self.section),
            sentence=f"{len(limit.held):,} of {limit.calls:,} calls to {limit.endpoint} were late because "
            f"{connections} had no stream left: they waited {mean} on average, with about {limit.streams:,} streams open.",
            late=("calls", len(limit.held), limit.calls),
            endpoint=limit.endpoint,
        )
