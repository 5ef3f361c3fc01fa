"""What a setting's replications tell of requests, and how far that can be relied on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from poolscope.whatif.captured import Captured
from poolscope.whatif.figures import RunFigures, medians
from poolscope.whatif.setting import Setting

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
