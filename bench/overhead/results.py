"""From samples to figures: the cost of each recorder, and whether the goals are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import estimate, plan, recorders
from .estimate import Bound
from .measure import Sample


def cpu_per_item(reading: Sample) -> float:
    """Returns the target's CPU time per item, ns."""
    return float((reading["user_ns"] + reading["system_ns"]) / max(1, reading["items"]))


def rate(reading: Sample) -> float:
    """Returns the items per second."""
    return float(reading["items"] / reading["wall_ns"] * 1e9)


def added(sample: Sample) -> float:
    """Returns the additional CPU time of an item compared with the bare windows beside it, ns."""
    bare = float(np.mean([cpu_per_item(reading) for reading in sample["bare"]]))
    return cpu_per_item(sample["recorded"]) - bare


def throughput(sample: Sample) -> float:
    """Returns the items per second, as a share of those in the bare windows beside it."""
    return rate(sample["recorded"]) / float(np.mean([rate(reading) for reading in sample["bare"]]))


def recorder_cores(sample: Sample) -> float:
    """Returns the cores that the recorder's own process used."""
    return float(sample["recorded"]["recorder_ns"] / sample["recorded"]["wall_ns"])


def of(samples: Sequence[Sample], workload: str, recorder: str) -> dict[int, Sample]:
    """Returns the samples of one recorder on one workload, by round."""
    return {s["round"]: s for s in samples if s["workload"] == workload and s["recorder"] == recorder}


@dataclass(frozen=True)
class Row:
    """One recorder on one workload. Times in ns; `added` and `bare` are None if the run's CPU time is not measured."""

    recorder: str
    bare: float | None
    added: Bound | None
    throughput: float
    cores: float
    pairs: int


def rows(samples: Sequence[Sample], workload: str) -> list[Row]:
    """Returns one row for each recorder measured on a workload, in the order of recorders.ALL."""
    made = []
    for recorder in recorders.ALL:
        own = list(of(samples, workload, recorder.name).values())
        if not own:
            continue
        has_cpu = all(s["recorded"]["user_ns"] + s["recorded"]["system_ns"] > 0 for s in own)
        made.append(
            Row(
                recorder.name,
                float(np.mean([cpu_per_item(b) for s in own for b in s["bare"]])) if has_cpu else None,
                estimate.mean([added(s) for s in own]) if has_cpu else None,
                float(np.median([throughput(s) for s in own])),
                float(np.mean([recorder_cores(s) for s in own])),
                len(own),
            )
        )
    return made


@dataclass(frozen=True)
class Outcome:
    """A goal with its measurement; `bound` is None without a pair. In the goal's own unit: a ratio, cores, or a
    share."""

    goal: plan.Goal
    bound: Bound | None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without pairs."""
        if self.bound is None or self.bound.pairs < plan.LEAST_PAIRS:
            return None
        return self.bound.upper <= self.goal.limit


def outcome(samples: Sequence[Sample], goal: plan.Goal) -> Outcome:
    """Compares the samples with a goal."""
    own = of(samples, goal.workload.name, goal.recorder.name)
    if goal.measure is plan.Measure.LOSS:
        lost = [1.0 - throughput(s) for s in own.values()]
        return Outcome(goal, estimate.mean(lost) if lost else None)
    if goal.against is None:
        cores = [added(s) * plan.RATE / 1e9 for s in own.values()]
        return Outcome(goal, estimate.mean(cores) if cores else None)
    other = of(samples, goal.workload.name, goal.against.name)
    rounds = sorted(own.keys() & other.keys())
    if not rounds:
        return Outcome(goal, None)
    return Outcome(goal, estimate.ratio([added(own[r]) for r in rounds], [added(other[r]) for r in rounds]))
