"""The places of late requests over several captures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolscope.base.words import duration
from poolscope.compare.comparison_json import LatenessJson, PlaceJson, PlaceOfSideJson
from poolscope.findings.finding import Lateness, late_words, place_words

TOLD = 3
"""The number of places that an answer names."""

Key = tuple[str, str | None, str | None, str | None]
"""Unit, place, method and endpoint."""


@dataclass(frozen=True)
class Place:
    """The figures of one place in several captures."""

    captures: int
    """The number of captures with this place; the figures come from these."""
    late: int
    of: int | None
    """The number of all units; None: not known."""
    seconds: float


def places(found: Sequence[Lateness | None]) -> dict[Key, Place]:
    """Returns the places of these captures, costliest first. None stands for a capture without late requests."""
    by_key: dict[Key, list[Lateness]] = {}
    for one in found:
        if one is not None:
            by_key.setdefault((one.unit, one.place, one.method, one.endpoint), []).append(one)
    gathered = {key: _gathered(members) for key, members in by_key.items()}
    return dict(sorted(gathered.items(), key=lambda pair: (-pair[1].seconds, str(pair[0]))))


def _gathered(members: Sequence[Lateness]) -> Place:
    totals = [one.of for one in members if one.of is not None]
    return Place(
        captures=len(members),
        late=sum(one.late for one in members),
        of=sum(totals) if len(totals) == len(members) else None,
        seconds=sum(one.seconds for one in members),
    )


def late_json(late: Lateness | None) -> LatenessJson | None:
    """Returns the late requests of one capture as JSON."""
    if late is None:
        return None
    return {
        "place": late.place,
        "unit": late.unit,
        "late": late.late,
        "of": late.of,
        "seconds": round(late.seconds, 6),
        "method": late.method,
        "endpoint": late.endpoint,
    }


def places_json(a: Sequence[Lateness | None], b: Sequence[Lateness | None]) -> list[PlaceJson]:
    """Returns every place of either side, in order of its cost on both sides together, highest first."""
    of_a, of_b = places(a), places(b)
    rows: list[PlaceJson] = [
        {
            "place": place,
            "unit": unit,
            "method": method,
            "endpoint": endpoint,
            "a": _side_json(of_a.get((unit, place, method, endpoint))),
            "b": _side_json(of_b.get((unit, place, method, endpoint))),
        }
        for unit, place, method, endpoint in places([*a, *b])
    ]
    return rows


def _side_json(place: Place | None) -> PlaceOfSideJson:
    if place is None:
        return {"captures": 0, "late": 0, "of": None, "seconds": 0.0}
    return {"captures": place.captures, "late": place.late, "of": place.of, "seconds": round(place.seconds, 6)}


def figures(unit: str, place: Mapping[str, object]) -> str:
    """Returns the number of late units, and their total lateness."""
    late, of, seconds = place["late"], place["of"], place["seconds"]
    assert isinstance(late, int) and (of is None or isinstance(of, int)) and isinstance(seconds, (int, float))
    return f"{late_words(unit, late, of)}, {duration(1e3 * seconds)} in all"


def sentence(rows: Sequence[PlaceJson], a: int, b: int) -> str:
    """Returns the costliest places and the change of each; empty without any. `a`, `b`: the number of captures of each
    side."""
    said = [
        f"{place_words(row['unit'], row['place'], row['method'], row['endpoint'])}: "
        f"{_of_side(row['unit'], row['a'], a, 'A')}; {_of_side(row['unit'], row['b'], b, 'B')}."
        for row in rows[:TOLD]
    ]
    more = len(rows) - TOLD
    return " ".join([*said, *([f"{more} more {'place' if more == 1 else 'places'} below."] if more > 0 else [])])


def _of_side(unit: str, place: PlaceOfSideJson, captures: int, side: str) -> str:
    if not place["captures"]:
        return f"in none of side {side}"
    return f"{figures(unit, place)}, in {place['captures']} of {captures} captures of side {side}"
