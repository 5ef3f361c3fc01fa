"""How well a replay reproduces a capture's requests, and so whether any are predicted.

None are predicted if many were in the application at the end of the capture, or if the replay of the capture as it was
does not fit. None are predicted either if many waited for something unknown, which takes the same time in every world.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray
from poolscope.base.finite import finite
from poolscope.base.limits import MODEL_ERROR
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import percent
from poolscope.contract.analysis_json import WhatIfRequestsJson
from poolscope.replay.policies import Allowed
from poolscope.replay.simulate import Simulated, World, simulate
from poolscope.replay.workload import Op, Workload
from poolscope.whatif.missing import may_be_like
from poolscope.whatif.requests import FollowedRequests

MOST_UNFINISHED = 0.1
"""A share of all requests: those in the application at the end, or from before the recording. Their remaining work, or
the length of their wait, is unknown."""
MOST_MISSING = 2.0
"""Unread requests per followed request that they are assumed to resemble. When ever more requests of one capture were
treated as missing, predictions were 2 to 11 % off at 0.8, up to 23 % at 1.7, and up to 33 % at 3.0."""
MORE_WORK = 0.05
"""Unread requests as a share of those and the followed ones. From this share on, the other settings have notably more
work than the capture had."""
OF_THE_DELAY = 0.5
"""A share of the total delay of the items. If requests took less in total, most of that delay is not theirs."""
MOST_HELD = 0.1
"""A share of the requests that could be followed: up to this many are left out. Measured: 0 to 10 % in services that
block in their own calls, 48 % if requests wait for each other's asynchronous locks (docs/requests.md)."""
HELD_NS = 5 * NS_PER_MS
HELD_SHARE = 0.1
"""A request is held if more of its latency than both of these depends on moments that no world changes."""
LEAST_FALL = 0.8
"""A share of the expected effect of another speed of a service. If several answers were awaited at once, the others
also count a little."""
LIMITED = (
    "For more load, or fewer threads or cores, a row includes them only if the service stands still. Here threads "
    "block until the socket engine ends their wait. The engine needs a thread too, so a little more load may be too "
    "much."
)


@dataclass(frozen=True)
class RequestFit:
    """How well the replay of the capture as it was reproduces its requests."""

    count: int
    """The number of followed requests."""
    answered: int
    """The number of these answered in the capture."""
    missing: int
    """The number of unread requests."""
    unfinished: int
    """The number of requests in the application at the end of the capture."""
    measured: dict[str, float]
    """Mean, p50, p99 and max of the latency of the followed and the missing ones, ms. Lower bounds if some had no
    answer."""
    error: float
    """The mean latency of the answered ones, replayed over measured, minus 1. inf if some are never answered."""
    left_out: int
    """The number of requests that could be followed if the capture showed what they waited for."""
    alike: bool
    """True if there are requests that the missing ones may resemble."""
    before: int
    """The number of requests that arrived before the recording."""
    blocks_for_engine: bool
    """True if threads block until an item of the socket engine ends their wait. That item needs a thread too. If
    threads are lacking, the service may stand still, but in a replay it would not."""

    @property
    def why_not(self) -> str | None:
        """Why no request is predicted, or None if they are."""
        said = "Requests are not predicted: "
        everyone = self.count + self.missing + self.unfinished + self.before
        if self.before > MOST_UNFINISHED * everyone:
            return f"{said}{self.before:,} of {everyone:,} had arrived before the recording."
        if self.unfinished > MOST_UNFINISHED * everyone:
            return f"{said}{self.unfinished:,} of {everyone:,} were still at work when the capture ended."
        if self.missing > (MOST_MISSING * self.count if self.alike else MOST_UNFINISHED * everyone):
            return f"{said}{self.missing:,} of {everyone:,} had not begun when the capture ended."
        held = self.left_out / (self.left_out + self.count)
        if held > MOST_HELD:
            return f"{said}the capture does not show what {percent(held)} of them waited for."
        if not np.isfinite(self.error):
            return f"{said}some are never answered in the replay of the capture as it was."
        if abs(self.error) > MODEL_ERROR:
            return f"{said}their latency in the replay of the capture as it was is off by {percent(abs(self.error))}."
        return None

    def decides(self, delayed_ms: float) -> bool:
        """Returns whether fixes are judged by requests: they are predicted and were late, not only the items, which
        were delayed by this many ms in total."""
        took = self.measured["mean"] * (self.count + self.missing)
        return self.why_not is None and took >= OF_THE_DELAY * delayed_ms

    def to_json(self) -> WhatIfRequestsJson:
        return {
            "count": self.count,
            "answered": self.answered,
            "missing": self.missing,
            "left_out": self.left_out,
            "limited": LIMITED if self.blocks_for_engine and self.why_not is None else None,
            "latency_ms": {name: round(v, 6) for name, v in self.measured.items()},
            "replay_error": finite(self.error),
            "why_not": self.why_not,
        }


