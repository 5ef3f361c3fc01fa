"""Locates a finding's cost in the capture: the time, the most affected items, and the code."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poolscope.base.arrays import AnyArray, FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS, NS_PER_S

ITEMS_SHOWN = 5
"""The number of items that a finding names: enough to see whether they are alike."""
METHODS_SHOWN = 3
WINDOWS_SHOWN = 5
"""The number of windows that a finding names if it has several: gaps of streams."""
MOST_OF_COST = 0.8
"""The share of the cost that must lie in a finding's window. If it were all, one early straggler would stretch the
window over the whole capture."""
BINS = 512
"""The number of bins of the capture, which a window consists of: a picture is hardly wider in pixels than twice
that."""


@dataclass(frozen=True)
class Window:
    """A window in seconds from the start of the capture's window."""

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
    """The part of the report that shows it, by its anchor; empty: no part shows it better than the time line."""


@dataclass(frozen=True)
class Costs:
    """Stretches of time with a cost. All arrays have the shape (stretches,), in ns from the start of the window."""

    item: AnyArray
    """`work_items.id`."""
    begin: AnyArray
    end: AnyArray
    cost: AnyArray
    """The cost, spread evenly over the stretch: its exact time is not known."""

    def window(self, length: int) -> list[Window]:
        """Returns the shortest window with most of the cost, out of a capture of `length` ns; empty if nothing has a
        cost."""
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
        """Returns the most affected items. An item with several stretches has the sum of their costs."""
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
