"""What is compared: statistics of wait and completion, and the parts of the mean wait and of the mean execution."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scale(Enum):
    """How two values of a quantity are held against each other."""

    RATIO = "ratio"
    """By the logarithm of the value: what slows a run down slows all of it down, so runs scatter by shares."""
    DIFFERENCE = "difference"
    """By the value: parts add up to the whole, may be nothing at all, and count by what they add to it."""


@dataclass(frozen=True)
class Quantity:
    """One row of a comparison; its values are ms."""

    key: str
    words: str
    group: str
    """A key of GROUPS."""
    scale: Scale
    whole: str
    """The key of the mean that this is a part of; its own key for a statistic of its own."""
    duration: str
    """The array of a run that it is taken from: wait, completion, execution, or a part."""
    statistic: str = "mean"
    """mean, or a percentile such as p99."""


GROUPS = {
    "wait": "wait, enqueue to start",
    "completion": "completion, enqueue to end",
    "parts": "parts of the mean wait",
    "execution": "mean execution and its parts",
}
STATISTICS = {"mean": None, "p50": 0.50, "p90": 0.90, "p99": 0.99}
"""The longest wait is left out: one item decides it, and no two runs agree on it."""
WAIT_PARTS = {
    "injection": "injection delay",
    "blocking": "blocking",
    "holding": "blocking: blocked items held the threads",
    "dependency": "blocking: a lock or an awaited item",
    "core": "core contention",
    "runtime": "runtime",
}
"""The keys of `attribution.wait_ms` in analysis.json, and the two of `attribution.blocking_ms` that are its blocking."""
EXECUTION_PARTS = {
    "cpu": "running on a core",
    "blocked": "blocked",
    "ready": "runnable without a core",
    "suspended": "suspended by the runtime",
}


def _statistics(duration: str, words: str) -> list[Quantity]:
    return [
        Quantity(f"{duration}.{name}", f"{name} {words}", duration, Scale.RATIO, f"{duration}.{name}", duration, name)
        for name in STATISTICS
    ]


QUANTITIES: tuple[Quantity, ...] = (
    *_statistics("wait", "wait"),
    *_statistics("completion", "completion"),
    *(Quantity(f"{p}.mean", words, "parts", Scale.DIFFERENCE, "wait.mean", p) for p, words in WAIT_PARTS.items()),
    Quantity("execution.mean", "mean execution", "execution", Scale.RATIO, "execution.mean", "execution"),
    *(
        Quantity(f"execution.{p}", words, "execution", Scale.DIFFERENCE, "execution.mean", f"execution {p}")
        for p, words in EXECUTION_PARTS.items()
    ),
)
