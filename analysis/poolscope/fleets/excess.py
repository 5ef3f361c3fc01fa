"""The delay of every capture as arrays, and the excess delay of a group of captures with its significance.

The unit is the capture, because items of one capture are not independent. Captures are compared only with those of the
same service, because services wait differently for reasons of their own. For each cause and arm, the variance is pooled
over the services; the two arms may have different variances (Welch). A route is compared with the other routes of the
same captures, pair by pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.base import student
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.compare.judge import CONFIDENCE, ENOUGH_RUNS
from poolscope.fleets.row import Row
from poolscope.measures.requests.parts import PARTS
from poolscope.product.causes import CAUSES

ITEMS, REQUESTS = "items", "requests"
OF = {ITEMS: CAUSES, REQUESTS: PARTS}
"""The parts of each delay."""


@dataclass(frozen=True)
class Delays:
    """The number of items or requests, shape (captures,), and their summed delay in s, shape (captures, causes)."""

    count: FloatArray
    seconds: FloatArray


@dataclass(frozen=True)
class Figures:
    """All captures of a fleet."""

    service: IntArray
    """The service of each capture, shape (captures,). Captures are compared only within a service."""
    whole: dict[str, Delays]
    """By ITEMS and REQUESTS. Captures without a kernel stream have none, because their waits are not split."""
    routes: dict[tuple[int, str], Delays]
    """Figures of requests, by service and route."""

    @property
    def captures(self) -> int:
        return len(self.service)

    def without(self, state: State, of: str) -> Delays:
        """Returns the delays of the state: the requests of the routes that it excludes are subtracted from their
        captures."""
        own = self.whole[of]
        if of != REQUESTS or not state.without:
            return own
        left = [self.routes[route] for route in state.without]
        count = own.count - sum(one.count for one in left)
        return Delays(np.maximum(count, 0), np.maximum(own.seconds - sum(one.seconds for one in left), 0))


@dataclass(frozen=True)
class State:
    """The subset examined: some captures, without the requests of some routes."""

    mask: BoolArray
    without: frozenset[tuple[int, str]] = frozenset()


def figures_of(rows: Sequence[Row], services: Sequence[str]) -> Figures:
    """Collects the figures of all captures. `services` has the service of each row."""
    names, code = np.unique(np.array(services, dtype=object).astype(str), return_inverse=True)
    del names
    items = _empty(len(rows), CAUSES)
    requests = _empty(len(rows), PARTS)
    routes: dict[tuple[int, str], Delays] = {}
    for at, row in enumerate(rows):
        if "unknown" not in row.parts:
            items.count[at] = row.wait.count
            items.seconds[at] = [row.parts[c].total / NS_PER_S if c in row.parts else 0.0 for c in CAUSES]
        _add(requests, at, row.whole, row.parts_ns)
        for route in row.routes:
            own = routes.setdefault((int(code[at]), route.name), _empty(len(rows), PARTS))
            _add(own, at, route.whole, route.parts_ns)
    return Figures(np.asarray(code, dtype=np.int64), {ITEMS: items, REQUESTS: requests}, routes)


def _empty(rows: int, parts: Sequence[str]) -> Delays:
    return Delays(np.zeros(rows), np.zeros((rows, len(parts))))


def _add(delays: Delays, at: int, count: int, parts_ns: object) -> None:
    assert hasattr(parts_ns, "get")
    delays.count[at] += count
    delays.seconds[at] += [parts_ns.get(part, 0) / NS_PER_S for part in PARTS]


ROUTE = "route"


@dataclass(frozen=True)
class Group:
    """Captures that have one value of a key, or the requests of one route of one service."""

    key: str
    value: str
    mask: BoolArray
    """For a route, the captures that have it."""
    route: tuple[int, str] | None = None


@dataclass(frozen=True)
class Excess:
    """A group's delay by one cause, compared with the rest."""

    captures: int
    """Captures of the group that can be compared."""
    rest: int
    alone: int
    """Captures of the group without any to compare: their services run nowhere else."""
    group_ms: float
    """The mean delay of an item or request in the group; every capture has the same weight."""
    rest_ms: float
    error_ms: float
    """The standard error of the difference."""
    freedom: float
    seconds: float
    """The summed excess wait of the group's items or requests over the rest's mean, s."""

    @property
    def more_ms(self) -> float:
        return self.group_ms - self.rest_ms

    @cached_property
    def p(self) -> float:
        """The two-sided probability of a difference at least this large if the group were like the rest."""
        if self.error_ms == 0:
            return 1.0 if self.more_ms == 0 else 0.0
        return student.two_sided_p(self.more_ms / self.error_ms, self.freedom)

    @cached_property
    def interval_ms(self) -> tuple[float, float]:
        half = student.quantile((1 + CONFIDENCE) / 2, self.freedom) * self.error_ms
        return self.more_ms - half, self.more_ms + half


