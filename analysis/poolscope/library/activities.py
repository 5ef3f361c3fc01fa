"""The answer of `Capture.activities`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.measures.requests.parts import CAUSES
from poolscope.product.activities import operations_of


def activities_frame(activities: Activities | None) -> pd.DataFrame:
    """Returns the columns that `Capture.activities` describes, in order of `activities.id`; durations ns."""
    if activities is None:
        return pd.DataFrame()
    names, code = operations_of(activities)
    frame = pd.DataFrame(
        {
            "source": activities.source,
            "operation": np.array([operation for _, operation in names], dtype=object)[code],
            "name": activities.name,
            "begun": activities.begun,
            "end": activities.end,
            "duration": np.where(activities.carried, np.nan, activities.duration),
            "at_least": activities.open,
            "item": activities.item,
            "end_item": activities.end_item,
            "trace_id": activities.trace,
            "span_id": activities.span,
            "parent_span_id": activities.parent,
        },
        index=pd.Index(activities.id, name="id"),
    )
    for name in ACTIVITY_PARTS:
        frame[name] = _of_whole(activities, activities.part[name])
    for name in CAUSES:
        frame[f"wait_{name}"] = _of_whole(activities, activities.cause.get(name))
    return frame


def _of_whole(activities: Activities, values: IntArray | None) -> FloatArray:
    column = np.full(activities.count, np.nan)
    if values is not None:
        column[activities.whole] = values
    return column
