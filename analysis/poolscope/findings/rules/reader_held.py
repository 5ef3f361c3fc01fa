"""Requests were late because the thread that reads their connection was in something else."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.elsewhere import MOSTLY
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.late_reasons import HeldReader
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule


class ReaderHeld(Rule):
    """Fires when data lay unread until a thread of its own, no worker, read it, which had read nothing else meanwhile
    (evidence/late_reasons.py), for a second in all and 1 % of the wall time, during most of what late requests took; and work items
    started on time, so it is not that no thread was there. Not where the whole process was stopped.
    """

    id = "reader-held"
    title = "Every reading thread read its data in time"
    failing_title = "A busy thread left its data unread"
    needs = ("requests", "socket_io", "threads")
    documentation = "reader-held"
    golden = ""
    section = "requests"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        late, requests = evidence.held_up_requests, evidence.requests
        held = next(iter(evidence.held_readers), None)
        if late is None or requests is None or held is None or not evidence.is_healthy:
            return None
        stopped = float(evidence.stops.during.integral(held.start, held.end).sum()) if evidence.stops.total else 0.0
        unread = held.total / NS_PER_S
        if stopped >= MOSTLY * held.total or unread < evidence.least_seconds:
            return None
        cost = held.during.integral(late.start, late.end)
        if cost.sum() < MOSTLY * late.beyond:
            return None
        share = float(cost.sum()) / max(float(late.total), 1.0)
        thread = f"thread {held.tid}" + (f" ({held.name})" if held.name else "")
        longest = duration(held.longest / NS_PER_MS)
        connections = "1 connection" if held.connections == 1 else f"{held.connections:,} connections"
        begin, stop = evidence.capture.window
        costs = Costs(np.full(len(held.start), -1), held.start, held.end, held.end - held.start)
        return self.of_end(
            float(cost.sum()) / NS_PER_S,
            share,
            f"{duration(unread * 1000)} unread, {percent(unread / evidence.wall_seconds)} of the time",
            because=f"{thread} did not read",
            said=[
                f"Data lay in {connections} for up to {longest}, {duration(unread * 1000)} in all, until {thread} read it. The thread "
                "read nothing else meanwhile, and the pool had threads.",
                _doing(held),
            ],
            advice=[_advice(held)],
            where=Where(
                costs.window(stop - begin), methods=[held.seen.method] if held.seen.method else [], section=self.section
            ),
            sentence=f"{int((cost > 0).sum()):,} of {requests.count:,} requests were late while data lay unread for up to {longest}: "
            f"{thread}, which reads it, was in {held.seen.method or held.seen.call or 'something else'}.",
            late=("requests", int((cost > 0).sum()), requests.count),
        )


def _doing(held: HeldReader) -> str:
    seen = held.seen
    if seen.method is None:
        return f"Snapshots caught its stack {seen.looks:,} times in that time, never in the application's code."
    return (
        f"It was found in {seen.method} in {seen.found:,} of the {seen.looks:,} stacks that were seen of it meanwhile."
    )


def _advice(held: HeldReader) -> str:
    what = f"what {held.seen.method} does there" if held.seen.method else "what blocks there"
    engine = held.name is not None and held.name.startswith(".NET Sockets")
    if engine:
        return (
            f"Do not run the application's code on the runtime's socket thread: unset DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS, "
            f"or await {what}."
        )
    return f"Keep the loop that reads free: queue {what}, such as by a TaskCompletionSource with RunContinuationsAsynchronously."
