"""The coverage of the evidence, shown beside every verdict: first of all, whether enqueues and dequeues can be
paired."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import cast

import numpy as np

from poolscope.attribution.attribute import Attribution, Split
from poolscope.base.arrays import AnyArray
from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.base.words import percent
from poolscope.blame import Blame
from poolscope.capture import DecodedCapture
from poolscope.capture.capture import POLLED_STREAM, RUNTIME_STREAM
from poolscope.capture.schema import enum, flag
from poolscope.contract.analysis_json import CoverageJson
from poolscope.coverage.contradictions import Contradiction
from poolscope.coverage.gaps import Loss, contradiction_remedy, find_losses, losses_untold, without_work_items
from poolscope.executions.segments import BLOCKED, ended_by


@dataclass(frozen=True)
class Coverage:
    """The coverage of a capture. Counts are items or events, times ms. The field names are the keys of `coverage` in
    analysis.json."""

    items: int
    items_recorded: bool
    """Whether 0 items means that the program queued none."""
    joined: int
    """Items whose enqueue and dequeue were both seen."""
    censored_start: int
    """Items that were dequeued, but queued before the capture."""
    queued_at_end: int
    running_at_end: int
    inlined: int
    """Items that a waiting thread ran, without a dequeue: not part of the attribution."""
    transferred: int
    collided: int
    lost: int
    """Events that the runtime stream dropped."""
    lost_scheduler: int
    losses_known: bool
    """Whether 0 lost events means that no event was lost."""
    losses: list[Loss]
    """Every kind of loss with its time range and the items that it affects."""
    contradictions: list[Contradiction]
    """The disagreements between tables, serious ones first; empty if all facts recorded twice agree."""
    events: int
    events_scheduler: int
    cut: list[str]
    """Streams that are truncated, as after a crash."""
    tier: str
    """tracepoint, etw, switch, schedstat or none."""
    scope: str | None
    """system or target: the processes whose threads the kernel stream shows; None without such a stream."""
    launched: bool
    pool: str
    """runtime: the runtime's own pool; otherwise the name of the reference pool of these items."""
    other_pool_items: int
    """Items of the runtime's own pool beside a reference pool; no table contains them."""
    carried: int
    """Items that already ran when a late capture began; the capture shows them only as busy workers."""
    goal_known: bool
    limits_known: str
    execution_ms: float
    unknown_execution_ms: float
    """Execution that no kernel event covers."""
    unresolved_ms: float
    """Execution in polling steps that began before the item or ended after it (tier schedstat): the order of its states
    is a convention. 0 for every other tier."""
    poll_step_ms: float | None
    """The time from one poll of the threads to the next; None unless the tier is schedstat."""
    blocked_ms: float
    unknown_blocked_ms: float
    """Blocked time of executions whose end has no known cause."""
    pool_ended_blocked_ms: float
    """Blocked time that a pool thread ended."""
    edge_blocked_ms: float
    """Blocked time that replays produce themselves: it ends when another item reaches the point that ended it, or
    releases the lock. All other blocked time is the item's own demand, and lasts as long in every world as here."""
    held_ms: float | None
    """Blocked time of items while others waited, which blame divides. None without a kernel stream or stacks."""
    unblamed_ms: float | None
    """The part of held_ms for which no wait event or snapshot has a stack, and which could not be estimated."""
    estimated_ms: float | None
    """The part of held_ms that no event and no snapshot shows; divided by the snapshots of other blocks."""
    estimate_snapshots: int | None
    """The number of snapshots behind the estimate; 0: there is none."""
    stack_frames: int | None
    """The number of frames in the tree of all stacks; None without stacks."""
    unresolved_frames: int | None
    """The number of frames without a name."""
    replay_error: float | None
    """The mean delay of the actual world replayed, over the measured one, minus 1. None without a kernel stream, or if
    the mean delay is below 1 ms: the replay has no handoffs, which are most of such a delay."""

    contradiction_remedy: str
    """The remedy for contradictions. Not in analysis.json: the findings contain it."""

    def to_json(self) -> CoverageJson:
        content = asdict(self)
        del content["contradiction_remedy"]
        return cast(CoverageJson, content)


