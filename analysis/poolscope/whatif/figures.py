"""The numbers of one simulated run, and what a setting's replications tell of requests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray
from poolscope.base.units import NS_PER_MS
from poolscope.replay.simulate import Simulated
from poolscope.whatif.setting import Captured, Setting

STATISTICS = ("mean", "p50", "p99", "max")


@dataclass(frozen=True)
class RunFigures:
    """One replication. ms; inf where items never start or end."""

    wait_ms: dict[str, float]
    seen_wait_ms: dict[str, float]
    """For each wait what lies before the end of the capture."""
    completion_ms: dict[str, float]
    request_ms: dict[str, float] | None
    """Latency of the followed requests; None: there are none, or their replay does not fit."""
    delay_ms: float
    """Mean of what the predictor counts: enqueue to end, minus the item's own demand."""
    end_ms: float
    items: int
    peak_threads: int
    at_once: int
    context_switches: float
    deadlock: bool
    stuck: int


def run_figures(
    outcome: Simulated, own: BoolArray, stop: float, delay_ms: float, requests: FloatArray | None = None
) -> RunFigures:
    """Computes the figures of the items in `own`; the others only take up threads and cores. `stop` is the end of the
    capture in ns, `requests` latencies in ns."""
    arrival, start, end = outcome.arrival[own], outcome.start[own], outcome.end[own]
    # An item whose parent never comes so far does not arrive: it is as stuck as one that never starts.
    arrival = np.where(np.isfinite(arrival), arrival, 0.0)
    return RunFigures(
        wait_ms=statistics(start - arrival),
        seen_wait_ms=statistics(np.minimum(start, stop) - np.minimum(arrival, stop)),
        completion_ms=statistics(end - arrival),
        request_ms=None if requests is None else statistics(requests),
        delay_ms=delay_ms,
        end_ms=float(end.max(initial=0.0)) / NS_PER_MS,
        items=int(own.sum()),
        peak_threads=int(outcome.peak_threads),
        at_once=_most_at_once(start, end),
        context_switches=float(outcome.context_switches),
        deadlock=bool(outcome.deadlock),
        stuck=int(np.count_nonzero(outcome.stuck[own])),
    )


def _most_at_once(start: FloatArray, end: FloatArray) -> int:
    """Returns the most items that had started and not ended at once."""
    begun = np.sort(start[np.isfinite(start)])
    ended = np.sort(end[np.isfinite(end)])
    return int((np.arange(1, len(begun) + 1) - np.searchsorted(ended, begun, side="right")).max(initial=0))


def statistics(duration: FloatArray) -> dict[str, float]:
    """Returns mean, p50, p99 and max in ms of durations in ns; quantiles as of the empirical distribution."""
    if len(duration) == 0:
        return dict.fromkeys(STATISTICS, 0.0)
    at = [max(int(np.ceil(p * len(duration) - 1e-9)) - 1, 0) for p in (0.50, 0.99)]
    p50, p99 = np.partition(duration, at)[at]
    figures = (duration.mean(), p50, p99, duration.max())
    return {name: float(figure) / NS_PER_MS for name, figure in zip(STATISTICS, figures)}


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Returns the median of each statistic over the replications."""
    return {name: median([r[name] for r in runs]) for name in STATISTICS}


def median(values: Sequence[float]) -> float:
    """Returns the middle one; of an even number the lower of the two, so that inf does not spread."""
    return sorted(values)[(len(values) - 1) // 2]


LACKS_THREADS = 0.3
"""A figure of which more than this part is waiting for threads is a direction: the pool's growth decides it, which a small
difference moves by seconds. The same part by which the predictions of others may be off (docs/requests.md)."""
HARDLY = 0.1
"""Where waiting for threads is no more of the mean, the growth of the pool has next to no part in it."""


@dataclass(frozen=True)
class RequestFigures:
    """ms."""

    latency_ms: dict[str, float]
    """mean, p50, p99, max: medians over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """Least and most of the p99 over the replications."""
    for_threads: dict[str, float]
    """The share by which each figure would fall if no request ever waited for a thread, 0 to 1."""

    @property
    def about(self) -> list[str]:
        """The figures that are a direction, because requests still wait for threads."""
        return [name for name, share in self.for_threads.items() if share > LACKS_THREADS]

    @property
    def needs_growth(self) -> bool:
        """Whether the figures are worth no more than the simulation of the pool's growth."""
        return self.for_threads["mean"] > HARDLY


def request_figures(runs: Sequence[RunFigures], enough_ms: dict[str, float]) -> RequestFigures | None:
    """Summarises the latencies of the runs. Returns None if a run has none. `enough_ms` has mean, p50, p99 and max in
    the same world with enough threads."""
    latency = [r.request_ms for r in runs if r.request_ms is not None]
    if not latency or len(latency) < len(runs):
        return None
    p99, told = [r["p99"] for r in latency], medians(latency)
    return RequestFigures(told, min(p99), max(p99), {name: _less(told[name], enough_ms[name]) for name in told})


def _less(ms: float, enough_ms: float) -> float:
    if not math.isfinite(ms):
        return 1.0
    return max(1.0 - enough_ms / ms, 0.0) if ms > 0 else 0.0


def stands_still(runs: Sequence[RunFigures], length_ms: float) -> bool:
    """Returns whether in every replication half of the requests had no answer for longer than the capture is."""
    return all(r.request_ms is not None and r.request_ms["p50"] > length_ms for r in runs)


def has_less(setting: Setting, captured: Captured) -> bool:
    """Returns whether there is more to do than in the capture, or fewer threads or cores to do it, or another pool."""
    return (
        setting.load > 1.0
        or (setting.cores or captured.core_count) < captured.core_count
        or (setting.min_threads or captured.min_threads) < captured.min_threads
        or (setting.max_threads or captured.max_threads) < captured.max_threads
        or (setting.policy or captured.policy) != captured.policy
        or any(times < 1.0 for _, times in setting.faster)
    )
