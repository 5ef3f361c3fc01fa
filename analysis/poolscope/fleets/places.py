"""The places of late requests over the captures of a fleet, and the code that held threads, by method and kind of wait
and as one prefix tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from poolscope.compare.places import TOLD, figures, late_json, places
from poolscope.findings.finding import Lateness, place_words
from poolscope.fleets.keys import service
from poolscope.fleets.row import Row

PLACES = 50
"""The most places, and the most captures, in the answer, costliest first."""


def places_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Returns each place with its figures, its services and its costliest captures, costliest first."""
    found: list[dict[str, object]] = []
    for key, place in places([row.run.late for row in rows]).items():
        mine = [row for row, late in late_rows(rows) if (late.unit, late.place, late.method, late.endpoint) == key]
        unit, name, method, endpoint = key
        found.append(
            {
                "place": name,
                "unit": unit,
                "method": method,
                "endpoint": endpoint,
                "captures": place.captures,
                "late": place.late,
                "of": place.of,
                "seconds": round(place.seconds, 6),
                "services": sorted({service(row) for row in mine}),
            }
        )
    return found[:PLACES]


def captures_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Returns the late requests of each capture that has some, costliest first."""
    return [
        {"source": row.source, "confidence": row.confidence, **(late_json(row.run.late) or {})}
        for row, _ in late_rows(rows)[:PLACES]
    ]


def late_rows(rows: Sequence[Row]) -> list[tuple[Row, Lateness]]:
    """Returns the captures with late requests, costliest first."""
    found = [(row, row.run.late) for row in rows if row.run.late is not None]
    return sorted(found, key=lambda pair: (-pair[1].seconds, pair[0].source))


def sentence(rows: Sequence[Row]) -> str:
    """Returns the costliest places as text. Empty if there are none."""
    found = places([row.run.late for row in rows])
    said = []
    for (unit, name, method, endpoint), place in list(found.items())[:TOLD]:
        told = figures(unit, vars(place))
        said.append(
            f"{place_words(unit, name, method, endpoint)}: {told}, in {place.captures} of {len(rows)} captures."
        )
    more = len(found) - TOLD
    return " ".join([*said, *([f"{more} more {'place' if more == 1 else 'places'} below."] if more > 0 else [])])


METHODS = 30
"""The most methods named, costliest first; the others are counted."""
NODES = 300
"""The most nodes of the tree, largest first. The time of the others stays with their callers."""


def costliest_code(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Sums thread-seconds by method, kind of wait and call, largest first, without unnamed methods."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        for one in row.blame:
            if one["method"] is None:
                continue
            held = cast(float, one["thread_s"])
            key = (str(one["method"]), str(one["kind"]), str(one["call"] or ""))
            mine = found.setdefault(
                key,
                {
                    "thread_s": 0.0,
                    "estimated_s": 0.0,
                    "most": -1.0,
                    "captures": 0,
                    "services": {},
                    "file": None,
                    "line": None,
                },
            )
            mine["thread_s"] += held
            mine["estimated_s"] += cast(float, one["estimated_s"])
            mine["captures"] += 1
            mine["services"][service(row)] = mine["services"].get(service(row), 0.0) + held
            if held > mine["most"] and one["file"]:
                mine |= {"most": held, "file": one["file"], "line": one["line"]}
    total = sum(cast(float, one["thread_s"]) for row in rows for one in row.blame)
    ordered = sorted(found.items(), key=lambda pair: (-pair[1]["thread_s"], pair[0]))
    return [
        {
            "method": method,
            "kind": kind,
            "call": call or None,
            "file": mine["file"],
            "line": mine["line"],
            "thread_s": round(mine["thread_s"], 6),
            "estimated_s": round(mine["estimated_s"], 6),
            "share": round(mine["thread_s"] / total, 6) if total else 0.0,
            "captures": mine["captures"],
            "services": sorted(mine["services"], key=lambda name: (-mine["services"][name], name)),
        }
        for (method, kind, call), mine in ordered
    ]


def first_code(rows: Sequence[Row]) -> dict[str, object] | None:
    """Returns the costliest method of these captures, or None if no method is known."""
    return next(iter(costliest_code(rows)), None)


def merged_tree(rows: Sequence[Row]) -> dict[str, object] | None:
    """Returns all trees as one, callers before their callees, by time. None if no capture has a tree.

    The keys are `frame` (the name), `parent` (-1 for the start of the thread), `self_s` and `total_s` (thread-seconds),
    and `captures`.
    """
    parent, frame, alone, seen = [-1], ["all threads"], [0.0], [0]
    index: dict[tuple[int, str], int] = {}
    for row in rows:
        if row.tree is None:
            continue
        seen[0] += 1
        _add_tree(row.tree, index, parent, frame, alone, seen)
    if len(frame) == 1:
        return None
    total = list(alone)
    for at in range(len(frame) - 1, 0, -1):
        total[parent[at]] += total[at]
    keep = sorted(sorted(range(len(frame)), key=lambda at: (-total[at], at))[:NODES])
    place = {at: number for number, at in enumerate(keep)}
    for at in range(len(frame) - 1, 0, -1):
        if at not in place:
            alone[parent[at]] += alone[at]
    return {
        "frame": [frame[at] for at in keep],
        "parent": [place[parent[at]] if at else -1 for at in keep],
        "self_s": [round(alone[at] / 1e3, 6) for at in keep],
        "total_s": [round(total[at] / 1e3, 6) for at in keep],
        "captures": [seen[at] for at in keep],
        "left_out": len(frame) - len(keep),
    }


def _add_tree(
    tree: Mapping[str, object],
    index: dict[tuple[int, str], int],
    parent: list[int],
    frame: list[str],
    alone: list[float],
    seen: list[int],
) -> None:
    """Adds one capture's tree. New nodes are numbered in order of first occurrence, so callers come first in the merged
    tree too."""
    names = cast(list[str], tree["frames"])
    nodes = zip(
        cast(list[int], tree["parent"]), cast(list[int], tree["frame"]), cast(list[float], tree["self_ms"]), strict=True
    )
    place: list[int] = []
    met: set[int] = set()
    for above, name, ms in nodes:
        key = (place[above] if above >= 0 else 0, names[name])
        at = index.get(key)
        if at is None:
            at = index[key] = len(frame)
            parent.append(key[0])
            frame.append(key[1])
            alone.append(0.0)
            seen.append(0)
        place.append(at)
        alone[at] += ms
        if at not in met:
            met.add(at)
            seen[at] += 1
