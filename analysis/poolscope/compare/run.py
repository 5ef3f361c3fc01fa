"""The statistics of one capture in a comparison, and the facts behind them. The capture itself is freed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.statistics import quantile, summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.capture.fitting import open_whole
from poolscope.compare.comparison_json import Known
from poolscope.compare.conditions import conditions_of
from poolscope.compare.of_requests import NOT_SEEN, RunRequests, summarised_requests
from poolscope.compare.quantity import EXECUTION_PARTS, QUANTITIES, WAIT_PARTS, Quantity, Scale, replicates
from poolscope.coverage.coverage import pairs_doubt
from poolscope.findings.confidence import doubts_of
from poolscope.findings.finding import Lateness
from poolscope.product import Analysis, analyse
from poolscope.product.causes import FLOOR_MS, wait_by_cause

CURVE = (*(round(0.02 * i, 2) for i in range(1, 50)), 0.99, 0.999)
"""The shares of the items at which the distribution of the waits is drawn."""
FEW_LOWER_BOUNDS = 0.01
"""The share of items with an unseen end up to which a mean counts as known."""
NO_ITEMS = "no work item was seen"
NO_KERNEL = "there is no kernel stream, so the wait is not split"


@dataclass(frozen=True)
class ComparedRun:
    """One analysed capture. Values are ms; the share of answered requests is 0..1."""

    name: str
    """The capture's file name."""
    start_utc: str
    items: int
    verdict: str
    """The id of the capture's own verdict."""
    values: Mapping[str, float]
    """Values by the key of a quantity; unknown ones are missing."""
    at_least: frozenset[str]
    """Keys whose values are lower bounds."""
    unknown: Mapping[str, str]
    """Why the capture cannot show a quantity, by its key. No reason if only the kernel stream is missing."""
    spread: Mapping[str, float]
    """Standard errors from the run's own items, on the quantity's scale: of the logarithm, or in ms. Empty if the run
    was loaded without them."""
    conditions: Mapping[str, Known]
    waits: Mapping[str, float]
    """The mean wait by cause, as in analysis.json."""
    curve: tuple[float, ...]
    """The wait that each share of CURVE stays at or below; empty without items."""
    requests: RunRequests | None = None
    """None if the web server reported no request. The run's values, bounds and spread include those of the requests."""
    late: Lateness | None = None
    """The late requests, calls or messages of the verdict; None: the verdict is about work items."""

    @property
    def insufficient(self) -> str | None:
        """The first reason for which the capture leaves a question open."""
        return next(iter(self.unknown.values()), None)

    @property
    def without_requests(self) -> str | None:
        """Why the latency of requests is unknown; None: known."""
        return NOT_SEEN if self.requests is None else self.requests.unknown

    def lacks(self, q: Quantity) -> str:
        """Returns why the run has no value of a quantity; empty if it has one."""
        if q.key in self.unknown:
            return self.unknown[q.key].rstrip(".")
        if q.key in self.values:
            return ""
        if q.of_requests:
            return self.without_requests or NOT_SEEN
        return NO_KERNEL


def load_run(path: Path, spread: bool) -> ComparedRun:
    """Reads and analyses a capture. `spread`: also resamples its items, which a comparison of single runs needs.

    Raises InsufficientEvidence without a runtime stream, and UnreadableCapture if the capture cannot be read.
    """
    return summarised(analyse(open_whole(path), simulated=False), spread)


