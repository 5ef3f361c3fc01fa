"""What a setting's replications tell of requests, and how far that can be relied on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from poolscope.whatif.captured import Captured
from poolscope.whatif.figures import RunFigures, medians
from poolscope.whatif.setting import Setting

LACKS_THREADS = 0.5
"""Requests still wait for threads if the items' p99 wait is more than this part of the requests' p99. Then the pool's growth
decides, which a small difference moves by seconds."""


@dataclass(frozen=True)
class RequestFigures:
    """ms."""

    latency_ms: dict[str, float]
    """mean, p50, p99, max: medians over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """Least and most of the p99 over the replications."""
    about: bool
    """Requests still wait for threads: a direction, not a figure."""


def request_figures(runs: Sequence[RunFigures]) -> RequestFigures | None:
    """None where a run has none."""
    latency = [r.request_ms for r in runs if r.request_ms is not None]
    if not latency or len(latency) < len(runs):
        return None
    p99, wait = [r["p99"] for r in latency], medians([r.wait_ms for r in runs])["p99"]
    told = medians(latency)
    about = not math.isfinite(told["p99"]) or wait > LACKS_THREADS * told["p99"]
    return RequestFigures(told, min(p99), max(p99), about)


def stands_still(runs: Sequence[RunFigures], length_ms: float) -> bool:
    """Whether in every replication half of the requests had no answer for longer than the capture is."""
    return all(r.request_ms is not None and r.request_ms["p50"] > length_ms for r in runs)


def has_less(setting: Setting, captured: Captured) -> bool:
    """Whether there is more to do than in the capture, or fewer threads or cores to do it, or another pool."""
    return (
        setting.load > 1.0
        or (setting.cores or captured.core_count) < captured.core_count
        or (setting.min_threads or captured.min_threads) < captured.min_threads
        or (setting.max_threads or captured.max_threads) < captured.max_threads
        or (setting.policy or captured.policy) != captured.policy
        or any(times < 1.0 for _, times in setting.faster)
    )
