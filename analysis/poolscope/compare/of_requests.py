"""The figures that a comparison keeps of a run's requests: the share answered, their latency and its parts, also by
route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import percent
from poolscope.compare.quantity import STATISTICS, Quantity, Scale, replicates
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import PARTS
from poolscope.measures.requests.routes import route_codes
from poolscope.product.requests import PART_WORDS

ROUTES_KEPT = 50
"""The number of costliest routes kept for a run, so that a compared route is among them in every run."""
ROUTES_COMPARED = 5
"""The number of routes compared, as many as the report shows: each is four more rows to judge."""
LEAST_TIED = 0.9
"""The least share of the reported requests that must be tied to their bytes. With fewer, the others decide the
figures."""
LEAST_PART = 0.01
"""The least share of a route's mean latency. A smaller part cannot have changed it, and each row makes the judgement of
the others stricter."""
FEW_UNANSWERED = 0.01
"""The share of unanswered requests up to which a mean counts as known, and the parts of the answered requests count as
those of all: as for items (run.py)."""
NOT_SEEN = "no request was seen"
NO_SOCKETS = {
    "followed": "no request could be tied to its bytes",
    "not_recorded": "the bytes of no request are known: that takes the kernel's socket events",
    "not_told": "Windows does not report when the bytes of a request arrived, or which thread read them",
}
"""The reason why the latency is unknown, by Requests.arrivals."""

Route = tuple[str, str]
"""The HTTP method and route."""


@dataclass(frozen=True)
class RunRequests:
    """The requests of one run. Durations are ms, shares 0..1."""

    count: int
    """Requests that the server reported."""
    tied: int
    answered: int
    waiting: int
    """Connections with data but no request begun."""
    unknown: str | None
    """Why the latency of requests is unknown; None: known."""
    values: Mapping[str, float]
    """Values by the key of a quantity."""
    at_least: frozenset[str]
    """Keys whose values are lower bounds."""
    unanswered: str | None
    """Why the parts of the mean latency are unknown; None: known."""
    routes: Mapping[Route, float]
    """The total time of the requests of each of the ROUTES_KEPT."""
    spread: Mapping[str, float]
    """The standard errors, as in ComparedRun.spread."""

    @property
    def came(self) -> int:
        """The number of reported requests, and of connections with data whose requests had not begun."""
        return self.count + self.waiting


def statistics_of(route: Route | None) -> list[Quantity]:
    """Returns the quantities for the latency of all requests, or of one route."""
    group, suffix = ("requests", "") if route is None else ("routes", " " + " ".join(route))
    keys = {name: f"request.{name}{suffix}" for name in STATISTICS}
    return [
        Quantity(key, f"{name} latency", group, Scale.RATIO, key, "request", name, route) for name, key in keys.items()
    ]


ANSWERED = Quantity("request.answered", "share answered", "requests", Scale.SHARE, "request.answered", "answered")


def parts_of(route: Route | None) -> list[Quantity]:
    """Returns the quantities for the parts of the mean latency of all requests, or of one route."""
    group, suffix = ("request parts", "") if route is None else ("route parts", " " + " ".join(route))
    return [
        Quantity(
            f"request.{part}{suffix}",
            PART_WORDS[part],
            group,
            Scale.DIFFERENCE,
            f"request.mean{suffix}",
            part,
            route=route,
        )
        for part in PARTS
    ]


def compared_requests(runs: list[RunRequests]) -> list[Quantity]:
    """Returns the quantities to compare for the requests of these runs, of both sides; none if no run has figures.

    Parts that are zero in every run are left out, and all parts if one run lacks them. The routes are the costliest of
    those that every run has; a single route is left out, because it repeats all requests. Parts of a route below
    LEAST_PART in every run are left out, and all its parts if one run has no answered request of the route.
    """
    told = [run for run in runs if run.unknown is None]
    if not told:
        return []
    has_parts = all(run.unanswered is None for run in told)
    parts = [q for q in parts_of(None) if has_parts and any(run.values[q.key] > 0 for run in told)]
    common = set.intersection(*(set(run.routes) for run in told))
    several = any(len(run.routes) > 1 for run in told)
    costliest = sorted(common, key=lambda route: (-sum(run.routes[route] for run in told), route))
    chosen = costliest[:ROUTES_COMPARED] if several else []
    by_route = [q for route in chosen for q in statistics_of(route)]
    route_parts = [q for route in chosen for q in parts_of(route) if has_parts and _counts(q, told)]
    return [ANSWERED, *statistics_of(None), *parts, *by_route, *route_parts]


def _counts(part: Quantity, runs: list[RunRequests]) -> bool:
    """Returns whether every run has a part of a route's latency, and at least one run has enough of it for a row."""
    return all(part.key in run.values for run in runs) and any(
        run.values[part.key] > LEAST_PART * run.values[part.whole] for run in runs
    )


