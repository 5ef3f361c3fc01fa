"""The outcome of one setting: the figures of each simulated run and their summary, for analysis.json, as a row for
pandas, and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray
from poolscope.base.finite import finite
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import predicted
from poolscope.contract.analysis_json import WhatIfRowJson
from poolscope.html.notebook import bullets, card, paragraph, table
from poolscope.replay.simulate import Simulated
from poolscope.whatif.setting import Captured, Setting

STATISTICS = ("mean", "p50", "p99", "max")


@dataclass(frozen=True)
class RunFigures:
    """One replication. ms; inf if items never start or end."""

    wait_ms: dict[str, float]
    seen_wait_ms: dict[str, float]
    """The part of each wait before the end of the capture."""
    completion_ms: dict[str, float]
    request_ms: dict[str, float] | None
    """The latency of the followed requests. None if there are none, or if their replay does not fit."""
    delay_ms: float
    """The mean over the items that the predictor counts: enqueue to end, minus the item's own demand."""
    end_ms: float
    items: int
    peak_threads: int
    at_once: int
    context_switches: float
    deadlock: bool
    stuck: int


def run_figures(
    outcome: Simulated, own: int, stop: float, delay_ms: float, requests: FloatArray | None = None
) -> RunFigures:
    """Computes the figures of the first `own` items; the others only use threads and cores. `stop` is the end of the
    capture in ns, `requests` are latencies in ns."""
    arrival, start, end = outcome.arrival[:own], outcome.start[:own], outcome.end[:own]
    # An item whose parent never reaches its enqueue does not arrive: it is stuck like one that never starts.
    arrival = np.where(np.isfinite(arrival), arrival, 0.0)
    waits = statistics(start - arrival)
    all_seen = max(start.max(initial=0.0), arrival.max(initial=0.0)) <= stop
    return RunFigures(
        wait_ms=waits,
        seen_wait_ms=waits if all_seen else statistics(np.minimum(start, stop) - np.minimum(arrival, stop)),
        completion_ms=statistics(end - arrival),
        request_ms=None if requests is None else statistics(requests),
        delay_ms=delay_ms,
        end_ms=float(end.max(initial=0.0)) / NS_PER_MS,
        items=own,
        peak_threads=int(outcome.peak_threads),
        at_once=outcome.most_at_once,
        context_switches=float(outcome.context_switches),
        deadlock=bool(outcome.deadlock),
        stuck=int(np.count_nonzero(np.isinf(end))),
    )


