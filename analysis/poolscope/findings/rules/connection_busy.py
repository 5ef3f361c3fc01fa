"""Messages on a connection were late because they are handled one after another and one of them blocked."""

from __future__ import annotations

from collections import Counter

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent, times
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.seen import Seen, seen_in
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule


class ConnectionBusy(Rule):
    """Fires when a connection of messages, such as a hub's or a web socket's, went on being read and nothing was sent over it for a
    second, and for ten times what it usually takes, while an item ran that its reader had queued, or a call of a hub method went on
    that was recorded as an activity (evidence/busy_connections.py);
    what was read meanwhile lay there for a second in all and 1 % of the wall time; and work items started on time.
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
                *([_told(seen)] if ran else []),
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


def _told(seen: Seen) -> str:
    if seen.looks == 0:
        return "No snapshot caught the stack of the item's thread in that time."
    if seen.method is not None:
        return f"In {seen.found:,} of {seen.looks:,} stacks that were seen meanwhile its thread was in {seen.method}."
    return (
        f"In the {seen.looks:,} stacks that were seen meanwhile its thread was in {seen.call or 'code without a name'}; no method of the "
        "application is on them. The runtime inlines a short hub method into the delegate that calls it."
    )
