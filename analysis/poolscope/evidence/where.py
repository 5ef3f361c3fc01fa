"""Where in the capture a finding's cost lies: when, which items were affected most, and in which code."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poolscope.base.arrays import AnyArray, FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS, NS_PER_S

ITEMS_SHOWN = 5
"""Items that a finding names: enough to see whether they are alike."""
METHODS_SHOWN = 3
WINDOWS_SHOWN = 5
"""Windows that a finding names, where it knows several: gaps of streams."""
MOST_OF_COST = 0.8
"""Of the cost that must lie in a finding's window. With all of it one early straggler would stretch the window over the
whole capture."""
BINS = 512
"""Resolution of the window: a picture is hardly wider in pixels than twice that."""


@dataclass(frozen=True)
class Window:
    """Seconds from the start of the capture's window."""

    from_s: float
    to_s: float


@dataclass(frozen=True)
class Paid:
    """One item and its part of the cost."""

    item: int
    """`work_items.id`."""
    cost_ms: float


@dataclass(frozen=True)
class Where:
    """The evidence of a finding as places in the capture. Every list is bounded. The field names are the keys of
    `findings[].where` in analysis.json."""

    windows: list[Window] = field(default_factory=list)
    items: list[Paid] = field(default_factory=list)
    """The most affected items, costliest first."""
    methods: list[str] = field(default_factory=list)
    """The code that held the threads or the cores, costliest first."""
    section: str = ""
    """The part of the report that draws it, by its anchor; empty: none does better than the time line."""


@dataclass(frozen=True)
class Costs:
    """Stretches of time that cost something. All arrays of shape (stretches,), ns from the start of the window."""

    item: AnyArray
    """`work_items.id`."""
    begin: AnyArray
    end: AnyArray
    cost: AnyArray
    """Spread evenly over the stretch: when in it the cost arose is not known."""

    def window(self, length: int) -> list[Window]:
        """Returns the shortest window with most of the cost, out of a capture of `length` ns; none if nothing cost."""
        paid = np.asarray(self.cost, dtype=np.float64)
        some = paid > 0
        if not some.any() or length <= 0:
            return []
        begin = np.asarray(self.begin, dtype=np.float64)[some]
        end = np.maximum(np.asarray(self.end, dtype=np.float64)[some], begin + 1.0)
        rate = Steps.count(begin, end, weight=paid[some] / (end - begin))
        edges = np.linspace(0.0, float(length), BINS + 1)
        total = rate.integral(0.0, edges)
        first, last = _shortest(total, MOST_OF_COST * float(total[-1]))
        return [Window(round(float(edges[first]) / NS_PER_S, 6), round(float(edges[last]) / NS_PER_S, 6))]

    def worst(self) -> list[Paid]:
        """Returns the most affected items. One with several stretches pays their sum."""
        if not len(self.item):
            return []
        ids, which = np.unique(self.item, return_inverse=True)
        paid = np.bincount(which, weights=np.asarray(self.cost, dtype=np.float64))
        order = np.argsort(-paid, kind="stable")[:ITEMS_SHOWN]
        return [Paid(int(ids[i]), round(float(paid[i]) / NS_PER_MS, 6)) for i in order if paid[i] > 0]


def _shortest(total: FloatArray, least: float) -> tuple[int, int]:
    """Returns the first and last edge of the shortest stretch over which the running `total` grows by `least`; the
    first one of several."""
    last = np.searchsorted(total, total + least * (1 - 1e-9))
    reached = last < len(total)
    length = np.where(reached, last - np.arange(len(total)), len(total))
    first = int(np.argmin(length))
    return first, min(int(last[first]), len(total) - 1)
