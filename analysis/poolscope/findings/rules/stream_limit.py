"""Calls waited for a stream of an HTTP/2 connection."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule


class StreamLimit(Rule):
    """Fires when calls over HTTP/2 to one host waited for a tenth of their time, a second in all and 1 % of the wall time, while
    about the same number of streams was open (measures/calls.py), and work items started on time: behind a starved pool
    streams stay open because their answers wait for a thread.
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
