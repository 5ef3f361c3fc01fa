"""The types of a comparison's JSON, which the page, the terminal and `--json` have in common."""

from __future__ import annotations

from typing import NotRequired, TypedDict, Union

from poolscope.contract.analysis_json import ToolJson

Known = Union[str, int, float, bool, None]
"""A condition of a capture. None: not known, or not to be had."""


class ConditionJson(TypedDict):
    """Something that is not the same in all captures."""

    what: str
    """A key of conditions.WORDS."""
    between_sides: bool
    a: list[str]
    b: list[str]


class RowJson(TypedDict):
    """One quantity. ms; each change is the estimate and the ends of its 95 % interval."""

    key: str
    """Of rows with a route the same as without."""
    http_method: str | None
    route: str | None
    """Whose requests these are; None: all requests, or items."""
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
    """For a quantity that is a share of the requests, 0..1, in place of what is ms; the change is B less A."""
    at_least: list[str]
    """Sides, `a` and `b`, of which only a lower bound is known: the change is one of the bounds then."""
    p: float | None
    freedom: float | None
    verdict: str
    reason: str | None
    captures_needed: str
    """How many captures of each side would tell; empty: not asked."""


class LatenessJson(TypedDict):
    """The late requests, activities, calls or messages of a capture, as its verdict has them."""

    place: str | None
    """The rule that found where they were; None: no event shows it."""
    unit: str
    """requests, activities, calls, or messages on connections that stay open."""
    late: int
    """Of messages: the connections."""
    of: int | None
    """All of them; None: not known."""
    seconds: float
    """What the place cost them, summed; without a place how much longer than usual they took."""
    method: str | None
    endpoint: str | None


class PlaceOfSideJson(TypedDict):
    """What the captures of one side have of a place."""

    captures: int
    """Those that have it; the figures are of these."""
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
    """Of which the web server told."""
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
    """By the key of a quantity; of requests those of all routes."""
    at_least: list[str]
    """Keys whose values are lower bounds."""
    wait_ms: dict[str, float]
    """By cause."""
    curve_ms: list[float | None]
    conditions: dict[str, Known]
    requests: RunRequestsJson | None
    """None if the web server reported none."""
    late: LatenessJson | None
    """None: its verdict speaks of work items."""


class ComparisonJson(TypedDict):
    """The whole comparison."""

    format: int
    tool: ToolJson
    text: str
    method: str
    notes: list[str]
    differs: list[ConditionJson]
    places: list[PlaceJson]
    """Where late requests were, costliest first; empty if no capture has any."""
    rows: list[RowJson]
    shares: list[float]
    """For the items, at which the curves are drawn."""
    a: list[RunJson]
    b: list[RunJson]
    redacted: NotRequired[dict[str, int]]
