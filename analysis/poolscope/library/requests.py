"""The answers of `Capture.requests`, `Capture.request_steps` and `Capture.services`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.executions.items import Items
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import CAUSES, PARTS
from poolscope.measures.requests.routes import route_of
from poolscope.measures.services import ServiceCalls
from poolscope.product.requests import KINDS


def requests_frame(requests: Requests | None, parts: RequestParts | None) -> pd.DataFrame:
    """Returns the columns that `Capture.requests` describes, in order of `requests.id`; durations ns."""
    if requests is None:
        return pd.DataFrame()
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    frame = pd.DataFrame(
        {
            "http_method": requests.method,
            "route": [route_of(path) for path in requests.path],
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
        frame[name] = _of_whole(requests, parts, None if parts is None else parts.part[name])
    for name in CAUSES:
        frame[f"wait_{name}"] = _of_whole(requests, parts, None if parts is None else parts.cause[name])
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


def _of_whole(requests: Requests, parts: RequestParts | None, values: object) -> object:
    column = np.full(requests.count, np.nan)
    if parts is not None:
        column[parts.row] = values
    return column