def statistics(duration: FloatArray) -> dict[str, float]:
    """Returns mean, p50, p99 and max in ms of durations in ns. Quantiles are those of the empirical distribution."""
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
    """Returns the median: for an even number of values the lower of the middle two, so that inf does not spread."""
    return sorted(values)[(len(values) - 1) // 2]


LACKS_THREADS = 0.3
"""The share of waiting for threads above which a figure only shows a direction: the pool's growth decides it, and a
small difference moves that by seconds. The predictions of other figures may be off by the same share
(docs/requests.md)."""
HARDLY = 0.1
"""The share of waiting for threads in the mean up to which the growth of the pool hardly affects it."""


@dataclass(frozen=True)
class RequestFigures:
    """The predicted latencies of requests, ms."""

    latency_ms: dict[str, float]
    """mean, p50, p99, max: medians over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """The least and the most of the p99 over the replications."""
    for_threads: dict[str, float]
    """The share by which each figure would fall if no request ever waited for a thread, 0 to 1."""

    @property
    def about(self) -> list[str]:
        """The figures that only show a direction, because requests still wait for threads."""
        return [name for name, share in self.for_threads.items() if share > LACKS_THREADS]

    @property
    def needs_growth(self) -> bool:
        """Whether the figures are only as good as the simulation of the pool's growth."""
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
    """Returns whether, in every replication, half of the requests had no answer for longer than the capture lasts."""
    return all(r.request_ms is not None and r.request_ms["p50"] > length_ms for r in runs)


def has_less(setting: Setting, captured: Captured) -> bool:
    """Returns whether there is more work than in the capture, or fewer threads or cores for it, or another pool."""
    return (
        setting.load > 1.0
        or (setting.cores or captured.core_count) < captured.core_count
        or (setting.min_threads or captured.min_threads) < captured.min_threads
        or (setting.max_threads or captured.max_threads) < captured.max_threads
        or (setting.policy or captured.policy) != captured.policy
        or any(times < 1.0 for _, times in setting.faster)
    )


COLUMNS = ("setting", "mean wait", "p99 wait", "mean completion", "most threads")
RIGHT = (1, 2, 3, 4)


def prediction_html(cells: Sequence[str], why: Iterable[str]) -> str:
    """Returns the HTML of one setting: its figures, in the order of COLUMNS, and what makes them uncertain."""
    return card(f"Prediction: {cells[0]}", table(COLUMNS, [cells], RIGHT), bullets(why))


def whatif_html(rows: Iterable[Sequence[str]], confidence: str, advice: Iterable[str]) -> str:
    """Returns all settings in one table, and the resulting advice."""
    said = paragraph(f"How well the simulation reproduces the capture: {confidence}.", faint=True)
    return card("What if", table(COLUMNS, rows, RIGHT), said, bullets(advice))


def rows_to_frame(rows: Sequence[WhatIfRowJson]) -> pd.DataFrame:
    """Returns one row per setting. Columns are paths of `what_if.rows[]` in analysis.json, such as `wait_ms.p99`."""
    return pd.json_normalize(list(rows), sep=".")


def row_json(group: str, prediction: Prediction, fits: bool = True) -> WhatIfRowJson:
    """Returns one row of `what_if.rows[]`. Figures that are never reached are null, and so is the mean delay if the
    model does not fit the run."""
    s, requests = prediction.setting, prediction.requests
    return {
        "group": group,
        "label": s.label,
        "setting": {
            "policy": s.policy,
            "min_threads": s.min_threads,
            "max_threads": s.max_threads,
            "cores": s.cores,
            "async": s.asynchronous,
            "dedicated": s.dedicated,
            "load": s.load,
            "unrecorded": s.unrecorded,
            "faster": [{"endpoint": endpoint, "times": times} for endpoint, times in s.faster],
        },
        "items": prediction.items,
        "wait_ms": {name: finite(v) for name, v in prediction.wait_ms.items()},
        "completion_ms": {name: finite(v) for name, v in prediction.completion_ms.items()},
        "request_ms": None if requests is None else {n: finite(v) for n, v in requests.latency_ms.items()},
        "request_about": [] if requests is None else requests.about,
        "interval_ms": {
            "wait_mean": [finite(prediction.wait_low_ms), finite(prediction.wait_high_ms)],
            "wait_p99": [finite(prediction.p99_low_ms), finite(prediction.p99_high_ms)],
            "completion_mean": [finite(prediction.completion_low_ms), finite(prediction.completion_high_ms)],
            "request_p99": [0.0, 0.0]
            if requests is None
            else [finite(requests.p99_low_ms), finite(requests.p99_high_ms)],
        },
        "delay_ms": {
            "mean": finite(prediction.delay_ms) if fits else None,
            "low": finite(prediction.delay_low_ms) if fits else None,
            "high": finite(prediction.delay_high_ms) if fits else None,
        },
        "end_ms": finite(prediction.end_ms),
        "peak_threads": prediction.peak_threads,
        "at_once": prediction.at_once,
        "stack_bytes": prediction.stack_bytes,
        "context_switches": round(prediction.context_switches),
        "deadlock": prediction.deadlock,
        "stuck": prediction.stuck,
        "lower_bound": prediction.lower_bound,
        "why": prediction.why,
    }


ITEMS, REQUESTS = "items", "requests"
MEAN = {ITEMS: "mean delay", REQUESTS: "mean latency of requests"}
"""The figure by which fixes are compared, in words."""


@dataclass(frozen=True)
class Prediction:
    """The outcome of one setting. Durations are ms, medians over the replications; inf if items never end."""

    setting: Setting
    wait_ms: dict[str, float]
    """mean, p50, p99, max of enqueue to start."""
    completion_ms: dict[str, float]
    """The same of enqueue to end."""
    delay_ms: float
    """The figure by which fixes are compared: a mean over `of`.

    For items, enqueue to end minus the item's own demand, simulated, times Predictor.scale. For requests, the latency,
    NaN if it is not predicted. For the captured settings, the measured mean.
    """
    delay_low_ms: float
    delay_high_ms: float
    """The least and the most of it over the replications, simulated for the captured settings too."""
    wait_low_ms: float
    wait_high_ms: float
    """The least and the most of the mean wait over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """The same of the p99 wait."""
    completion_low_ms: float
    completion_high_ms: float
    """The same of the mean completion."""
    requests: RequestFigures | None
    """Over all requests that arrived. None if not predicted."""
    end_ms: float
    """When the last item ended, from the start of the capture."""
    items: int
    peak_threads: int
    at_once: int
    """The most items that had started and not ended."""
    stack_bytes: int
    """The address space of the stacks of `peak_threads`."""
    context_switches: float
    """An estimate."""
    deadlock: bool
    stuck: int
    """The number of items that never end."""
    lower_bound: bool
    """True if more items run at once than in the capture, so that something without a queue then may hold them up; or
    if a tenth of the items had not ended, so that their remaining demand is unknown."""
    why: list[str]
    """The reasons for uncertainty, in sentences."""
    of: str = ITEMS
    """ITEMS that the predictor counts, or REQUESTS."""

    def cells(self) -> tuple[str, str, str, str, str]:
        """Returns its figures in words, in the order of COLUMNS."""
        return (
            self.setting.label,
            predicted(self.wait_ms["mean"], self.wait_low_ms, self.wait_high_ms, self.lower_bound),
            predicted(self.wait_ms["p99"], self.p99_low_ms, self.p99_high_ms, self.lower_bound),
            predicted(self.completion_ms["mean"], self.completion_low_ms, self.completion_high_ms, self.lower_bound),
            f"{self.peak_threads:,}",
        )

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        return prediction_html(self.cells(), self.why)
