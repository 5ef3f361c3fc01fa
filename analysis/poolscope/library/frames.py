"""The tables that `Capture` returns of requests and their steps, services, activities and calls."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import FloatArray, IntArray
from poolscope.executions.items import Items
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.measures.calls import Calls
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import CAUSES, PARTS
from poolscope.measures.requests.routes import routes_of
from poolscope.measures.services import ServiceCalls
from poolscope.product.activities import operations_of
from poolscope.product.requests import KINDS


def requests_frame(requests: Requests | None, parts: RequestParts | None) -> pd.DataFrame:
    """Returns the columns that `Capture.requests` describes, in order of `requests.id`; durations ns."""
    if requests is None:
        return pd.DataFrame()
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    frame = pd.DataFrame(
        {
            "http_method": requests.method,
            "route": routes_of(requests.path),
            "path": requests.path,
            "begun": requests.begun,
            "arrived": requests.arrived,
            "answered": requests.answered,
            "left": requests.left,
            "latency": np.where(requests.tied, until - requests.arrived, np.nan),
            "at_least": requests.tied & ((requests.answered < 0) | requests.early),
        }
    ).rename_axis("id")
    for name in PARTS:
        frame[name] = _of_tied(requests, parts, None if parts is None else parts.part[name])
    for name in CAUSES:
        frame[f"wait_{name}"] = _of_tied(requests, parts, None if parts is None else parts.cause[name])
    return frame


def services_frame(calls: ServiceCalls) -> pd.DataFrame:
    """Returns the columns that `Capture.services` describes."""
    endpoints = list(calls.services())
    by = pd.DataFrame({"endpoint": calls.endpoint, "took": calls.duration}).groupby("endpoint")["took"]
    frame = by.agg(
        calls="count",
        mean="mean",
        p50=lambda took: took.quantile(0.5, interpolation="lower"),
        p99=lambda took: took.quantile(0.99, interpolation="lower"),
        max="max",
    )
    return frame.reindex(endpoints).rename_axis("endpoint")


def steps_frame(requests: Requests | None, items: Items) -> pd.DataFrame:
    """Returns the columns that `Capture.request_steps` describes, by request and time."""
    if requests is None:
        return pd.DataFrame()
    tiles = requests.tiles
    item = np.where(
        (tiles.item >= 0) & (tiles.item < items.count),
        items.row[np.minimum(np.maximum(tiles.item, 0), items.count - 1)],
        -1,
    )
    frame = pd.DataFrame(
        {
            "request": tiles.request,
            "what": pd.Categorical([KINDS[int(kind)] for kind in tiles.kind], categories=list(KINDS.values())),
            "start": tiles.start,
            "end": tiles.end,
            "item": item,
            "endpoint": [requests.remote[socket] if socket >= 0 else None for socket in tiles.socket],
        }
    )
    return frame.sort_values(["request", "start"], kind="stable").reset_index(drop=True)


def _of_tied(requests: Requests, parts: RequestParts | None, values: object) -> object:
    column = np.full(requests.count, np.nan)
    if parts is not None:
        column[parts.row] = values
    return column


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
