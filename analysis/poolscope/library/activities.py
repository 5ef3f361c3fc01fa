"""The answers of `Capture.activities` and `Capture.calls`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.measures.calls import Calls
from poolscope.measures.requests.parts import CAUSES
from poolscope.measures.requests.routes import routes_of
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


def calls_frame(calls: Calls | None) -> pd.DataFrame:
    """Returns the columns that `Capture.calls` describes, in order of `calls.id`; durations ns."""
    if calls is None:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "endpoint": calls.endpoint,
            "route": routes_of(calls.path),
            "path": calls.path,
            "protocol": calls.protocol,
            "begun": calls.begun,
            "end": calls.end,
            "latency": np.where(calls.untold, np.nan, calls.latency),
            "at_least": calls.open,
            "status": calls.status,
            "failed": calls.failed,
            "connection": calls.connection,
            "making_wait": calls.making,
            "held_wait": calls.held,
            "thread_wait": calls.dispatch,
        }
    ).rename_axis("id")
