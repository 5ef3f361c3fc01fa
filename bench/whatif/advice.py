"""The advised fix of an analysis, held against what the clients or the items measured before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .zoo import ITEMS, Clock

WITHIN = 0.15
"""Of the removed delay: so far off a prediction may be."""


@dataclass(frozen=True)
class Advised:
    """The recommended fix and its figures, in ms: means per request where the page tells them, else per work item."""

    fix: str
    label: str
    before_ms: float
    after_ms: float
    low_ms: float | None
    """Least and most of the simulated runs; None: the page has no interval of this mean."""
    high_ms: float | None
    of_requests: bool
    count: int
    """Items, or requests, of which the means are."""
    lower_bound: bool


def advised(analysis: Mapping[str, Any]) -> Advised | None:
    """Returns the recommended fix, if it has a figure."""
    fix = next((f for f in analysis["fixes"] if f["status"] == "recommended" and f["after_ms"] is not None), None)
    if fix is None:
        return None
    row = _row_of(fix["id"], analysis["what_if"]["rows"])
    requests = analysis["what_if"]["requests"]
    if requests and not requests["why_not"] and row and row["request_ms"] and row["request_ms"]["mean"] is not None:
        figures = (requests["latency_ms"]["mean"], row["request_ms"]["mean"], None, None)
        return Advised(fix["id"], fix["label"], *figures, True, requests["count"], row["lower_bound"])
    figures = (fix["before_ms"], fix["after_ms"], fix["low_ms"], fix["high_ms"])
    return Advised(fix["id"], fix["label"], *figures, False, analysis["items"]["count"], fix["lower_bound"])


def _row_of(fix: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The row of the table of settings that changes nothing but what the fix does."""
    kind, _, number = fix.partition(":")
    changes: dict[str, dict[str, Any]] = {
        "await": {"async": True},
        "threads": {"min_threads": int(number or 0)},
        "dedicated": {"dedicated": True},
    }
    if kind not in changes:
        return None
    wanted = {"load": 1.0, **changes[kind]}
    rows = [row for row in rows if row["group"] in ("fix", "min-threads")]
    return next((row for row in rows if {k: v for k, v in row["setting"].items() if v} == wanted), None)


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
    def interval_ms(self) -> tuple[float, float] | None:
        """Least and most of the predicted removal."""
        if self.advised.low_ms is None or self.advised.high_ms is None:
            return None
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
    def beyond(self) -> float | None:
        """How far the truth is outside the interval, in widths of it; 0: within; None: there is no interval."""
        if self.interval_ms is None:
            return None
        low, high = self.interval_ms
        outside = max(low - self.removed_ms, self.removed_ms - high, 0.0)
        if outside == 0.0:
            return 0.0
        return outside / (high - low) if high > low else float("inf")

    @property
    def whole(self) -> bool:
        """Whether everything that began was done, before and after: else the means are of the quick ones."""
        return all(clock.done == clock.begun for clock in (self.before, *self.after))
