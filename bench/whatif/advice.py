"""The advised fix of an analysis, held against what the clients or the items measured before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .zoo import ITEMS, Clock

WITHIN = 0.15
"""For the removed delay: so far off a prediction may be."""


@dataclass(frozen=True)
class Advised:
    """The recommended fix and its figures, in ms: means per request where the page shows them, else per work item."""

    fix: str
    label: str
    before_ms: float
    after_ms: float
    low_ms: float
    """Least and most of the interval."""
    high_ms: float
    of_requests: bool
    count: int
    """Items, or requests, of which the means are."""
    lower_bound: bool


def advised(analysis: Mapping[str, Any]) -> Advised | None:
    """Returns the recommended fix, if it has a figure."""
    fix = next((f for f in analysis["fixes"] if f["status"] == "recommended" and f["after_ms"] is not None), None)
    if fix is None:
        return None
    of_requests = fix["of"] == "requests"
    figures = (fix["before_ms"], fix["after_ms"], fix["low_ms"], fix["high_ms"])
    count = analysis["what_if"]["requests"]["count"] if of_requests else analysis["items"]["count"]
    return Advised(fix["id"], fix["label"], *figures, of_requests, count, fix["lower_bound"])


@dataclass(frozen=True)
class Outcome:
    """One program: what was predicted of its advised fix, and what it did. ms, means per request or per own item."""

    program: str
    clock: str
    advised: Advised
    before: Clock
    after: Sequence[Clock]

    @property
    def scale(self) -> float:
        """From a mean over Poolscope's items to one per item that the program itself counts: the pool's continuations
        and those of the sockets are work items, too, and both sides mean the same total."""
        return self.advised.count / self.before.begun if self.clock == ITEMS else 1.0

    @property
    def after_ms(self) -> float:
        return median(clock.mean_ms for clock in self.after)

    @property
    def removed_ms(self) -> float:
        return self.before.mean_ms - self.after_ms

    @property
    def predicted_ms(self) -> float:
        """The predicted removal."""
        return self.scale * (self.advised.before_ms - self.advised.after_ms)

    @property
    def interval_ms(self) -> tuple[float, float]:
        """Least and most of the predicted removal."""
        return (
            self.scale * (self.advised.before_ms - self.advised.high_ms),
            self.scale * (self.advised.before_ms - self.advised.low_ms),
        )

    @property
    def right_direction(self) -> bool:
        return self.removed_ms * self.predicted_ms > 0

    @property
    def error(self) -> float:
        """Of the removed delay."""
        return abs(self.predicted_ms - self.removed_ms) / abs(self.removed_ms) if self.removed_ms else float("inf")

    @property
    def close(self) -> bool:
        return self.error <= WITHIN

    @property
    def beyond(self) -> float:
        """How far the truth is outside the interval, in widths of it; 0: within."""
        low, high = self.interval_ms
        outside = max(low - self.removed_ms, self.removed_ms - high, 0.0)
        if outside == 0.0:
            return 0.0
        return outside / (high - low) if high > low else float("inf")

    @property
    def whole(self) -> bool:
        """Whether everything that began was done, before and after: else the means are of the quick ones."""
        return all(clock.done == clock.begun for clock in (self.before, *self.after))
