"""The outcome of one setting: for analysis.json, as a row for pandas, and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from poolscope.base.finite import finite
from poolscope.base.words import predicted
from poolscope.contract.analysis_json import WhatIfRowJson
from poolscope.html.notebook import bullets, card, paragraph, table
from poolscope.whatif.figures import RequestFigures
from poolscope.whatif.setting import Setting

COLUMNS = ("setting", "mean wait", "p99 wait", "mean completion", "most threads")
RIGHT = (1, 2, 3, 4)


def prediction_html(cells: Sequence[str], why: Iterable[str]) -> str:
    """Shows one setting: its figures, in the order of COLUMNS, and what makes them uncertain."""
    return card(f"Prediction: {cells[0]}", table(COLUMNS, [cells], RIGHT), bullets(why))


def whatif_html(rows: Iterable[Sequence[str]], confidence: str, advice: Iterable[str]) -> str:
    """Returns all settings in one table, and the advice that follows."""
    said = paragraph(f"How well the simulation reproduces the capture: {confidence}.", faint=True)
    return card("What if", table(COLUMNS, rows, RIGHT), said, bullets(advice))


def rows_to_frame(rows: Sequence[WhatIfRowJson]) -> pd.DataFrame:
    """Returns one row per setting; columns are the paths of `what_if.rows[]` in analysis.json, such as `wait_ms.p99`."""
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
    """The outcome of one setting. Durations are ms, medians over the replications; inf where items never end."""

    setting: Setting
    wait_ms: dict[str, float]
    """mean, p50, p99, max of enqueue to start."""
    completion_ms: dict[str, float]
    """The same of enqueue to end."""
    delay_ms: float
    """The one figure by which fixes are compared, a mean over what `of` says. For items enqueue to end minus the item's own demand,
    simulated, times Predictor.scale; of requests the latency, NaN if it is not predicted. For the captured settings, the measured one."""
    delay_low_ms: float
    delay_high_ms: float
    """Least and most of it over the replications, simulated also for the captured settings."""
    wait_low_ms: float
    wait_high_ms: float
    """Least and most of the mean wait over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """The same of the p99 wait."""
    completion_low_ms: float
    completion_high_ms: float
    """The same of the mean completion."""
    requests: RequestFigures | None
    """For all requests that came; None: not predicted."""
    end_ms: float
    """When the last item ended, from the start of the capture."""
    items: int
    peak_threads: int
    at_once: int
    """Most items that had started and not ended."""
    stack_bytes: int
    """Address space of the stacks of `peak_threads`."""
    context_switches: float
    """Estimate."""
    deadlock: bool
    stuck: int
    """Items that never end."""
    lower_bound: bool
    """More runs at once than did in the capture, so what nothing queued for then may hold it up; or a tenth of the items had
    not ended, so what they still needed is not known."""
    why: list[str]
    """What makes it uncertain, in sentences."""
    of: str = ITEMS
    """ITEMS that the predictor counts, or REQUESTS."""

    def cells(self) -> tuple[str, str, str, str, str]:
        """Returns its figures in words, in the order of `shown.COLUMNS`."""
        return (
            self.setting.label,
            predicted(self.wait_ms["mean"], self.wait_low_ms, self.wait_high_ms, self.lower_bound),
            predicted(self.wait_ms["p99"], self.p99_low_ms, self.p99_high_ms, self.lower_bound),
            predicted(self.completion_ms["mean"], self.completion_low_ms, self.completion_high_ms, self.lower_bound),
            f"{self.peak_threads:,}",
        )

    def _repr_html_(self) -> str:
        """Returns what a notebook shows of it."""
        return prediction_html(self.cells(), self.why)
