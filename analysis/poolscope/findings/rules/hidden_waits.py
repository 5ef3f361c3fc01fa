"""Arriving data waited where no work item shows it: requests waited longer than items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.attribution.causes.origins import ENGINE_THREADS
from poolscope.base.series import Steps
from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.capture.capture import ETW
from poolscope.evidence.evidence import HEALTHY_P99_MS, NOTABLE_SHARE, Evidence
from poolscope.evidence.where import Costs
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.socket_reads import SocketReads

LINUX = ("socket events", "the socket engine", "arrived on sockets")
WINDOWS = ("completed I/O", "the runtime's I/O thread", "was completed")
"""What waits inside the engine's item, whose item it is, and what happened to the data before."""


class HiddenWaits(Rule):
    """Fires when the socket engine's work item was queued, or the runtime suspended, for a tenth of the capture.

    If sockets were recorded, also fires when one in a hundred segments lay in its socket for 50 ms before a thread read
    it, or when a socket held such data for a tenth of the capture. A connection whose reader stands still gets few
    segments, because the sender waits too.

    Up to .NET 10, a socket event that arrives while the engine is queued is handled when that item runs and has no
    enqueue of its own; one of the engine's waits must be at least 50 ms. On .NET 11 the socket thread queues many
    objects, up to hundreds at once. A thread that queued more than one object has no engine, and data that may hide in
    one of its items is not reported. While the runtime is suspended, the threads that queue items stand still too.

    The rule says that requests wait longer than items, not why either wait is long. It has no cost of its own and is
    never the verdict.
    """

    id = "hidden-waits"
    title = "Arriving data became work items at once"
    failing_title = "Requests waited longer than work items"
    needs = ("work_items", "threads", "thread_states", "suspensions")
    documentation = "hidden-waits"
    golden = ""

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable on Windows if the thread that takes completed I/O queued nothing.

        .NET Framework has no such thread, and the rule finds the thread by name. A long suspension is still reported.
        """
        lacking = super().missing(evidence)
        if lacking or evidence.capture.kernel_tier != ETW or evidence.suspended_share >= NOTABLE_SHARE:
            return lacking
        return [] if len(_engine_waits(evidence).item) else ["items that the runtime's I/O thread queued"]

    def evaluate(self, evidence: Evidence) -> Finding | None:
        waits = _engine_waits(evidence)
        engine, longest = _engine_queued(evidence, waits)
        numbers, said = [], []
        if engine >= NOTABLE_SHARE and longest >= HEALTHY_P99_MS:
            what, whose, came = WINDOWS if evidence.capture.kernel_tier == ETW else LINUX
            numbers.append(f"{what} waited for a worker {percent(engine)} of the time, up to {duration(longest)}")
            said.append(
                f"The work item of {whose} was in the queue {percent(engine)} of the capture, for up to "
                f"{duration(longest)}. Everything that {came} meanwhile - requests, answers of a database - waited "
                "inside it and has no enqueue of its own."
            )
        suspended = evidence.suspended_share
        if suspended >= NOTABLE_SHARE:
            numbers.append(f"the runtime was suspended {percent(suspended)} of the time")
            said.append(
                f"The runtime was suspended for {duration(suspended * evidence.wall_seconds * MS_PER_S)} in all. Socket and timer "
                "threads stop too, so what arrives in a pause waits before it becomes an item."
            )
        reads = evidence.socket_reads
        unread = reads is not None and (
            reads.quantile_ms(0.99) >= HEALTHY_P99_MS or _lay_unread(reads, evidence) >= NOTABLE_SHARE
        )
        if reads is not None and unread:
            numbers.append(f"data lay in sockets for up to {duration(reads.quantile_ms(1.0))} before it was read")
            said.append(_of_sockets(reads))
        if not said:
            return None
        measured = reads is not None and unread and reads.followed == reads.connections
        beyond = "by the time that the data waited in the socket" if measured else "by an unknown amount"
        return self.without_cost(
            "medium" if max(engine, suspended) >= 0.5 or unread else "low",
            "; ".join(numbers),
            said=[*said, f"Clients waited longer than the items here, {beyond}."],
            advice=["Judge requests by the clients' or the service's own latencies; the cause is unchanged."],
            where=self.at(evidence, waits) if engine >= NOTABLE_SHARE else None,
        )


def _lay_unread(reads: SocketReads, evidence: Evidence) -> float:
    """Returns the share of the capture in which some socket held data that lay there longer than HEALTHY_P99_MS."""
    long = reads.wait > HEALTHY_P99_MS * NS_PER_MS
    count = Steps.count(reads.arrived[long], (reads.arrived + reads.wait)[long])
    start, stop = evidence.capture.window
    return float(Steps(count.time, np.minimum(count.value, 1.0)).integral(0.0, stop - start)) / (stop - start)


def _of_sockets(reads: SocketReads) -> str:
    late = reads.wait > HEALTHY_P99_MS * NS_PER_MS
    left_out = reads.connections - reads.followed
    followed = ""
    if left_out:
        are, their = ("connection is", "its") if left_out == 1 else ("connections are", "their")
        followed = f" {left_out:,} {are} not among them: {their} bytes do not add up."
    return (
        f"{int(late.sum()):,} of {len(reads.wait):,} segments of data on {reads.followed:,} TCP connections waited longer than "
        f"{duration(HEALTHY_P99_MS)} in the kernel for a thread to read them: {duration(reads.mean_ms)} on average over all of "
        f"them, up to {duration(reads.quantile_ms(1.0))}.{followed}"
    )


def _engine_queued(evidence: Evidence, waits: Costs) -> tuple[float, float]:
    """Returns how long items of the socket engines were queued: the share of the capture, and the longest wait in
    ms."""
    if len(waits.item) == 0:
        return 0.0, 0.0
    start, stop = evidence.capture.window
    depth = Steps.count(waits.begin, waits.end)
    some = Steps(depth.time, np.minimum(depth.value, 1.0))
    return float(some.integral(0.0, stop - start)) / (stop - start), float(waits.cost.max()) / NS_PER_MS


def _engine_waits(evidence: Evidence) -> Costs:
    """Returns when the items of the socket engines were queued and dequeued. An engine also queues itself, from a
    worker.

    An engine is the only object that a thread queues. The runtime's version does not decide, because captures of other
    tools may lack it.
    """
    items = evidence.capture.table("work_items")
    threads = evidence.capture.table("threads")
    sockets = threads["tid"][threads["name"].isin(ENGINE_THREADS)]
    # Column by column: pandas would first copy the whole table, and keep the copy.
    by, work = items["enqueue_tid"].to_numpy(), items["work_id"].to_numpy()
    rows = np.flatnonzero(np.isin(by, sockets.to_numpy()) & (work >= 0))
    queued = pd.DataFrame({"enqueue_tid": by[rows], "work_id": work[rows]})
    # Events in other objects have an enqueue of their own, so the waits of items show them.
    objects = queued.groupby("enqueue_tid")["work_id"].transform("nunique")
    engines = queued["work_id"][objects == 1].unique()
    own = np.flatnonzero(np.isin(work, engines))
    start, stop = evidence.capture.window
    enqueue, dequeue = (items[name].to_numpy()[own].astype(np.float64) for name in ("enqueue", "dequeue"))
    begin = np.where(enqueue < 0, 0.0, enqueue - start)
    end = np.where(dequeue < 0, float(stop), dequeue) - start
    return Costs(items["id"].to_numpy()[own], begin, end, end - begin)
