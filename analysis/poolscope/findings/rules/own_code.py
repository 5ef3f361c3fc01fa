"""Requests were late because of the program's own code: it computed or kept its thread for long, ran many requests one
after another in one work item, or occupied the thread that reads their connection."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.evidence.culprit import seen_in
from poolscope.evidence.elsewhere import MOSTLY
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.late_reasons import HeldReader, OwnWork as Own
from poolscope.evidence.where import Costs, Where
from poolscope.executions.segments import READY
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.requests.held_up import MOST_OF_TIME, find_serial


class OwnWork(Rule):
    """Fires when late requests (measures/late.py) spent most of their time beyond the usual in their own items, running
    or blocked.

    It must be a second in all and 1 % of the wall time, and work items must have started on time. Does not fire if many
    items contended for one lock, lacked cores or were in a pause: other rules describe those cases. Time awaiting the
    answer of another service is not own work, even if the thread was kept.
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


class SerialContinuations(Rule):
    """Fires when half of the time of all requests passed in one execution of one work item that at least five of them
    shared (measures/requests/held_up.py).

    The time beyond the mean that each request needs there must be a second in all and 1 % of the wall time, and work
    items must have started on time. Time in which that execution waited for a core does not count.
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
        ready = evidence.attribution.segments.total(READY, executions.count)[serial.execution]
        busy = 1.0 - ready / (end - start)
        # Run one after another, each request needs its share of the whole; for the rest it waited for the others.
        cost = np.rint(busy * np.maximum(serial.duration - (end - start) // met, 0)).astype(np.int64)
        if cost.sum() < evidence.least_seconds * NS_PER_S:
            return None
        if busy * serial.duration.sum() < MOST_OF_TIME * requests.tiles.duration.sum():
            return None
        share = float(cost.sum()) / max(float(requests.tiles.duration.sum()), 1.0)
        took, mean = duration((end - start) / NS_PER_MS), duration(float(serial.duration.mean()) / NS_PER_MS)
        thread = executions.worker[[serial.execution]]
        seen = seen_in(evidence.capture, evidence.attribution, thread, np.array([start]), np.array([end]))
        own = seen.method if seen.found >= MOSTLY * max(seen.looks, 1) else None
        place = (
            f" The item was in {own} in {seen.found:,} of {seen.looks:,} stacks that were seen of it." if own else ""
        )
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
            where=Where(costs.window(stop - begin), methods=[own] if own else [], section=self.section),
            sentence=f"{met:,} of {requests.count:,} requests were late because their continuations ran one after another in one work "
            f"item, which took {took}{f', most of it in {own}' if own else ''}.",
            late=("requests", met, requests.count),
        )


class ReaderHeld(Rule):
    """Fires when data lay unread because the thread that reads it, which is no worker, was busy and read nothing else
    meanwhile.

    The data must lie unread for a second in all and 1 % of the wall time, during most of the time of late requests
    (evidence/late_reasons.py). Work items must have started on time, so a lack of threads is ruled out. Does not fire
    if the whole process was stopped.
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
