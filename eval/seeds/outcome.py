"""The results of one run of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray, FloatArray
from poolscope.contract.analysis_json import AnalysisJson


@dataclass(frozen=True)
class Outcome:
    """One captured and analysed run."""

    folder: Path
    """The capture."""
    workload: dict[str, Any]
    """workload.json: the workload's output with --json."""
    analysis: AnalysisJson
    """analysis.json."""
    truth: dict[str, AnyArray] | None
    """truth.npz; None if the items do not go through a pool."""
    truth_median_us: float | None
    """Median error of the start latency, from the tables, against the workload's own clock."""
    report: Path
    noisy: float | None
    """CPU pressure (PSI `some avg10`, percent) before the run if it was above the quiet level, otherwise None."""

    def figure(self, name: str) -> float:
        """Returns a figure that the workload measured itself. Raises KeyError if it did not."""
        for figure in self.workload["figures"]:
            if figure["name"] == name:
                return float(figure["value"])
        raise KeyError(name)

    def latency(self, statistic: str) -> float:
        """Returns the start latency by the workload's own clock, ms. `statistic` is mean, p50, p99 or max."""
        return float(self.workload["start_latency_ms"][statistic])

    @property
    def elapsed_s(self) -> float:
        return float(self.workload["elapsed_ms"]) / 1000

    @property
    def cores(self) -> int:
        """Processors that the target could use."""
        return int(self.analysis["capture"]["target"]["cpus_allowed"])

    @property
    def starts_s(self) -> FloatArray:
        """Start of every item in order, seconds since the first enqueue. Empty without a truth."""
        if self.truth is None:
            return np.empty(0)
        started = self.truth["start_ns"][self.truth["start_ns"] >= 0]
        return np.sort(started - self.truth["enqueue_ns"].min()) / 1e9

    @property
    def found(self) -> list[str]:
        """Ids of the findings, the costliest first."""
        return [finding["id"] for finding in self.analysis["findings"]]