def measure_coverage(
    capture: DecodedCapture,
    attribution: Attribution,
    blame: Blame | None,
    contradictions: list[Contradiction],
    ended_ms: tuple[float, float],
) -> Coverage:
    """Collects the results of `blame`, `find_contradictions` and `blocked_ms_by_waker`, and the figures of the tables
    themselves."""
    table = capture.table("work_items")
    flags = table["flags"].to_numpy()
    streams = capture.table("streams")
    unknown, by_pool = ended_ms
    execution = attribution.execution

    def flagged(name: str) -> int:
        return int(((flags & flag("work_items", name)) != 0).sum())

    def stream(name: str, column: str) -> int:
        found = streams[streams["file"] == name]
        return 0 if found.empty else max(int(found[column].iloc[0]), 0)

    pool = capture.manifest.get("pool")
    return Coverage(
        items=len(table),
        items_recorded=without_work_items(capture.manifest) is None,
        joined=int(((table["enqueue"] >= 0) & (table["dequeue"] >= 0)).sum()),
        censored_start=flagged("censored_start"),
        queued_at_end=flagged("queued_at_end"),
        running_at_end=flagged("running_at_end"),
        inlined=flagged("inlined"),
        transferred=flagged("transferred"),
        collided=flagged("collided"),
        lost=stream(capture.runtime_stream, "lost"),
        lost_scheduler=stream(capture.scheduler_stream, "lost"),
        losses_known=losses_untold(capture.manifest) is None,
        losses=find_losses(capture, attribution.items),
        contradictions=contradictions,
        events=stream(capture.runtime_stream, "events"),
        events_scheduler=stream(capture.scheduler_stream, "events") + stream(POLLED_STREAM, "events"),
        cut=[str(f) for f in streams["file"][streams["cut"] == enum("streams", "cut", "cut")]],
        tier=capture.kernel_tier,
        scope=None if capture.kernel_tier == "none" else "system" if capture.sees_other_processes else "target",
        launched=bool(capture.manifest["target"]["launched"]),
        pool="runtime" if pool is None else pool["name"],
        other_pool_items=0 if pool is None else pool["other_items"],
        carried=attribution.carried,
        goal_known=attribution.pool.goal_known,
        limits_known=attribution.pool.limits_known,
        execution_ms=_ms(attribution.items.end - attribution.items.dequeue),
        unknown_execution_ms=_ms(execution.unknown),
        unresolved_ms=0.0 if attribution.bounds is None else _ms(attribution.bounds.unresolved),
        poll_step_ms=None if capture.poll_step_ns is None else capture.poll_step_ns / NS_PER_MS,
        blocked_ms=_ms(execution.blocked),
        unknown_blocked_ms=unknown,
        pool_ended_blocked_ms=by_pool,
        edge_blocked_ms=0.0 if attribution.split is None else _moving(attribution, attribution.split),
        held_ms=None if blame is None else round(blame.total_s * MS_PER_S, 6),
        unblamed_ms=None if blame is None else round(blame.unknown_s * MS_PER_S, 6),
        estimated_ms=None if blame is None else round(blame.estimated_s * MS_PER_S, 6),
        estimate_snapshots=None if blame is None else blame.snapshots,
        stack_frames=None if blame is None else blame.names.nodes,
        unresolved_frames=None if blame is None else blame.names.unresolved,
        replay_error=replay_error(attribution),
        contradiction_remedy=contradiction_remedy(capture.manifest),
    )


