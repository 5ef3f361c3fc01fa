"""Requests and calls under way when the recording began, as analysis.json has them."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.contract.analysis_json import EarlierJson


def earlier_json(lasted: IntArray) -> EarlierJson | None:
    """Summarises what was under way when the capture began. `lasted` counts from the start of the capture, ns, shape
    (any,). Returns None if there was nothing."""
    if len(lasted) == 0:
        return None
    return {"count": len(lasted), "latency_ms": summarise_ms(lasted, np.ones(len(lasted), dtype=bool))}
