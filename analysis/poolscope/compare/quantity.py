"""The compared quantities: statistics of wait and completion, of requests, and the parts of their means. Also estimates
the uncertainty from one run's own items, by a circular block bootstrap.

Neighbouring items wait alike, because they wait in the same queue. Resampling single items would treat them as
independent trials and find far too little uncertainty. So blocks of items that were queued one after another are drawn
(Kuensch 1989; closed to a circle as in Politis and Romano 1992, so that every item is drawn equally often). No block
contains the differences from run to run: judge.py adds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from poolscope.base.arrays import AnyArray, FloatArray, IntArray


class Scale(Enum):
    """The way in which two values of a quantity are compared."""

    RATIO = "ratio"
    """By the logarithm of the value: a cause that slows a run down slows all of it, so runs scatter by shares."""
    DIFFERENCE = "difference"
    """By the value: parts add up to the whole, may be zero, and count by the amount that they add to it."""
    SHARE = "share"
    """By the value, which is a share, 0..1: the comparison is of counts, not of durations."""


@dataclass(frozen=True)
class Quantity:
    """One row of a comparison. Values are ms; those of Scale.SHARE are shares."""

    key: str
    """The key, unique over all rows: `name`, followed by the route if there is one."""
    words: str
    group: str
    """A key of GROUPS."""
    scale: Scale
    whole: str
    """The key of the mean that this is a part of; its own key if it is no part."""
    duration: str
    """The array of a run that holds its data: wait, completion, execution, or a part."""
    statistic: str = "mean"
    """mean, or a percentile such as p99."""
    route: tuple[str, str] | None = None
    """The HTTP method and route of the requests; None: all requests, or items."""

    @property
    def name(self) -> str:
        """The key without the route, as in `poolscope check`."""
        return self.key.split(" ", 1)[0]

    @property
    def of_requests(self) -> bool:
        return self.group in REQUEST_GROUPS


GROUPS = {
    "wait": "wait, enqueue to start",
    "completion": "completion, enqueue to end",
    "parts": "parts of the mean wait",
    "execution": "mean execution and its parts",
    "requests": "requests, last byte in to first out",
    "request parts": "parts of the mean latency",
    "routes": "requests by route",
    "route parts": "parts of the mean latency by route",
}
REQUEST_GROUPS = ("requests", "request parts", "routes", "route parts")
STATISTICS = {"mean": None, "p50": 0.50, "p90": 0.90, "p99": 0.99}
"""The longest wait is left out: one item decides it, and no two runs agree on it."""
WAIT_PARTS = {
    "injection": "injection delay",
    "blocking": "blocking",
    "holding": "blocking: blocked items held the threads",
    "dependency": "blocking: a lock or an awaited item",
    "core": "core contention",
    "runtime": "runtime",
}
"""The keys of `attribution.wait_ms` in analysis.json, and the two of `attribution.blocking_ms` that are its
blocking."""
EXECUTION_PARTS = {
    "cpu": "running on a core",
    "blocked": "blocked",
    "ready": "runnable without a core",
    "suspended": "suspended by the runtime",
}


def _statistics(duration: str, words: str) -> list[Quantity]:
    return [
        Quantity(f"{duration}.{name}", f"{name} {words}", duration, Scale.RATIO, f"{duration}.{name}", duration, name)
        for name in STATISTICS
    ]


QUANTITIES: tuple[Quantity, ...] = (
    *_statistics("wait", "wait"),
    *_statistics("completion", "completion"),
    *(Quantity(f"{p}.mean", words, "parts", Scale.DIFFERENCE, "wait.mean", p) for p, words in WAIT_PARTS.items()),
    Quantity("execution.mean", "mean execution", "execution", Scale.RATIO, "execution.mean", "execution"),
    *(
        Quantity(f"execution.{p}", words, "execution", Scale.DIFFERENCE, "execution.mean", f"execution {p}")
        for p, words in EXECUTION_PARTS.items()
    ),
)


REPLICATES = 200
"""Enough for a standard error (Efron and Tibshirani 1993, 6.4): its own error is then 5 %."""
SEED = 8


def block_length(items: int) -> int:
    """Returns the cube root of the number: the best order for a standard error (Hall, Horowitz and Jing 1995)."""
    return max(1, int(items ** (1 / 3) + 0.5))


def replicates(durations: Mapping[str, IntArray], with_quantiles: frozenset[str]) -> dict[str, dict[str, FloatArray]]:
    """Returns the statistics of REPLICATES resampled runs for each duration, ns. All arrays describe the same items, in
    the order of their enqueue, at least one. Only `with_quantiles` have percentiles. The same input gives the same
    numbers."""
    items = len(next(iter(durations.values())))
    length = block_length(items)
    blocks = -(-items // length)
    draw = np.random.default_rng(SEED)
    starts = draw.integers(0, items, (REPLICATES, blocks))
    found: dict[str, dict[str, FloatArray]] = {}
    for name, duration in durations.items():
        # One block from every start, by differences of running sums around the circle.
        running: FloatArray = np.zeros(items + length + 1)
        np.cumsum(np.concatenate((duration, duration[:length])), out=running[1:])
        found[name] = {"mean": (running[starts + length] - running[starts]).sum(axis=1) / (blocks * length)}
    for name in with_quantiles & durations.keys():
        found[name].update(_quantiles(durations[name], starts, length))
    return found


def _quantiles(duration: IntArray, starts: IntArray, length: int) -> dict[str, FloatArray]:
    order = np.argsort(duration, kind="stable")
    ascending = duration[order]
    wanted = {name: p for name, p in STATISTICS.items() if p is not None}
    found: dict[str, FloatArray] = {name: np.empty(len(starts)) for name in wanted}
    for row, begun in enumerate(starts):
        upto: AnyArray = np.cumsum(_times_drawn(begun, length, len(duration))[order])
        for name, p in wanted.items():
            found[name][row] = ascending[np.searchsorted(upto, p * upto[-1] - 1e-9)]
    return found


def _times_drawn(starts: IntArray, length: int, items: int) -> IntArray:
    """Returns how often each item is in the blocks that begin at `starts`."""
    room = items + length
    drawn: IntArray = np.cumsum(np.bincount(starts, minlength=room) - np.bincount(starts + length, minlength=room))
    drawn[:length] += drawn[items:]
    return drawn[:items]
