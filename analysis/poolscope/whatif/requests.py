"""The requests of a web service in a world with other settings.

Requests that have left the application are followed, answered or not. Unread requests are load too (`missing.py`). The
remaining work of requests in the application at the end of the capture is unknown.

If the server sends answers in an item that many requests share, that item has no request of its own. An answer goes out
with the first of these items that begins after its request has left the application.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.attribution.causes.socket_io import ENDED
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.measures.requests import Requests
from poolscope.replay.simulate import Simulated
from poolscope.replay.workload import Op
from poolscope.whatif.prediction import statistics

FEWEST = 10
"""The fewest answered requests for a prediction."""
GIVEN_UP = 0.5
"""If a request's client has gone, and the request takes less than this share of the median time of the answered ones in
the application, it was abandoned there, not served."""


OF_ALL = ("senders", "queues", "missing", "unfinished", "stop", "before")
"""Fields of FollowedRequests that are not per request."""


@dataclass(frozen=True)
class FollowedRequests:
    """Requests that are tied and have left the application, shape (requests,). Times are ns from the start of the
    window."""

    row: IntArray
    """Index into the measured Requests."""
    arrived: IntArray
    answered: IntArray
    """-1 if not in the capture."""
    left: IntArray
    sender: IntArray
    """Index into Executions of the sender of the answer. Arbitrary if it was not sent."""
    last: IntArray
    """The execution in which the request left the application."""
    apart: BoolArray
    """True if these two differ."""
    joined: BoolArray
    """True if the answer went out with an item queued for others before the request left, or would have."""
    sending: IntArray
    """From the start of the sender, or the request's exit, to the answer, if these two differ."""
    sender_end: IntArray
    last_end: IntArray
    senders: IntArray
    """Indices into Executions of all items of the objects that sent answers of others; shape (senders,)."""
    queues: int
    """The number of these objects."""
    missing: IntArray
    """When the requests arrived that were unread, or whose client had gone before they were served; shape
    (missing,)."""
    unfinished: int
    """The number of requests in the application at the end of the capture."""
    stop: int
    """The end of the capture."""
    before: int = 0
    """The number of requests that arrived before the recording. The start of their wait is unknown, and none of them is
    followed."""

    @property
    def is_answered(self) -> BoolArray:
        return np.asarray(self.answered >= 0)

    @property
    def total_ns(self) -> int:
        """Their total latency. A lower bound if some had no answer."""
        return int((np.where(self.is_answered, self.answered, self.stop) - self.arrived).sum())

    @property
    def measured_ms(self) -> dict[str, float]:
        """Mean, p50, p99 and max. Lower bounds if some had no answer."""
        until = np.where(self.is_answered, self.answered, self.stop)
        return statistics(np.concatenate((until - self.arrived, self.stop - self.missing)).astype(np.float64))

    def where(self, chosen: BoolArray) -> FollowedRequests:
        """Returns only the chosen requests, shape (requests,)."""
        of_each = (f.name for f in fields(self) if f.name not in OF_ALL)
        return replace(self, **{name: getattr(self, name)[chosen] for name in of_each})

    def among(self, origin: IntArray) -> RequestItems:
        """Finds their items in a simulated workload.

        For a repeated one (`origin` as in Loaded), the first copy of each item counts, which arrives when the captured
        one did. Requests without their item are left out.
        """
        sender, there = _first(origin, np.where(self.is_answered, self.sender, self.last))
        last, also = _first(origin, self.last)
        there &= also | ~(self.apart | self.joined)
        senders = np.flatnonzero(np.isin(origin, self.senders))
        return RequestItems(self.where(there), sender[there], last[there], senders)

    def latency(self, outcome: Simulated, origin: IntArray) -> FloatArray:
        """Returns the latencies in a simulated world, ns. inf means never answered."""
        return self.among(origin).latency(outcome)


@dataclass(frozen=True)
class RequestItems:
    """Requests and their items in one workload, the same in each of its worlds."""

    requests: FollowedRequests
    sender: IntArray
    """Shape (requests,)."""
    last: IntArray
    senders: IntArray
    """The items that send answers of others, shape (senders,)."""

    def latency(self, outcome: Simulated) -> FloatArray:
        """Returns the latencies in a simulated world, ns. inf means never answered."""
        of, sender, last = self.requests, self.sender, self.last
        with np.errstate(invalid="ignore"):  # inf - inf if it never arrives
            alone = outcome.end[sender] - (of.sender_end - of.answered)
            leaves = outcome.end[last] - (of.last_end - of.left)
            start, arrival = outcome.start[sender], outcome.arrival[sender]
            goes_out = np.where(start < leaves, leaves + (start - arrival), start)
            joined = np.flatnonzero(of.joined)
            if len(joined):
                goes_out[joined] = self._next_sender(outcome, leaves[joined])
            latency = np.where(of.apart | of.joined, goes_out + of.sending, alone) - of.arrived
        return np.where(np.isnan(latency), np.inf, np.maximum(latency, 0.0))

    def _next_sender(self, outcome: Simulated, leaves: FloatArray) -> FloatArray:
        """Returns when answers of requests that have left the application go out: when the next item begins that sends
        answers of others."""
        start = np.sort(outcome.start[self.senders])
        at = np.searchsorted(start, leaves)
        return np.where(at < len(start), start[np.minimum(at, len(start) - 1)], leaves) if len(start) else leaves