def at_least(told: WhatIfRequestsJson) -> bool:
    """Returns whether some requests had no answer in the capture, so that their measured latencies are lower bounds."""
    return told["answered"] < told["count"] or told["missing"] > 0


def adds_work(told: WhatIfRequestsJson | None) -> bool:
    """Returns whether other settings have notably more work than the capture had.

    Requests that were unread in the capture are served there, and their items compete with the measured ones. A longer
    mean delay there is no argument against a setting.
    """
    if told is None or told["why_not"] is not None:
        return False
    return told["missing"] > MORE_WORK * (told["missing"] + told["count"])


def request_note(told: WhatIfRequestsJson) -> str:
    """Returns which requests the figures are about, or why there are none."""
    if told["why_not"]:
        return told["why_not"]
    said = f"Requests: the {told['count']:,} that were tied to their bytes and left the application."
    if told["answered"] < told["count"]:
        said += f" {told['count'] - told['answered']:,} of them had no answer in the capture."
    if told["left_out"]:
        said += f" {told['left_out']:,} others are left out: the capture does not show what they waited for."
    if told["missing"]:
        said += f" {told['missing']:,} had not begun; they are taken to need what others needed."
    if adds_work(told):
        said += (
            " So every other setting has more to do than the run had: a mean delay that is no shorter there says nothing against "
            "it, and no change is shown for it."
        )
    said += " “about”: more than 30 % of that figure is waiting for threads, and the pool's growth decides; a direction only."
    return f"{said} {told['limited']}" if told["limited"] else said


def fit(requests: FollowedRequests, left_out: int, workload: Workload, replayed: FloatArray) -> RequestFit:
    """Compares replayed with measured latencies. `left_out` counts requests that are held; `replayed` are the
    latencies, ns, of the capture replayed with the goal as it was."""
    answered = requests.is_answered
    measured = float((requests.answered - requests.arrived)[answered].mean())
    return RequestFit(
        count=len(requests.arrived),
        answered=int(answered.sum()),
        missing=len(requests.missing),
        unfinished=requests.unfinished,
        measured=requests.measured_ms,
        error=float(replayed[answered].mean()) / measured - 1.0 if measured > 0 else 0.0,
        left_out=left_out,
        alike=len(may_be_like(workload, requests)) > 0,
        before=requests.before,
        blocks_for_engine=_blocks_for_engine(workload),
    )


def _blocks_for_engine(workload: Workload) -> bool:
    if workload.shared is None:
        return False
    program = workload.program
    owner = np.repeat(np.arange(workload.count), np.diff(program.first))
    return bool(((program.op == Op.MARK) & workload.shared[owner]).any())


def held(requests: FollowedRequests, workload: Workload) -> BoolArray:
    """Returns the requests that waited for something unknown; shape (requests,).

    If nothing takes any time, requests are answered as they arrive, except for moments taken from the capture because
    their cause is unknown.
    """
    program = workload.program
    at_once = replace(program, value=np.where(program.op == Op.ENQUEUE, program.value, 0.0))
    held = _nothing_lacks(replace(workload, program=at_once)).end[requests.last] - requests.arrived
    took = np.where(requests.is_answered, requests.answered, requests.stop) - requests.arrived
    return np.asarray((held > HELD_NS) & (held > HELD_SHARE * took))


def unmoved(before: FloatArray, after: FloatArray, fall: FloatArray) -> BoolArray:
    """Returns the requests for which the effect of the awaited answers is unknown; shape (requests,).

    `before` and `after` are their latencies with unlimited resources (`at_best`), ns. These do not fall by most of
    `fall`, or do not grow if it is negative.
    """
    fell = (before - after) * np.sign(fall)
    return np.asarray((np.abs(fall) > HELD_NS) & (fell < LEAST_FALL * np.abs(fall)))


def at_best(requests: FollowedRequests, workload: Workload) -> FloatArray:
    """Returns the latencies with enough threads and cores, ns; shape (requests,)."""
    return requests.latency(_nothing_lacks(workload), np.arange(workload.count))


def _nothing_lacks(workload: Workload) -> Simulated:
    return simulate(workload, World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf))
