"""The activities of ActivitySources in the form of analysis.json."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.contract.analysis_json import (
    ActivitiesJson,
    ActivityKindJson,
    ActivityPartsJson,
    LongestActivityJson,
    RequestWaitsJson,
)
from poolscope.measures.activities import Activities
from poolscope.measures.requests.routes import operation_of
from poolscope.product.requests import mean_ms, waits_json


ROWS = 20
"""The most rows. The others are counted."""


def activities_json(activities: Activities | None) -> ActivitiesJson | None:
    """Returns `activities`, or None if none was recorded."""
    if activities is None:
        return None
    rows, count = _kinds(activities)
    return {
        "count": activities.count,
        "open": int(activities.open.sum()),
        "carried": int(activities.carried.sum()),
        "kinds": rows,
        "kinds_left_out": count - len(rows),
    }


def operations_of(activities: Activities) -> tuple[list[tuple[str, str]], IntArray]:
    """Returns every pair of source and operation once, and for each activity, shape (activities,), the index of its
    pair."""
    source_code, source = pd.factorize(activities.source)
    name_code, name = pd.factorize(activities.name)
    # Merge the names of one operation before pairing: there may be as many names as activities.
    operation_code, operation = pd.factorize(np.array([operation_of(str(one)) for one in name], dtype=object))
    code, known = pd.factorize(source_code * len(operation) + operation_code[name_code])
    names = [(str(source[k // len(operation)]), str(operation[k % len(operation)])) for k in known.tolist()]
    return names, np.asarray(code, dtype=np.int64)


def _kinds(activities: Activities) -> tuple[list[ActivityKindJson], int]:
    """Returns the operations, longest total time first, and how many there are."""
    names, code = operations_of(activities)
    taken = np.bincount(code, np.maximum(activities.duration, 0), minlength=len(names))
    longest = np.argsort(-taken, kind="stable")[:ROWS]
    return [_kind(activities, names[number], np.flatnonzero(code == number)) for number in longest], len(names)


def _kind(activities: Activities, name: tuple[str, str], own: IntArray) -> ActivityKindJson:
    begun = own[~activities.carried[own]]
    told = np.isin(activities.whole, own)
    return {
        "source": name[0],
        "operation": name[1],
        "count": len(own),
        "open": int(activities.open[own].sum()),
        "carried": len(own) - len(begun),
        "duration_ms": summarise_ms(activities.duration[begun], activities.open[begun]),
        "parts_ms": _parts({key: part[told] for key, part in activities.part.items()}),
        "wait_ms": _waits({key: cause[told] for key, cause in activities.cause.items()}),
        "longest": _longest(activities, begun),
    }


def _parts(part: dict[str, IntArray]) -> ActivityPartsJson | None:
    """Returns the mean parts, or None if no activity was recorded from begin to end."""
    if len(part["cpu"]) == 0:
        return None
    mean = {name: mean_ms(of) for name, of in part.items()}
    return {
        "queued": mean["queued"],
        "cpu": mean["cpu"],
        "blocked": mean["blocked"],
        "ready": mean["ready"],
        "runtime": mean["runtime"],
        "unseen": mean["unseen"],
        "services": mean["services"],
        "timer": mean["timer"],
        "shared": mean["shared"],
        "thread": mean["thread"],
        "other": mean["other"],
    }


def _waits(cause: dict[str, IntArray]) -> RequestWaitsJson | None:
    """Returns the causes of waits, or None without a kernel stream, because only that shows causes."""
    if not cause or len(cause["injection"]) == 0:
        return None
    return waits_json(cause)


def _longest(activities: Activities, begun: IntArray) -> LongestActivityJson | None:
    if len(begun) == 0:
        return None
    row = int(begun[np.argmax(activities.duration[begun])])
    return {
        "activity": row,
        "start_s": round(int(activities.begun[row]) / NS_PER_S, 6),
        "duration_ms": round(int(activities.duration[row]) / NS_PER_MS, 6),
        "open": bool(activities.open[row]),
        "trace_id": activities.trace[row],
    }
