"""The causes of a wait, in the order of every table, bar and legend, and the distribution of waits by cause: counts in
bins of equal ratio, and percentiles."""

from __future__ import annotations

import math

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.stages import once
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.contract.analysis_json import CausePercentilesJson, DistributionJson

CAUSES = ("injection", "blocking", "core", "runtime", "unknown")
"""`unknown` only occurs without a kernel stream."""

CAUSE_WORDS = {
    "injection": "injection delay",
    "blocking": "blocking",
    "core": "core contention",
    "runtime": "runtime",
    "unknown": "not known",
}


def wait_by_cause(attribution: Attribution) -> dict[str, IntArray]:
    """Returns each cause's part of every item's wait, ns, shape (items,). The parts add up to the wait."""
    if attribution.split is None:
        return {"unknown": attribution.items.wait}
    parts = attribution.split.parts
    return {
        "injection": parts.injection,
        "blocking": parts.blocking,
        "core": parts.core,
        "runtime": parts.runtime,
    }


@once
def main_cause(attribution: Attribution) -> AnyArray:
    """Returns, for each item, the index into CAUSES of its largest part, the first one if several are equal; shape
    (items,)."""
    largest = np.full(attribution.items.count, -1)
    cause = np.zeros(attribution.items.count, dtype=np.int8)
    for name, part in wait_by_cause(attribution).items():
        cause[part > largest] = CAUSES.index(name)
        largest = np.maximum(largest, part)
    return cause


BINS_PER_DECADE = 8
"""Each bin ends a third higher than the one before it: 1 us to 28 h are 88 bins."""
FLOOR_MS = 0.001
"""The clock's resolution. Shorter waits are counted in the first bin."""


def build_distribution(attribution: Attribution) -> DistributionJson | None:
    """Returns counts per bin from the shortest to the longest wait, and percentiles in ms. None without items."""
    items = attribution.items
    if items.count == 0:
        return None
    cause, wait, censored = main_cause(attribution), items.wait, items.censored
    decades = np.log10(np.maximum(wait / NS_PER_MS, FLOOR_MS))
    # A wait of exactly a power of ten belongs to the bin that begins there, whatever the logarithm's last digit.
    number = np.floor(decades * BINS_PER_DECADE + 1e-9).astype(np.int64)
    low, high = int(number.min()), int(number.max())
    bins = high - low + 1
    present = [i for i in range(len(CAUSES)) if (cause == i).any()]
    edge = [10.0 ** ((low + i) / BINS_PER_DECADE) for i in range(bins + 1)]
    return {
        "from_ms": [_significant(e) for e in edge[:-1]],
        "to_ms": [_significant(e) for e in edge[1:]],
        "items": {CAUSES[i]: np.bincount(number[cause == i] - low, minlength=bins).tolist() for i in present},
        "at_least": np.bincount(number[censored] - low, minlength=bins).tolist(),
        "percentiles": [
            _percentiles(None, wait, censored),
            *(_percentiles(CAUSES[i], wait[cause == i], censored[cause == i]) for i in present),
        ],
    }


def _percentiles(cause: str | None, wait: IntArray, censored: BoolArray) -> CausePercentilesJson:
    return {"cause": cause, "items": len(wait), "wait_ms": summarise_ms(wait, censored)}


def _significant(value: float) -> float:
    return round(value, 5 - math.floor(math.log10(value)))
