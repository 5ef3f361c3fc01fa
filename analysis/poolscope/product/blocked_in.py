"""Where items blocked: methods and kinds of wait, from the same evidence as blame."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.blame.evidence import EVENT, name_stretches
from poolscope.blame.kinds import kind_of, user_method
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import BlockedInJson
from poolscope.executions.segments import BLOCKED

SHOWN = 3
"""Places named for each item, longest first."""


def blocked_in(capture: DecodedCapture, attribution: Attribution, chosen: IntArray) -> list[list[BlockedInJson]]:
    """Returns the longest places in which each chosen item (index into Items) blocked; none if none is known.

    Blocked time without an event or a snapshot of its own is not named here, and not estimated either.
    """
    if attribution.split is None or not all(capture.has(t) for t in ("stacks", "frames", "waits")):
        return [[] for _ in chosen]
    segments, suspension = attribution.segments, attribution.suspension
    mine = np.flatnonzero((segments.state == BLOCKED) & np.isin(segments.item, chosen))
    start, end, item = segments.start[mine], segments.end[mine], segments.item[mine]
    inside = np.rint(suspension.integral(start, end)).astype(np.int64)
    suspended = np.where(suspension.at(start) > 0, inside, 0)
    told = name_stretches(capture, attribution.items.worker[item], start, end, end - start - suspended, suspended)
    names = stack_names(capture, attribution)
    places: dict[int, dict[tuple[str | None, str, str], int]] = {int(i): defaultdict(int) for i in chosen}
    for at in np.flatnonzero(told.stack >= 0):
        path = names.path(int(told.stack[at]))
        known_by = "event" if told.origin[at] == EVENT else "snapshot"
        kind = kind_of(path, bool(told.lock[at]))
        places[int(item[at])][user_method(path), kind, known_by] += int(told.held[at])
    return [_longest(places[int(i)]) for i in chosen]


def _longest(places: dict[tuple[str | None, str, str], int]) -> list[BlockedInJson]:
    ranked = sorted(places.items(), key=lambda p: (-p[1], p[0][1], p[0][0] or "", p[0][2]))
    return [
        {"method": method, "kind": kind, "known_by": known_by, "ms": round(ns / NS_PER_MS, 6)}
        for (method, kind, known_by), ns in ranked[:SHOWN]
        if ns > 0
    ]
