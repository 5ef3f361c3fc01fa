"""The advised fix of an analysis, compared with the measurements of clients or items before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .zoo import ITEMS, Clock

WITHIN = 0.15
"""Maximum error of a prediction, as a share of the removed delay."""


@dataclass(frozen=True)
class Advised:
    """The recommended fix and its figures, in ms: means per request if the page shows them, otherwise per work item."""

    fix: str
    label: str
    before_ms: float
    after_ms: float
    low_ms: float
    """Minimum and maximum of the interval."""
    high_ms: float
    of_requests: bool
    count: int
    """The number of items or requests in the means."""
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
    """One program: the prediction for its advised fix, and the real result. ms, means per request or per own item."""

    program: str
    clock: str
    advised: Advised
    before: Clock
    after: Sequence[Clock]

    @property
    def scale(self) -> float:
        """Factor from a mean over Poolscope's items to a mean over the program's own items. The pool's continuations
        and those of the sockets are work items too, and both means have the same total."""
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
        """Minimum and maximum of the predicted removal."""
        return (
            self.scale * (self.advised.before_ms - self.advised.high_ms),
            self.scale * (self.advised.before_ms - self.advised.low_ms),
        )

    @property
    def right_direction(self) -> bool:
        return self.removed_ms * self.predicted_ms > 0

    @property
    def error(self) -> float:
        """Error of the prediction, as a share of the removed delay."""
        return abs(self.predicted_ms - self.removed_ms) / abs(self.removed_ms) if self.removed_ms else float("inf")

    @property
    def close(self) -> bool:
        return self.error <= WITHIN

    @property
    def beyond(self) -> float:
        """Distance of the measured value outside the interval, in widths of the interval; 0: within."""
        low, high = self.interval_ms
        outside = max(low - self.removed_ms, self.removed_ms - high, 0.0)
        if outside == 0.0:
            return 0.0
        return outside / (high - low) if high > low else float("inf")

    @property
    def whole(self) -> bool:
        """Whether all work that began was done, before and after; otherwise the means cover only the quick items."""
        return all(clock.done == clock.begun for clock in (self.before, *self.after))