def summarised_requests(requests: Requests | None, parts: RequestParts | None, spread: bool) -> RunRequests | None:
    """Returns the summary of a run's requests; None if the server reported none. `spread` also resamples them, which a
    comparison of single runs needs."""
    if requests is None:
        return None
    latency, open_ended, bounded = requests.latency, requests.unanswered, requests.at_least
    tied, waiting = int(requests.tied.sum()), len(requests.not_begun)
    values: dict[str, float] = {}
    at_least: set[str] = set()
    scatter: dict[str, float] = {}
    routes: dict[Route, float] = {}
    unanswered = None
    unknown = _unknown(requests.arrivals, requests.count, tied, len(latency))
    if unknown is None:
        order = np.argsort(requests.arrived_at, kind="stable")
        values[ANSWERED.key] = 1.0 - float(open_ended.mean())
        _latency(None, latency[order], bounded[order], spread, values, at_least, scatter)
        if spread:
            resampled = replicates({"answered": (~open_ended[order]).astype(np.int64)}, frozenset())
            scatter[ANSWERED.key] = float(np.std(resampled["answered"]["mean"], ddof=1))
        if open_ended.mean() > FEW_UNANSWERED or parts is None or len(parts.row) == 0:
            unanswered = (
                f"{percent(float(open_ended.mean()))} of the requests had no answer when the capture ended, and what "
                "their latency consists of is not known"
            )
        else:
            _parts(None, requests, parts, np.arange(len(parts.row)), spread, values, scatter)
        for route, chosen in _routes(requests).items():
            routes[route] = float(_latency_of_tied(requests)[chosen].sum())
            own = chosen[np.argsort(requests.arrived[chosen], kind="stable")]
            bounds = (requests.answered[own] < 0) | requests.early[own]
            _latency(route, _latency_of_tied(requests)[own], bounds, spread, values, at_least, scatter)
            if unanswered is None and parts is not None:
                whole = np.searchsorted(parts.row, chosen[requests.whole[chosen]])
                _parts(route, requests, parts, whole, spread, values, scatter)
    return RunRequests(
        count=requests.count,
        tied=tied,
        answered=int(requests.whole.sum()),
        waiting=waiting,
        unknown=unknown,
        values=values,
        at_least=frozenset(at_least),
        unanswered=unanswered,
        routes=routes,
        spread=scatter,
    )


def _unknown(arrivals: str, count: int, tied: int, known: int) -> str | None:
    if tied == 0 or known == 0:
        return NO_SOCKETS[arrivals]
    if tied < LEAST_TIED * count:
        return f"only {tied:,} of {count:,} requests could be tied to their bytes"
    return None


def _latency_of_tied(requests: Requests) -> IntArray:
    """Returns the latency, shape (requests,), ns; a lower bound for unanswered requests, 0 for those that are not
    tied."""
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    return np.where(requests.tied, until - requests.arrived, 0)


def _latency(
    route: Route | None,
    latency: IntArray,
    open_ended: BoolArray,
    spread: bool,
    values: dict[str, float],
    at_least: set[str],
    scatter: dict[str, float],
) -> None:
    """Adds the statistics of these requests, in order of arrival, at least one."""
    summary = summarise_ms(latency, open_ended)
    figures = {"mean": summary["mean"], "p50": summary["p50"], "p90": summary["p90"], "p99": summary["p99"]}
    found = replicates({"request": latency}, frozenset({"request"}))["request"] if spread else {}
    for q in statistics_of(route):
        values[q.key] = float(str(figures[q.statistic]))
        few = q.statistic == "mean" and open_ended.mean() <= FEW_UNANSWERED
        if q.statistic in summary["at_least"] and not few:
            at_least.add(q.key)
        if spread:
            scatter[q.key] = float(np.std(np.log(np.maximum(found[q.statistic], 1.0)), ddof=1))


def _parts(
    route: Route | None,
    requests: Requests,
    parts: RequestParts,
    chosen: IntArray,
    spread: bool,
    values: dict[str, float],
    scatter: dict[str, float],
) -> None:
    """Adds the means of these rows of RequestParts; nothing without rows."""
    if len(chosen) == 0:
        return
    order = chosen[np.argsort(requests.arrived[parts.row[chosen]], kind="stable")]
    found = replicates({name: part[order] for name, part in parts.part.items()}, frozenset()) if spread else {}
    for q in parts_of(route):
        values[q.key] = float(parts.part[q.duration][order].mean()) / NS_PER_MS
        if spread:
            scatter[q.key] = float(np.std(found[q.duration]["mean"] / NS_PER_MS, ddof=1))


def _routes(requests: Requests) -> dict[Route, IntArray]:
    """Returns the rows of the tied requests of each of the ROUTES_KEPT, costliest first."""
    tied: IntArray = np.flatnonzero(requests.tied)
    names, code = route_codes(requests.method[tied], requests.path[tied])
    cost: AnyArray = np.bincount(code, _latency_of_tied(requests)[tied], minlength=len(names))
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code, minlength=len(names)))
    rows = np.split(tied[order], ends[:-1])
    return {names[i]: rows[i] for i in np.argsort(-cost, kind="stable")[:ROUTES_KEPT].tolist()}