def _first(origin: IntArray, item: IntArray) -> tuple[IntArray, BoolArray]:
    """Returns the first copy of each item, and whether there is one."""
    at = np.minimum(np.searchsorted(origin, item), max(len(origin) - 1, 0))
    return at, origin[at] == item


def follow_requests(
    capture: DecodedCapture, attribution: Attribution, requests: Requests | None
) -> FollowedRequests | None:
    """Selects the requests that can be followed. Returns None if there are fewer than FEWEST."""
    if requests is None:
        return None
    done = requests.whole & (requests.sender >= 0) & ~requests.early
    if int(done.sum()) < FEWEST:
        return None
    took = requests.left - requests.begun
    lost = requests.tied & ~requests.early & ~done & (took < GIVEN_UP * np.median(took[done]))
    lost &= _gone(capture)[np.maximum(requests.socket, 0)] < requests.left
    open_ended = requests.tied & ~requests.early & (requests.answered < 0)
    rows = np.flatnonzero(done | (open_ended & ~lost & (requests.last >= 0)))
    executions = attribution.executions
    left, last = requests.left[rows], requests.last[rows]
    answered = np.where(done[rows], requests.answered[rows], -1)
    sender = np.where(answered >= 0, requests.sender[rows], last)
    apart = (left >= 0) & (left <= answered) & (last >= 0) & (last != sender)
    last = np.where(apart, last, sender)
    queued = np.append(attribution.items.enqueue, np.zeros(executions.count - attribution.items.count, dtype=np.int64))
    # An answer may go out just before its request leaves the application.
    sending = np.maximum(answered - np.maximum(executions.start[sender], left), 0)
    some = apart & (answered >= 0)
    sending = np.where(answered >= 0, sending, int(np.median(sending[some])) if some.any() else 0)
    senders, queues = _alike(capture, attribution, np.unique(sender[some]))
    return FollowedRequests(
        row=rows,
        arrived=requests.arrived[rows],
        answered=answered,
        left=left,
        sender=sender,
        last=last,
        apart=apart,
        joined=(answered < 0) | (apart & (queued[sender] <= left) & (queued_by(attribution)[sender] != last)),
        sending=sending,
        sender_end=executions.end[sender],
        last_end=executions.end[last],
        senders=senders,
        queues=queues,
        missing=np.sort(np.concatenate((requests.not_begun, requests.arrived[lost]))),
        unfinished=int((requests.left < 0).sum()),
        stop=requests.stop,
        before=int(requests.early.sum()) + len(requests.before_end),
    )


def queued_by(attribution: Attribution) -> IntArray:
    """Returns the execution that queued each one, as far as the replay knows, -1 if none did."""
    assert attribution.split is not None
    workload = attribution.split.workload
    queues = workload.program.op == Op.ENQUEUE
    by = np.full(workload.count, -1)
    by[workload.program.target[queues]] = np.repeat(np.arange(workload.count), np.diff(workload.program.first))[queues]
    return by


def _alike(capture: DecodedCapture, attribution: Attribution, chosen: IntArray) -> tuple[IntArray, int]:
    """Returns all items with the same object as a chosen one, and the number of these objects."""
    items = attribution.items
    work_id = capture.table("work_items")["work_id"].to_numpy()[items.row]
    objects = np.unique(work_id[chosen[chosen < items.count]])
    objects = objects[objects >= 0]
    return np.flatnonzero(np.isin(work_id, objects)), len(objects)


def _gone(capture: DecodedCapture) -> IntArray:
    """Returns when the remote end closed each socket, ns from the start of the window. Work for a request after that
    may only produce an error."""
    table = capture.table("socket_io")
    ended = table[table["direction"].to_numpy() == ENDED]
    gone = np.full(len(capture.table("sockets")), np.iinfo(np.int64).max)
    np.minimum.at(gone, ended["socket"].to_numpy(), ended["time"].to_numpy() - capture.window[0])
    return gone
