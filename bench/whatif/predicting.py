"""The predictions of `poolscope.whatif` for the changes of a scenario, from the capture of its baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poolscope.attribution import attribute
from poolscope.base.units import NS_PER_MS
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.whatif import Prediction, Setting, predict

from .scenario import Scenario

AS_CAPTURED = "as captured"
"""The baseline itself, simulated: the model's error without any change."""


def predictions_of(scenario: Scenario, folder: Path, seed: int) -> dict[str, dict[str, Any]]:
    """Returns the predictions by the name of the change, with the baseline's own; durations in ms."""
    capture = open_capture(folder)
    attribution = attribute(capture)
    # Predictions count from the start of the capture, but the workload begins only when its process has started.
    begin_ms = float(attribution.items.enqueue.min()) / NS_PER_MS
    # The real runs are recorded lightly, so they lack the CPU cost of the baseline's full recording.
    asked = [
        Setting(label=AS_CAPTURED),
        *(Setting(label=change.name, unrecorded=True, **change.asked) for change in scenario.changes),
    ]
    made = predict(capture, attribution, asked, seed=seed)
    return {prediction.setting.label: _plain(prediction, begin_ms) for prediction in made}


def findings_of(folder: Path) -> list[str]:
    """Returns the ids of the findings on a baseline, which determine the advice."""
    return [finding.id for finding in analyse(open_capture(folder)).findings]


def _plain(prediction: Prediction, begin_ms: float) -> dict[str, Any]:
    return {
        "wait_ms": prediction.wait_ms,
        "completion_ms": prediction.completion_ms,
        "low_ms": prediction.wait_low_ms,
        "high_ms": prediction.wait_high_ms,
        "p99_low_ms": prediction.p99_low_ms,
        "p99_high_ms": prediction.p99_high_ms,
        "end_ms": prediction.end_ms - begin_ms,
        "peak_threads": prediction.peak_threads,
        "deadlock": prediction.deadlock,
        "lower_bound": prediction.lower_bound,
        "why": list(prediction.why),
    }
