"""The numbers of one simulated run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray
from poolscope.base.units import NS_PER_MS
from poolscope.replay.simulated import Simulated

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
    ordered = np.sort(duration)

    def quantile(p: float) -> float:
        return float(ordered[max(int(np.ceil(p * len(ordered) - 1e-9)) - 1, 0)]) / NS_PER_MS

    mean = float(ordered.mean()) / NS_PER_MS
    return {"mean": mean, "p50": quantile(0.50), "p99": quantile(0.99), "max": float(ordered[-1]) / NS_PER_MS}


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Returns the median of each statistic over the replications."""
    return {name: median([r[name] for r in runs]) for name in STATISTICS}


def median(values: Sequence[float]) -> float:
    """Returns the middle one; of an even number the lower of the two, so that inf does not spread."""
    return sorted(values)[(len(values) - 1) // 2]
