"""The answer to a fleet's question, computed once for page, terminal, table and library.

It has the findings in the rows, the captures that no group explains, and how services changed from version to version
(by the statistics of `poolscope compare`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.base.sketch import Sketch, merged
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.compare.comparison import Comparison, compare_runs
from poolscope.compare.judge import ENOUGH_RUNS
from poolscope.fleets.excess import Figures, figures_of
from poolscope.fleets.keys import NO_VALUE, SERVICE, VERSION, keys_of, service
from poolscope.fleets.ranking import Ranked, groups_of, rank
from poolscope.fleets.row import Failed, Row
from poolscope.product.causes import FLOOR_MS

SHOWN = ("wait.mean", "wait.p99", "completion.mean", "request.mean", "request.p99")
"""Quantities that a step reports, if it has them."""


@dataclass(frozen=True)
class Version:
    """The captures of one version of a service."""

    name: str
    first_utc: str
    captures: int
    left_out: int
    """The number of captures that a row of the ranking explains by another cause. They are not compared."""
    wait: Sketch
    latency: Sketch


@dataclass(frozen=True)
class Step:
    """The change from one version to the next."""

    before: str
    after: str
    found: Comparison | None
    """None if a side has fewer than ENOUGH_RUNS captures."""


@dataclass(frozen=True)
class Trend:
    """The versions of one service."""

    service: str
    versions: list[Version]
    """In the order in which they were first recorded."""
    steps: list[Step]


def trends(rows: Sequence[Row], explained: Collection[int]) -> list[Trend]:
    """Returns the trend of each service with two or more versions. `explained` has the indices of captures that a cause
    other than their version explains."""
    by_service: dict[str, dict[str, list[int]]] = {}
    for at, row in enumerate(rows):
        version = row.labels.get("version", NO_VALUE)
        if version != NO_VALUE:
            by_service.setdefault(service(row), {}).setdefault(version, []).append(at)
    found = []
    for name, of_versions in sorted(by_service.items()):
        if len(of_versions) < 2:
            continue
        ordered = sorted(
            of_versions, key=lambda version: (min(rows[at].start_utc for at in of_versions[version]), version)
        )
        kept = {version: [rows[at] for at in of_versions[version] if at not in explained] for version in ordered}
        versions = [
            Version(
                name=version,
                first_utc=min(rows[at].start_utc for at in of_versions[version]),
                captures=len(kept[version]),
                left_out=len(of_versions[version]) - len(kept[version]),
                wait=merged(row.wait for row in kept[version]),
                latency=merged(row.latency for row in kept[version] if row.latency is not None),
            )
            for version in ordered
        ]
        steps = [_step(a, b, kept[a], kept[b]) for a, b in zip(ordered, ordered[1:], strict=False)]
        found.append(Trend(name, versions, steps))
    return found


def _step(before: str, after: str, a: Sequence[Row], b: Sequence[Row]) -> Step:
    runs = [[row.run for row in side if "wait.mean" in row.run.values] for side in (a, b)]
    if min(map(len, runs)) < ENOUGH_RUNS:
        return Step(before, after, None)
    return Step(before, after, compare_runs(*runs))


FAR = 3.5
"""The modified z above which a value is an outlier (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)."""
SCALE = 0.6745
"""The median absolute deviation of a normal distribution as a share of its standard deviation."""
LEAST = 8
"""The fewest captures of a service among which one can be called an outlier."""
LEAST_SPREAD = 0.05
"""The least spread of the logarithm. If runs repeat to within a few per cent, a tenth more is no outlier."""


@dataclass(frozen=True)
class Outlier:
    """A capture that waited unusually long."""

    row: Row
    z: float
    mean_ms: float
    usual_ms: float
    """The median of the means of its service's captures."""
    seconds: float
    """The summed wait of its items beyond the usual, seconds."""


def find_outliers(rows: Sequence[Row], explained: Collection[int]) -> list[Outlier]:
    """Finds the captures that waited longer than usual, largest excess first. `explained` has the indices of captures
    that the ranking explains."""
    found: list[Outlier] = []
    by_service: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.wait.count and at not in explained:
            by_service.setdefault(service(row), []).append(at)
    for members in by_service.values():
        if len(members) < LEAST:
            continue
        ms = np.array([rows[at].wait.mean / NS_PER_MS for at in members])
        scaled = np.log(np.maximum(ms, FLOOR_MS))
        middle = float(np.median(scaled))
        spread = max(float(np.median(np.abs(scaled - middle))), LEAST_SPREAD)
        z = SCALE * (scaled - middle) / spread
        usual = float(np.median(ms))
        for number in np.flatnonzero((z > FAR) & (ms - usual >= 1.0)).tolist():
            row = rows[members[number]]
            beyond = (row.wait.mean - usual * NS_PER_MS) * row.wait.count / NS_PER_S
            found.append(Outlier(row, float(z[number]), float(ms[number]), usual, beyond))
    return sorted(found, key=lambda one: (-one.seconds, one.row.source))


@dataclass(frozen=True)
class FleetAnswer:
    """The rows of all captures, and the conclusions from them together."""

    rows: tuple[Row, ...]
    failed: tuple[Failed, ...]
    late_ms: float
    group_by: tuple[str, ...] = ()
    """Keys in addition to those by which every fleet is grouped."""

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The value of each row, by key."""
        return keys_of(self.rows, self.group_by)

    @cached_property
    def figures(self) -> Figures:
        return figures_of(self.rows, self.values[SERVICE])

    @cached_property
    def ranking(self) -> list[Ranked]:
        return rank(self.figures, groups_of(self.figures, self.values)) if self.rows else []

    @cached_property
    def outliers(self) -> list[Outlier]:
        every = {int(at) for row in self.ranking if row.candidate.group.route is None for at in row.captures}
        return find_outliers(self.rows, every)

    @cached_property
    def trends(self) -> list[Trend]:
        other = {
            int(at)
            for row in self.ranking
            if row.candidate.group.key != VERSION
            and row.candidate.group.route is None
            and all(group.key != VERSION for group in (*row.same_as, *([row.only_with] if row.only_with else [])))
            for at in row.captures
        }
        return trends(self.rows, other)


def gather(found: Sequence[Row | Failed], late_ms: float, group_by: Sequence[str] = ()) -> FleetAnswer:
    """Returns the answer from the results of `ask`. Raises InvalidArgument for a key that no capture has."""
    rows = tuple(one for one in found if isinstance(one, Row))
    failed = tuple(one for one in found if isinstance(one, Failed))
    answer = FleetAnswer(rows, failed, late_ms, tuple(group_by))
    if rows:
        answer.values  # noqa: B018 - says at once that a key is misspelt
    return answer
