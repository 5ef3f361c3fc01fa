"""The distance of predictions from measurements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from .samples import Samples
from .scenario import ITEMS, TRUTH, Change, Scenario

ABSOLUTE_MS = 5.0
"""Waits below this are compared in ms: a fifth of almost nothing is no noticeable error."""
MEDIAN_GOAL = 0.10
WORST_GOAL = 0.25
DISTURBED = 0.25
"""Average number of cores that other processes use during a run, from which on they disturb it."""
FIGURES = ("mean wait", "p99 wait", "last completion")


@dataclass(frozen=True)
class Comparison:
    """One figure, in ms. `error` is a share of the median of the runs; 0 within their range and, below ABSOLUTE_MS,
    within that of the median. It is None without a prediction, and inf if items are predicted never to start or end."""

    measured_ms: float
    measured_low_ms: float
    measured_high_ms: float
    predicted_ms: float | None
    error: float | None
    absolute: bool
    """Compared in ms, because the median is below ABSOLUTE_MS."""


def compare(measured: Sequence[float], predicted: float | None) -> Comparison:
    """Compares a prediction with the runs, at least one."""
    middle, low, high = median(measured), min(measured), max(measured)
    absolute = middle < ABSOLUTE_MS
    if predicted is None:
        error = None
    else:
        off = abs(predicted - middle)
        within = low <= predicted <= high or (absolute and off <= ABSOLUTE_MS)
        error = 0.0 if within else off / max(middle, ABSOLUTE_MS)
    return Comparison(middle, low, high, predicted, error, absolute)


@dataclass(frozen=True)
class Row:
    """One change of one scenario: mean wait, p99 wait and last completion, predicted and measured."""

    scenario: str
    change: str
    command: str
    runs: int
    mean: Comparison
    low_ms: float | None
    """The interval of the predicted mean wait, over the replications."""
    high_ms: float | None
    p99: Comparison
    end: Comparison
    lower_bound: bool
    deadlock: bool
    """Items are predicted never to end, and the real run did not end either."""
    why: list[str]
    others_cores: float
    """Cores used by other processes, in the baseline or in the median run, whichever is more."""
    cause: str | None
    """The cause of a miss, as written by hand in bench/whatif/causes.json."""

    @property
    def loud(self) -> bool:
        """Whether other processes disturbed the runs behind the row."""
        return self.others_cores > DISTURBED

    @property
    def misses(self) -> list[str]:
        """The figures whose error exceeds the limit."""
        compared = zip(FIGURES, (self.mean, self.p99, self.end), strict=True)
        return [name for name, c in compared if c.error is not None and c.error > WORST_GOAL]

    def to_json(self) -> dict[str, Any]:
        mean = asdict(self.mean)
        return {
            "scenario": self.scenario,
            "change": self.change,
            "measured_ms": mean.pop("measured_ms"),
            "predicted_ms": mean.pop("predicted_ms"),
            "low_ms": self.low_ms,
            "high_ms": self.high_ms,
            "error": mean.pop("error"),
            **mean,
            "p99": asdict(self.p99),
            "completion": asdict(self.end),
            "lower_bound": self.lower_bound,
            "deadlock": self.deadlock,
            "why": self.why,
            "runs": self.runs,
            "others_cores": self.others_cores,
            "command": self.command,
        }


def key(scenario: str, change: str) -> str:
    """Returns the name of a change among all scenarios."""
    return f"{scenario}: {change}"


def last_end_ms(sample: dict[str, Any]) -> float:
    """Returns the last completion of a run or baseline, from the first enqueue on. It comes from the workload's own
    clock if there is one: the end of a pool's last item has no event, and the program's own end may queue more
    items."""
    figures = sample["figures"][TRUTH] or sample["figures"][ITEMS]
    return float(figures["end_ms"])


def row_of(
    scenario: Scenario, change: Change, samples: Samples, prediction: dict[str, Any] | None, causes: dict[str, str]
) -> Row | None:
    """Makes a row. Returns None if the change was not measured, or stops forever and so has no figures."""
    runs = samples.runs(scenario, change)
    if not runs or change.deadlock:
        return None
    figures = [run["figures"][change.figures] for run in runs]
    said = prediction or {}

    def of(name: str, statistic: str) -> Comparison:
        return compare([f[name][statistic] for f in figures], said[name][statistic] if said else None)

    return Row(
        scenario.name,
        change.name,
        change.program.text(),
        len(runs),
        of("wait_ms", "mean"),
        said.get("low_ms"),
        said.get("high_ms"),
        of("wait_ms", "p99"),
        compare([last_end_ms(run) for run in runs], said.get("end_ms")),
        bool(said.get("lower_bound", False)),
        bool(said.get("deadlock", False)),
        said.get("why", []),
        max((samples.baseline(scenario) or runs[0])["others_cores"], median(run["others_cores"] for run in runs)),
        causes.get(key(scenario.name, change.name)),
    )


def rows_of(
    scenarios: Iterable[Scenario], samples: Samples, predictions: dict[str, Any], causes: dict[str, str]
) -> list[Row]:
    """Returns the rows of all changes that were measured."""
    made = (
        row_of(scenario, change, samples, predictions.get(scenario.name, {}).get(change.name), causes)
        for scenario in scenarios
        for change in scenario.changes
    )
    return [row for row in made if row is not None]


@dataclass(frozen=True)
class Summary:
    """Errors of one figure over all rows. `median_relative` leaves out figures compared in ms: many waits near zero
    before and after would make the median look better than it is."""

    median: float | None
    median_relative: float | None
    worst: float | None
    rows: int


def summarise(comparisons: Iterable[Comparison]) -> Summary:
    """Summarises the errors; without predictions it has no figures."""
    known = [c for c in comparisons if c.error is not None]
    errors = [c.error for c in known if c.error is not None]
    relative = [c.error for c in known if c.error is not None and not c.absolute]
    return Summary(
        median(errors) if errors else None,
        median(relative) if relative else None,
        max(errors) if errors else None,
        len(errors),
    )
