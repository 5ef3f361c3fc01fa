"""How a service changed from version to version, by the statistics of `poolscope compare`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from poolscope.base.sketch import Sketch, merged
from poolscope.compare.comparison import Comparison, compare_runs
from poolscope.compare.difference import ENOUGH_RUNS
from poolscope.fleets.keys import NO_VALUE, service
from poolscope.fleets.row import Row

SHOWN = ("wait.mean", "wait.p99", "completion.mean", "request.mean", "request.p99")
"""Quantities that a step names, if it has them."""


@dataclass(frozen=True)
class Version:
    """The captures of one version of a service."""

    name: str
    first_utc: str
    captures: int
    left_out: int
    """Captures that a row of the ranking explains by something else, and that are not compared."""
    wait: Sketch
    latency: Sketch


@dataclass(frozen=True)
class Step:
    """From one version to the next one."""

    before: str
    after: str
    found: Comparison | None
    """None: fewer than ENOUGH_RUNS captures on a side."""


@dataclass(frozen=True)
class Trend:
    """One service."""

    service: str
    versions: list[Version]
    """In the order in which they were first recorded."""
    steps: list[Step]


def trends(rows: Sequence[Row], explained: Collection[int]) -> list[Trend]:
    """Finds the trend of each service with two versions or more. `explained` has the indices of captures with a cause
    that is not their version."""
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
