"""One capture of a comparison as JSON, to be sent and cached."""

from __future__ import annotations

from collections.abc import Mapping

from poolscope.compare.of_requests import RunRequests
from poolscope.compare.places import late_json
from poolscope.compare.run import ComparedRun
from poolscope.findings.finding import PLACE_WORDS, Lateness


def run_to_json(run: ComparedRun) -> dict[str, object]:
    """Returns the values that trends over versions compare. Leaves out `spread` and `curve`: a trend with enough runs
    on each side does not need them, and any other trend has no result."""
    asked = run.requests
    return {
        "name": run.name,
        "start_utc": run.start_utc,
        "items": run.items,
        "verdict": run.verdict,
        "values": dict(run.values),
        "at_least": sorted(run.at_least),
        "unknown": dict(run.unknown),
        "conditions": dict(run.conditions),
        "waits": dict(run.waits),
        "late": late_json(run.late),
        "requests": None
        if asked is None
        else {
            "count": asked.count,
            "tied": asked.tied,
            "answered": asked.answered,
            "waiting": asked.waiting,
            "unknown": asked.unknown,
            "unanswered": asked.unanswered,
            "routes": [[method, route, cost] for (method, route), cost in asked.routes.items()],
        },
    }


def run_from_json(content: object) -> ComparedRun:
    """Returns the run that `run_to_json` wrote. Raises ValueError for any other content."""
    told = _object(content)
    values = _figures(told.get("values"))
    at_least = frozenset(_texts(told.get("at_least")))
    asked = told.get("requests")
    conditions = _object(told.get("conditions"))
    if not all(value is None or isinstance(value, (str, int, float)) for value in conditions.values()):
        raise ValueError("a condition is no single value")
    return ComparedRun(
        name=_text(told.get("name")),
        start_utc=_text(told.get("start_utc")),
        items=_whole(told.get("items")),
        verdict=_text(told.get("verdict")),
        values=values,
        at_least=at_least,
        unknown={key: _text(why) for key, why in _object(told.get("unknown")).items()},
        spread={},
        conditions={
            key: value for key, value in conditions.items() if value is None or isinstance(value, (str, int, float))
        },
        waits=_figures(told.get("waits")),
        curve=(),
        requests=None if asked is None else _requests(_object(asked), values, at_least),
        late=None if told.get("late") is None else _late(_object(told.get("late"))),
    )


def _late(told: Mapping[str, object]) -> Lateness:
    place, of = _text_or_none(told.get("place")), told.get("of")
    if place is not None and place not in PLACE_WORDS:
        raise ValueError(f"{place} is no place")
    return Lateness(
        unit=_text(told.get("unit")),
        late=_whole(told.get("late")),
        of=None if of is None else _whole(of),
        place=place,
        seconds=_figure(told.get("seconds")),
        method=_text_or_none(told.get("method")),
        endpoint=_text_or_none(told.get("endpoint")),
    )


def _requests(told: Mapping[str, object], values: Mapping[str, float], at_least: frozenset[str]) -> RunRequests:
    routes = told.get("routes")
    if not isinstance(routes, list) or not all(isinstance(row, list) and len(row) == 3 for row in routes):
        raise ValueError("routes are no list")
    return RunRequests(
        count=_whole(told.get("count")),
        tied=_whole(told.get("tied")),
        answered=_whole(told.get("answered")),
        waiting=_whole(told.get("waiting")),
        unknown=_text_or_none(told.get("unknown")),
        values={key: value for key, value in values.items() if key.startswith("request.")},
        at_least=frozenset(key for key in at_least if key.startswith("request.")),
        unanswered=_text_or_none(told.get("unanswered")),
        routes={(_text(method), _text(route)): _figure(cost) for method, route, cost in routes},
        spread={},
    )


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError("no object")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise ValueError("no list of texts")
    return [_text(one) for one in value]


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("no count")
    return value


def _figure(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("no figure")
    return float(value)


def _figures(value: object) -> dict[str, float]:
    return {key: _figure(one) for key, one in _object(value).items()}
