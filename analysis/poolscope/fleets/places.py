"""Where late requests were, over the captures of a fleet."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.compare.places import TOLD, figures, late_json, places
from poolscope.findings.lateness import Lateness, place_words
from poolscope.fleets.keys import service
from poolscope.fleets.row import Row

ROWS = 50
"""Places, and captures, of the answer: those that cost most."""


def places_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Returns each place with its figures, its services and its costliest captures; the costliest first."""
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
    return found[:ROWS]


def captures_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Returns the late requests of each capture that has some, the costliest first."""
    return [
        {"source": row.source, "confidence": row.confidence, **(late_json(row.run.late) or {})}
        for row, _ in late_rows(rows)[:ROWS]
    ]


def late_rows(rows: Sequence[Row]) -> list[tuple[Row, Lateness]]:
    """Returns the captures with late requests, the costliest first."""
    found = [(row, row.run.late) for row in rows if row.run.late is not None]
    return sorted(found, key=lambda pair: (-pair[1].seconds, pair[0].source))


def sentence(rows: Sequence[Row]) -> str:
    """Returns the costliest places; empty without any."""
    found = places([row.run.late for row in rows])
    said = []
    for (unit, name, method, endpoint), place in list(found.items())[:TOLD]:
        told = figures(unit, vars(place))
        said.append(
            f"{place_words(unit, name, method, endpoint)}: {told}, in {place.captures} of {len(rows)} captures."
        )
    more = len(found) - TOLD
    return " ".join([*said, *([f"{more} more {'place' if more == 1 else 'places'} below."] if more > 0 else [])])
