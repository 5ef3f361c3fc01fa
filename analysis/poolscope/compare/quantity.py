"""What is compared: statistics of wait and completion, of requests, and the parts of their means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scale(Enum):
    """How two values of a quantity are held against each other."""

    RATIO = "ratio"
    """By the logarithm of the value: what slows a run down slows all of it down, so runs scatter by shares."""
    DIFFERENCE = "difference"
    """By the value: parts add up to the whole, may be nothing at all, and count by what they add to it."""
    SHARE = "share"
    """By the value, which is a share, 0..1: how many there were is compared, and not how long anything took."""


@dataclass(frozen=True)
class Quantity:
    """One row of a comparison; its values are ms, those of Scale.SHARE shares."""

    key: str
    """For all rows its own: `name`, and of a route also that."""
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
    route: tuple[str, str] | None = None
    """HTTP method and route of the requests; None: all of them, or items."""

    @property
    def name(self) -> str:
        """The key without the route, as `poolscope check` has it."""
        return self.key.split(" ", 1)[0]

    @property
    def of_requests(self) -> bool:
        return self.group in REQUEST_GROUPS


GROUPS = {
    "wait": "wait, enqueue to start",
    "completion": "completion, enqueue to end",
    "parts": "parts of the mean wait",
    "execution": "mean execution and its parts",
    "requests": "requests, last byte in to first out",
    "request parts": "parts of the mean latency",
    "routes": "requests by route",
    "route parts": "parts of the mean latency by route",
}
REQUEST_GROUPS = ("requests", "request parts", "routes", "route parts")
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