def summarised(analysis: Analysis, spread: bool) -> ComparedRun:
    """Returns the figures of an analysis that a comparison keeps."""
    durations, lost = _durations(analysis)
    items = analysis.attribution.items
    values: dict[str, float] = {}
    at_least: set[str] = set()
    for q in QUANTITIES:
        if q.duration not in durations or items.count == 0:
            continue
        duration, censored = durations[q.duration], lost[q.duration]
        summary = summarise_ms(duration, censored)
        figures = {"mean": summary["mean"], "p50": summary["p50"], "p90": summary["p90"], "p99": summary["p99"]}
        values[q.key] = float(str(figures[q.statistic]))
        few = q.statistic == "mean" and censored.mean() <= FEW_LOWER_BOUNDS
        if q.statistic in summary["at_least"] and not few:
            at_least.add(q.key)
    manifest = analysis.capture.manifest
    requests = summarised_requests(analysis.evidence.requests, analysis.evidence.request_parts, spread)
    resampled = _spread(durations, items.enqueue) if spread and items.count else {}
    return ComparedRun(
        name=analysis.capture.path.name,
        start_utc=str(manifest["clock"]["start_utc"]),
        items=items.count,
        verdict=analysis.verdict.id,
        values=values | dict(requests.values if requests else {}),
        at_least=frozenset(at_least | (requests.at_least if requests else set())),
        unknown=_unknown(analysis),
        spread=resampled | dict(requests.spread if requests else {}),
        conditions=conditions_of(analysis),
        waits={
            name: round(float(part.mean()) / NS_PER_MS, 6) for name, part in wait_by_cause(analysis.attribution).items()
        }
        if items.count
        else {},
        curve=tuple(quantile(items.wait, items.censored, p).value / NS_PER_MS for p in CURVE) if items.count else (),
        requests=requests,
        late=analysis.verdict.late,
    )


def _durations(analysis: Analysis) -> tuple[dict[str, IntArray], dict[str, BoolArray]]:
    """Returns each duration of every item in ns, and whether it is a lower bound. Includes parts only with a kernel
    stream."""
    a = analysis.attribution
    items = a.items
    unfinished = items.censored | items.running_at_end
    durations = {"wait": items.wait, "completion": items.end - items.enqueue, "execution": items.end - items.dequeue}
    lost = {"wait": items.censored, "completion": unfinished, "execution": items.queued_at_end | items.running_at_end}
    if a.split is not None:
        parts, execution = a.split.parts, a.execution
        by_cause = wait_by_cause(a) | {"holding": parts.holding, "dependency": parts.dependency}
        durations |= {name: by_cause[name] for name in WAIT_PARTS}
        lost |= dict.fromkeys(WAIT_PARTS, items.censored)
        ran = (execution.cpu, execution.blocked, execution.ready, execution.runtime)
        durations |= {f"execution {name}": part for name, part in zip(EXECUTION_PARTS, ran, strict=True)}
        lost |= {f"execution {name}": lost["execution"] for name in EXECUTION_PARTS}
    return durations, lost


def _unknown(analysis: Analysis) -> dict[str, str]:
    """Returns the quantities that the capture's coverage leaves unknown, with the reason: all of them if enqueues and
    dequeues cannot be paired, and the parts if the coverage keeps the capture's own verdict from telling."""
    if analysis.attribution.items.count == 0:
        return {q.key: NO_ITEMS for q in QUANTITIES}
    if unpaired := pairs_doubt(analysis.coverage):
        return {q.key: unpaired for q in QUANTITIES}
    if reasons := doubts_of(analysis.evidence):
        return {q.key: reasons[0] for q in QUANTITIES if _rests_on_states(q)}
    return {}


def _rests_on_states(q: Quantity) -> bool:
    """Returns whether the quantity needs the scheduler's states."""
    return q.scale is Scale.DIFFERENCE


def _spread(durations: Mapping[str, IntArray], enqueue: IntArray) -> dict[str, float]:
    """Returns the standard error of every quantity over resampled runs, on its scale."""
    order = np.argsort(enqueue, kind="stable")
    ordered = {name: duration[order] for name, duration in durations.items()}
    found = replicates(ordered, frozenset(q.duration for q in QUANTITIES if q.statistic != "mean"))
    spread = {}
    for q in QUANTITIES:
        if q.duration not in found:
            continue
        ms = found[q.duration][q.statistic] / NS_PER_MS
        spread[q.key] = float(np.std([scaled(q, value) for value in ms], ddof=1))
    return spread


def scaled(q: Quantity, ms: float) -> float:
    """Returns a value on the scale of its comparison; shares stay unchanged. A value below the clock's resolution
    counts as that resolution."""
    return math.log(max(ms, FLOOR_MS)) if q.scale is Scale.RATIO else ms
