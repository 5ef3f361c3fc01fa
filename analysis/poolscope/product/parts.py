"""The tables `item_parts` and `request_parts`: the parts of every item's wait and of every request's time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.capture.schema import enum
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import CAUSES, PARTS


def request_parts(requests: Requests, parts: RequestParts | None, start: int) -> pd.DataFrame:
    """Returns `request_parts` of traces/schema.json, ns, by `requests.id`. `start` is that of the window, on the
    capture's clock."""
    tied = requests.tied
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    bound = np.where(tied, enum("request_parts", "bound", "exact"), enum("request_parts", "bound", "not_tied"))
    bound[tied & ((requests.answered < 0) | requests.early)] = enum("request_parts", "bound", "at_least")
    frame = pd.DataFrame(
        {
            "id": np.arange(requests.count),
            "arrived": _on_clock(requests.arrived, start),
            "answered": _on_clock(requests.answered, start),
            "latency": np.where(tied, until - requests.arrived, -1),
            "bound": bound.astype(np.uint8),
        }
    )
    for name in PARTS:
        frame[name] = _of_all(requests, parts, None if parts is None else parts.part[name])
    for name in CAUSES:
        frame[f"wait_{name}"] = _of_all(requests, parts, None if parts is None else parts.cause[name])
    return frame


def _on_clock(time: IntArray, start: int) -> IntArray:
    return np.where(time >= 0, time + start, -1)


def _of_all(requests: Requests, parts: RequestParts | None, values: IntArray | None) -> IntArray:
    """Returns a column of RequestParts with a row for each request, -1 if it is not tied or was not answered."""
    column = np.full(requests.count, -1, dtype=np.int64)
    if parts is not None and values is not None:
        column[parts.row] = values
    return column


WAIT = ("injection", "holding", "dependency", "core", "runtime", "behind_blocked")
"""Parts of the wait. `behind_blocked` is a part of injection."""
EXECUTION = ("exec_cpu", "exec_blocked", "exec_ready", "exec_runtime", "exec_unknown")


def item_parts(attribution: Attribution) -> pd.DataFrame:
    """Returns `item_parts` of traces/schema.json, ns. Empty without a kernel stream."""
    a = attribution
    if a.split is None:
        return pd.DataFrame()
    p, e = a.split.parts, a.execution
    return pd.DataFrame(
        {
            "id": a.items.row,
            "wait": p.wait,
            "injection": p.injection,
            "holding": p.holding,
            "dependency": p.dependency,
            "core": p.core,
            "runtime": p.runtime,
            "behind_blocked": a.split.behind_blocked,
            "exec_cpu": e.cpu,
            "exec_blocked": e.blocked,
            "exec_ready": e.ready,
            "exec_runtime": e.runtime,
            "exec_unknown": e.unknown,
        }
    )
