"""The calls through HttpClient in the form of analysis.json."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.contract.analysis_json import CalledRouteJson, CallsJson, EarlierCallsJson, ServiceJson
from poolscope.measures.calls import Calls
from poolscope.measures.earlier import EarlierCalls
from poolscope.measures.requests.routes import routes_of
from poolscope.product.requests import earlier_json


ROUTES = 10
"""The most routes. The others are counted."""
UNKNOWN = "unknown"
"""The name of an unknown endpoint."""


def calls_json(calls: Calls | None, earlier: EarlierCalls) -> CallsJson | None:
    """Returns `calls`, or None if HttpClient reported none."""
    if calls is None:
        return None
    ended = ~calls.untold
    rows, count = _routes(calls, routes_of(calls.path))
    return {
        "count": calls.count,
        "failed": int(calls.failed.sum()),
        "open": int(calls.open.sum()),
        "untold": int(calls.untold.sum()),
        "earlier": _earlier(earlier),
        "latency_ms": summarise_ms(calls.latency[ended], calls.open[ended]),
        "connection_wait_ms": _mean(calls.queued),
        "held_wait_ms": _mean(calls.held),
        "thread_wait_ms": _mean(calls.dispatch),
        "routes": rows,
        "routes_left_out": count - len(rows),
    }


def _earlier(earlier: EarlierCalls) -> EarlierCallsJson | None:
    """Returns `calls.earlier`, or None if there are none."""
    every = earlier_json(earlier.answered)
    if every is None:
        return None
    names, code = np.unique([name or UNKNOWN for name in earlier.endpoint], return_inverse=True)
    longest = np.argsort(-np.bincount(code, earlier.answered, len(names)), kind="stable")
    rows: list[ServiceJson] = []
    for number in longest[:ROUTES]:
        one = earlier_json(earlier.answered[code == number])
        assert one is not None
        rows.append({"endpoint": str(names[number]), "calls": one["count"], "latency_ms": one["latency_ms"]})
    return {
        "count": every["count"],
        "latency_ms": every["latency_ms"],
        "endpoints": rows,
        "endpoints_left_out": len(names) - len(rows),
    }


def _mean(wait: IntArray) -> float:
    return round(float(wait.mean()) / NS_PER_MS, 6) if len(wait) else 0.0


def _routes(calls: Calls, routes: AnyArray) -> tuple[list[CalledRouteJson], int]:
    """Returns the routes by endpoint, longest total time first, and how many there are."""
    names = calls.endpoint + routes
    known, first, code = np.unique(names.astype(str), return_index=True, return_inverse=True)
    longest = np.lexsort((first, -np.bincount(code, calls.latency, minlength=len(known))))[:ROUTES]
    rows: list[CalledRouteJson] = []
    for number in longest:
        own = np.asarray(code == number)
        ended = own & ~calls.untold
        rows.append(
            {
                "endpoint": str(calls.endpoint[first[number]]),
                "route": str(routes[first[number]]),
                "calls": int(own.sum()),
                "failed": int(calls.failed[own].sum()),
                "latency_ms": summarise_ms(calls.latency[ended], calls.open[ended]),
                "connection_wait_ms": _mean(calls.queued[own]),
                "held_wait_ms": _mean(calls.held[own]),
                "thread_wait_ms": _mean(calls.dispatch[own]),
            }
        )
    return rows, len(known)
