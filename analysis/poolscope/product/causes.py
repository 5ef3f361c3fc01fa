"""The causes of a wait in the order in which every table, bar and legend lists them."""

from __future__ import annotations

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray

CAUSES = ("injection", "blocking", "core", "runtime", "unknown")
"""`unknown` only without a kernel stream."""

CAUSE_WORDS = {
    "injection": "injection delay",
    "blocking": "blocking",
    "core": "core contention",
    "runtime": "runtime",
    "unknown": "not known",
}


def wait_by_cause(attribution: Attribution) -> dict[str, IntArray]:
    """Returns each cause's part of every item's wait, ns, shape (items,). Together they are the wait."""
    if attribution.split is None:
        return {"unknown": attribution.items.wait}
    parts = attribution.split.parts
    return {
        "injection": parts.injection,
        "blocking": parts.blocking,
        "core": parts.core,
        "runtime": parts.runtime,
    }


def main_cause(attribution: Attribution) -> IntArray:
    """Returns the index into CAUSES of each item's largest part, shape (items,)."""
    by_cause = wait_by_cause(attribution)
    stacked = np.stack([by_cause.get(name, np.full(attribution.items.count, -1)) for name in CAUSES])
    return np.asarray(np.argmax(stacked, axis=0))
