"""Predictions as rows: of analysis.json, and of a table for pandas."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from poolscope.base.finite import finite
from poolscope.contract.analysis_json import WhatIfRowJson
from poolscope.whatif.prediction import Prediction


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