def blocked_ms_by_waker(capture: DecodedCapture, attribution: Attribution) -> tuple[float, float]:
    """Returns the blocked ms of executions that ended without a known waker, and the blocked ms that a worker of the
    pool ended."""
    segments, split = attribution.segments, attribution.split
    chosen = (segments.state == BLOCKED) & (segments.item < attribution.items.count)
    if not capture.has("wakeups"):
        duration = segments.duration[chosen]
        explained = 0.0 if split is None else _ms(duration[split.causes.replaced[chosen]])
        return _ms(duration) - explained, 0.0
    waker, known = ended_by(capture, attribution.items.worker[segments.item[chosen]], segments.end[chosen])
    by_pool = known & np.isin(waker, capture.table("workers")["tid"].to_numpy())
    del waker
    unknown = ~known
    if split is not None:
        unknown &= ~split.causes.replaced[chosen]
    duration = segments.duration[chosen]
    return _ms(duration[unknown]), _ms(duration[by_pool])


def _moving(attribution: Attribution, split: Split) -> float:
    segments = attribution.segments
    own = split.causes.replaced & (segments.item < attribution.items.count)
    # Up to a response the wait keeps its duration.
    awaited = split.causes.awaited
    response = np.flatnonzero(awaited.completion >= 0)
    kept = attribution.items.enqueue[awaited.completion[response]] - segments.start[awaited.segment[response]]
    return _ms(segments.duration[own]) - _ms(np.maximum(kept, 0))


def replay_error(attribution: Attribution) -> float | None:
    """Returns Coverage.replay_error."""
    if attribution.split is None or attribution.items.count == 0:
        return None
    ladder = attribution.split.ladder
    complete = ~(attribution.items.censored | attribution.items.running_at_end)
    measured = float(ladder.actual[complete].sum())
    if measured < NS_PER_MS * max(int(complete.sum()), 1):
        return None
    return round(float(ladder.as_is[complete].sum()) / measured - 1.0, 6)


def _ms(ns: AnyArray) -> float:
    return round(float(ns.sum()) / NS_PER_MS, 6)


LOST_FLOOR = 0.001
"""The share of lost runtime events above which pairs of enqueue and dequeue are unreliable: one lost event in a
thousand can shift a whole queue of equal ids by one."""
LOST_NEAR_FLOOR = 0.01
"""The share of lost events among the items that lived in a gap, which shows a loss of a second in a long capture. Pairs
need two events per item, so one in a hundred missing makes them unreliable."""
LOSSY_WAIT_FLOOR = 0.25
"""The share of all waiting time from which the verdict depends on these items. The same share makes the severity of a
finding medium."""


def pairs_doubt(coverage: Coverage) -> str | None:
    """Returns why the pairs are unreliable: the tables that contradict each other, or the loss with its time and how to
    avoid it; None if they are reliable."""
    c = coverage
    if serious := next((found for found in c.contradictions if found.is_serious), None):
        return f"the capture contradicts itself: {serious.sentence} {c.contradiction_remedy}"
    if c.lost > LOST_FLOOR * (c.events + c.lost):
        return (
            f"the runtime stream lost {percent(c.lost / (c.events + c.lost))} of its events{when_lost(c, RUNTIME_STREAM)}, "
            "so enqueues and dequeues cannot be paired with certainty. Record again with a larger --buffersize."
        )
    for loss in c.losses:
        if _rests_on(loss):
            return (
                f"the runtime stream lost {loss.count:,} events {loss.when}, and the items alive then have "
                f"{percent(loss.wait_share)} of all waiting time. Record again with a larger --buffersize."
            )
    return None


def when_lost(coverage: Coverage, stream: str) -> str:
    """Returns when a stream lost events, after a blank; empty if unknown."""
    found = [loss for loss in coverage.losses if loss.stream == stream and loss.what in ("eventpipe_lost", "perf_lost")]
    return f" {found[0].when}" if found else ""


def _rests_on(loss: Loss) -> bool:
    """Returns whether the runtime stream lost enough events near waiting items to make their waits doubtful."""
    if loss.stream != RUNTIME_STREAM or loss.what != "eventpipe_lost" or not loss.count:
        return False
    near = loss.count / (2 * loss.items + loss.count)
    return near > LOST_NEAR_FLOOR and loss.wait_share > LOSSY_WAIT_FLOOR
