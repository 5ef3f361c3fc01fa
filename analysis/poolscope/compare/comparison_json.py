"""The types of a comparison's JSON, which the page, the terminal and `--json` share."""

from __future__ import annotations

from typing import NotRequired, TypedDict, Union

from poolscope.contract.analysis_json import ToolJson

Known = Union[str, int, float, bool, None]
"""A condition of a capture. None: not known, or not available."""


class ConditionJson(TypedDict):
    """A condition that differs between captures."""

    what: str
    """A key of conditions.WORDS."""
    between_sides: bool
    a: list[str]
    b: list[str]


class RowJson(TypedDict):
    """One quantity. Times are ms; each change is the estimate and the ends of its 95 % interval."""

    key: str
    """The key of the quantity. All routes of one quantity share it."""
    http_method: str | None
    route: str | None
    """The route of the requests; None: all requests, or items."""
    words: str
    group: str
    """A key of quantity.GROUPS."""
    a_ms: float | None
    b_ms: float | None
    change_ms: list[float] | None
    change_share: list[float] | None
    a_share: float | None
    b_share: float | None
    change_points: list[float] | None
    """B minus A, for a quantity that is a share of the requests, 0..1. It has shares in place of the fields in ms."""
    at_least: list[str]
    """The sides, `a` and `b`, with only a lower bound; the change is then a bound, too."""
    p: float | None
    freedom: float | None
    verdict: str
    reason: str | None
    captures_needed: str
    """The number of captures of each side that would decide; empty: not estimated."""


class LatenessJson(TypedDict):
    """The late requests, activities, calls or messages of a capture, as in its verdict."""

    place: str | None
    """The rule that found the place of the delay; None: no event shows it."""
    unit: str
    """requests, activities, calls, or messages on connections that stay open."""
    late: int
    """The number of late units; for messages, the number of connections."""
    of: int | None
    """The number of all units; None: not known."""
    seconds: float
    """The summed time that the place cost them; without a place, the summed time beyond the usual."""
    method: str | None
    endpoint: str | None


class PlaceOfSideJson(TypedDict):
    """The figures of one place in the captures of one side."""

    captures: int
    """The number of captures with this place; the figures come from these."""
    late: int
    of: int | None
    seconds: float


class PlaceJson(TypedDict):
    """A place of late requests, on both sides."""

    place: str | None
    unit: str
    method: str | None
    endpoint: str | None
    a: PlaceOfSideJson
    b: PlaceOfSideJson


class RunRequestsJson(TypedDict):
    """The requests of a capture."""

    count: int
    """The requests that the web server reported."""
    tied: int
    answered: int
    waiting: int
    """Connections with data but no request begun."""


class RunJson(TypedDict):
    """One capture."""

    name: str
    start_utc: str
    items: int
    verdict: str
    values_ms: dict[str, float]
    """Values by the key of a quantity; for requests, those of all routes."""
    at_least: list[str]
    """Keys whose values are lower bounds."""
    wait_ms: dict[str, float]
    """The mean wait by cause."""
    curve_ms: list[float | None]
    conditions: dict[str, Known]
    requests: RunRequestsJson | None
    """None if the web server reported none."""
    late: LatenessJson | None
    """None if the verdict is about work items."""


class ComparisonJson(TypedDict):
    """The whole comparison."""

    format: int
    tool: ToolJson
    text: str
    method: str
    notes: list[str]
    differs: list[ConditionJson]
    places: list[PlaceJson]
    """The places of late requests, costliest first; empty if no capture has any."""
    rows: list[RowJson]
    shares: list[float]
    """The shares of the items at which the curves are drawn."""
    a: list[RunJson]
    b: list[RunJson]
    redacted: NotRequired[dict[str, int]]