def excess(figures: Figures, group: Group, of: str, cause: int, state: State) -> Excess | None:
    """Returns the group's excess for a cause, an index into OF[of]. None if a side has fewer than ENOUGH_RUNS captures,
    or if their spread is unknown."""
    if group.route is not None:
        return _of_route(figures, group.route, cause, state) if of == REQUESTS else None
    delays = figures.without(state, of)
    known = state.mask & (delays.count > 0)
    mean = np.divide(delays.seconds[:, cause], delays.count, out=np.zeros(len(known)), where=delays.count > 0)
    ours, rest = known & group.mask, known & ~group.mask
    strata = int(figures.service.max()) + 1
    n_rest = np.bincount(figures.service[rest], minlength=strata)
    alone = ours & (n_rest[figures.service] == 0)
    ours &= ~alone
    n_ours = np.bincount(figures.service[ours], minlength=strata)
    rest &= n_ours[figures.service] > 0
    n_rest = np.where(n_ours > 0, n_rest, 0)
    if min(int(n_ours.sum()), int(n_rest.sum())) < ENOUGH_RUNS:
        return None
    weight = n_ours / n_ours.sum()
    mean_ours, var_ours, free_ours = _pooled(mean, figures.service, ours, n_ours)
    mean_rest, var_rest, free_rest = _pooled(mean, figures.service, rest, n_rest)
    if free_ours < 1 or free_rest < 1:
        return None
    used = n_ours > 0
    a = var_ours * float((weight[used] ** 2 / n_ours[used]).sum())
    b = var_rest * float((weight[used] ** 2 / n_rest[used]).sum())
    scale = a * a / free_ours + b * b / free_rest
    beyond = (mean - mean_rest[figures.service])[ours] * delays.count[ours]
    return Excess(
        captures=int(n_ours.sum()),
        rest=int(n_rest.sum()),
        alone=int(alone.sum()),
        group_ms=1e3 * float((weight * mean_ours).sum()),
        rest_ms=1e3 * float((weight * mean_rest).sum()),
        error_ms=1e3 * math.sqrt(a + b),
        freedom=(a + b) ** 2 / scale if scale > 0 else float(free_ours + free_rest),
        seconds=float(beyond.sum()),
    )


def _pooled(mean: FloatArray, service: IntArray, chosen: BoolArray, number: IntArray) -> tuple[FloatArray, float, int]:
    """Returns, for each service, the mean of the chosen captures (0 if there are none); their variance within services;
    and its degrees of freedom."""
    total = np.bincount(service[chosen], mean[chosen], minlength=len(number))
    centre = np.divide(total, number, out=np.zeros(len(number)), where=number > 0)
    freedom = int(number.sum() - (number > 0).sum())
    squares = float(((mean[chosen] - centre[service[chosen]]) ** 2).sum())
    return centre, squares / freedom if freedom else 0.0, freedom


def _of_route(figures: Figures, route: tuple[int, str], cause: int, state: State) -> Excess | None:
    """Compares the route's mean with the mean of the other routes, capture by capture."""
    if route in state.without:
        return None
    own = figures.routes[route]
    whole = figures.without(state, REQUESTS)
    others = whole.count - own.count
    known = state.mask & (own.count > 0) & (others > 0)
    number = int(known.sum())
    if number < ENOUGH_RUNS:
        return None
    ours = own.seconds[known, cause] / own.count[known]
    rest = np.maximum(whole.seconds[known, cause] - own.seconds[known, cause], 0) / others[known]
    more = ours - rest
    return Excess(
        captures=number,
        rest=number,
        alone=int((state.mask & (own.count > 0) & (others <= 0)).sum()),
        group_ms=1e3 * float(ours.mean()),
        rest_ms=1e3 * float(rest.mean()),
        error_ms=1e3 * float(more.std(ddof=1)) / math.sqrt(number),
        freedom=number - 1,
        seconds=float((more * own.count[known]).sum()),
    )
