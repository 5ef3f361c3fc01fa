"""What a setting does to the requests of a web service.

Only requests that were answered in the capture can be followed through a replay: of the others it is not known what they
still needed. Where many were not, the load that they would be is missing, and nothing is predicted. Nor where it is not known
what many waited for: what has no known cause keeps its time in every world.

Where the server sends answers in an item that many share, such an item has no request of its own. The answer goes out with
that item if the request has left the application while it is in the queue, else after the same time in the queue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.limits import MODEL_ERROR
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import percent
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import WhatIfRequestsJson
from poolscope.executions.running_at_attach import find_carried
from poolscope.executions.segments import Executions
from poolscope.measures.requests import measure_requests
from poolscope.replay.policies import Allowed
from poolscope.replay.simulate import simulate
from poolscope.replay.simulated import Simulated
from poolscope.replay.workload import Op, Workload
from poolscope.replay.world import World
from poolscope.whatif.figures import statistics

FEWEST = 10
"""With fewer answered requests nothing is said."""
MOST_UNANSWERED = 0.1
"""Of all requests. Measured: with three quarters unanswered predictions were 20 to 90 % too short (docs/requests.md)."""
MOST_HELD = 0.1
"""Of the followed ones. Measured: up to 5 % where predictions were right, 48 % where they were 80 % too long (docs/requests.md)."""
HELD_NS = 5 * NS_PER_MS
HELD_SHARE = 0.1
"""A request is held if more than both, of its latency, is due to moments that no world changes."""


@dataclass(frozen=True)
class FollowedRequests:
    """Requests that were tied and answered, shape (requests,). Times are ns from the start of the window."""

    arrived: IntArray
    answered: IntArray
    left: IntArray
    sender: IntArray
    """Index into Executions of what sent the answer."""
    last: IntArray
    """The one in which the request left the application."""
    apart: BoolArray
    """These are two."""
    joined: BoolArray
    """The sender was in the queue already when the request left: others had queued it."""
    begun: IntArray
    """When the sender began."""
    sender_end: IntArray
    last_end: IntArray
    unanswered: int
    """Requests that were begun, or lay unread, and not answered."""

    @property
    def measured_ms(self) -> dict[str, float]:
        """Mean, p50, p99 and max."""
        return statistics((self.answered - self.arrived).astype(np.float64))

    def latency(self, outcome: Simulated, origin: IntArray) -> FloatArray:
        """In a simulated world, ns; inf: never answered. Of a repeated workload (`origin` as in Loaded) the first of each
        item's copies counts, which arrives when the captured one did; requests of which an item is not there are left out.
        """
        sender, there = _first(origin, self.sender)
        last, also = _first(origin, self.last)
        with np.errstate(invalid="ignore"):  # inf - inf where it never arrives
            alone = outcome.end[sender] - (self.sender_end - self.answered)
            leaves = outcome.end[last] - (self.last_end - self.left)
            start, arrival = outcome.start[sender], outcome.arrival[sender]
            too_late = (start < leaves) | (self.joined & (arrival > leaves))
            goes_out = np.where(too_late, leaves + (start - arrival), start)
            shared = goes_out + (self.answered - np.maximum(self.begun, self.left))
            latency = np.where(self.apart, shared, alone) - self.arrived
        return np.where(np.isnan(latency), np.inf, np.maximum(latency, 0.0))[there & (also | ~self.apart)]

    def held(self, workload: Workload) -> float:
        """Share of the requests of which it is not known what they waited for. Where nothing takes any time they would be
        answered as they come, but for moments that are taken from the capture because nothing is known to bring them about.
        """
        program = workload.program
        at_once = replace(program, value=np.where(program.op == Op.ENQUEUE, program.value, 0.0))
        nothing_lacks = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)
        outcome = simulate(replace(workload, program=at_once), nothing_lacks)
        held = outcome.end[self.last] - self.arrived
        return float(np.mean((held > HELD_NS) & (held > HELD_SHARE * (self.answered - self.arrived))))


def _first(origin: IntArray, item: IntArray) -> tuple[IntArray, BoolArray]:
    """The first copy of each item, and whether there is one."""
    at = np.minimum(np.searchsorted(origin, item), max(len(origin) - 1, 0))
    return at, origin[at] == item


def follow_requests(capture: DecodedCapture, attribution: Attribution) -> FollowedRequests | None:
    """None where fewer than FEWEST can be followed."""
    requests = measure_requests(capture, attribution)
    if requests is None:
        return None
    rows = np.flatnonzero(requests.whole & (requests.sender >= 0))
    if len(rows) < FEWEST:
        return None
    executions = Executions.of(attribution.items, find_carried(capture, attribution.items))
    answered, left = requests.answered[rows], requests.left[rows]
    sender, last = requests.sender[rows], requests.last[rows]
    apart = (left >= 0) & (left <= answered) & (last >= 0) & (last != sender)
    last = np.where(apart, last, sender)
    queued = np.append(attribution.items.enqueue, np.zeros(executions.count - attribution.items.count, dtype=np.int64))
    return FollowedRequests(
        arrived=requests.arrived[rows],
        answered=answered,
        left=left,
        sender=sender,
        last=last,
        apart=apart,
        joined=queued[sender] <= left,
        begun=executions.start[sender],
        sender_end=executions.end[sender],
        last_end=executions.end[last],
        unanswered=int(requests.unanswered.sum()) + int((~requests.tied & (requests.left < 0)).sum()),
    )


@dataclass(frozen=True)
class RequestFit:
    """How well the replay of the capture as it was reproduces its requests."""

    count: int
    """Requests that are followed."""
    measured: dict[str, float]
    """Mean, p50, p99 and max of their latency, ms."""
    error: float
    """Mean latency replayed over measured, minus 1; inf: some are never answered."""
    unanswered: int
    """As in FollowedRequests."""
    held: float
    """Share of the followed ones of which it is not known what they waited for."""

    @property
    def why_not(self) -> str | None:
        """Why no request is predicted; None: they are."""
        said = "Requests are not predicted: "
        everyone = self.count + self.unanswered
        if self.unanswered > MOST_UNANSWERED * everyone:
            return f"{said}{self.unanswered:,} of {everyone:,} had no answer when the capture ended."
        if self.held > MOST_HELD:
            return f"{said}what {percent(self.held)} of them waited for is not known."
        if not np.isfinite(self.error):
            return f"{said}some are never answered in the replay of the capture as it was."
        if abs(self.error) > MODEL_ERROR:
            return f"{said}their latency in the replay of the capture as it was is off by {percent(abs(self.error))}."
        return None

    def to_json(self) -> WhatIfRequestsJson:
        return {
            "count": self.count,
            "latency_ms": {name: round(v, 6) for name, v in self.measured.items()},
            "replay_error": round(self.error, 6) if np.isfinite(self.error) else None,
            "why_not": self.why_not,
        }


def request_note(told: WhatIfRequestsJson) -> str:
    """Which requests the figures speak of, or why there are none."""
    return (
        told["why_not"] or f"Requests: the {told['count']:,} that were answered in the capture and tied to their bytes."
    )


def fit(requests: FollowedRequests, workload: Workload, replayed: FloatArray) -> RequestFit:
    """`replayed`: latencies of the capture replayed with the goal as it was, ns."""
    measured = requests.measured_ms
    mean = float(replayed.mean()) / NS_PER_MS
    error = mean / measured["mean"] - 1.0 if measured["mean"] > 0 else 0.0
    return RequestFit(len(requests.arrived), measured, error, requests.unanswered, requests.held(workload))
