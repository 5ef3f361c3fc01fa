"""Other differences between the sides: a longer wait is due to the change only if nothing else changed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.runtimes import major
from poolscope.base.units import NS_PER_S
from poolscope.compare.comparison_json import ConditionJson, Known
from poolscope.product import Analysis

WORDS: dict[str, str] = {
    "command": "command",
    "runtime": "runtime",
    "architecture": "architecture",
    "host": "host",
    "kernel": "kernel",
    "cores": "cores allowed",
    "quota": "CPU quota",
    "min_threads": "minimum of threads",
    "max_threads": "maximum of threads",
    "pool": "pool",
    "items": "work items",
    "arrivals": "arrivals a second",
    "requests": "requests that came",
    "launched": "began",
    "tier": "kernel tier",
    "collector": "collector",
}
NUMBERS = {
    "quota": "{:g} CPUs",
    "min_threads": "{:,}",
    "max_threads": "{:,}",
    "items": "{:,.0f}",
    "arrivals": "{:,.4g}",
    "requests": "{:,.0f}",
}
"""The formats of numbers."""
LOAD = ("items", "arrivals", "requests")
"""Numbers that vary from run to run and are compared by their means."""
LOAD_TOLERANCE = 0.05
"""The relative difference up to which loads are equal: timers and load generators are no more exact."""
STEADY = 0.5
"""The part of the window that arrivals must span for a rate: items that are all queued at once have none."""


@dataclass(frozen=True)
class ChangedCondition:
    """A condition that differs between captures."""

    key: str
    a: tuple[str, ...]
    """The distinct values of the captures of side A."""
    b: tuple[str, ...]
    between: bool
    """Whether the sides differ. Otherwise the captures of one side differ among each other, in the same way on both
    sides."""

    @property
    def words(self) -> str:
        return WORDS[self.key]

    def to_json(self) -> ConditionJson:
        return {"what": self.key, "between_sides": self.between, "a": list(self.a), "b": list(self.b)}


def conditions_of(analysis: Analysis) -> dict[str, Known]:
    """Returns the conditions of a capture, by the keys of WORDS. None: not known, or not available."""
    manifest, coverage, pool = analysis.capture.manifest, analysis.coverage, analysis.attribution.pool
    host, target, tool = manifest["host"], manifest["target"], manifest["tool"]
    items, requests = analysis.attribution.items, analysis.evidence.requests
    start, stop = analysis.capture.window
    command = target.get("command")
    return {
        "command": shlex.join(map(str, command)) if command else target.get("name"),
        "runtime": target.get("runtime"),
        "architecture": host.get("architecture"),
        "host": host.get("name"),
        "kernel": host.get("kernel"),
        "cores": target.get("cpus_allowed"),
        # Other tools do not record it, and then a missing quota is not the same as no quota.
        "quota": target.get("cpu_quota") or (None if manifest.get("made_from") else 0),
        "min_threads": None if pool.limits_known == "unknown" else int(pool.minimum.value[-1]),
        "max_threads": None if pool.limits_known == "unknown" else int(pool.maximum.value[-1]),
        "pool": coverage.pool,
        "items": items.count,
        "arrivals": _arrivals(items.enqueue, stop - start),
        "requests": None if requests is None else requests.count + len(requests.not_begun),
        "launched": coverage.launched,
        "tier": coverage.tier if coverage.scope in (None, "system") else f"{coverage.tier}, {coverage.scope}",
        "collector": f"{tool.get('name', '')} {tool.get('version', '')}".strip(),
    }


def _arrivals(enqueue: IntArray, window: int) -> float | None:
    """Returns items per second; None if they did not keep arriving."""
    if len(enqueue) < 2 or np.ptp(enqueue) < STEADY * window:
        return None
    return round((len(enqueue) - 1) / float(np.ptp(enqueue)) * NS_PER_S, 6)


def differing(a: Sequence[Mapping[str, Known]], b: Sequence[Mapping[str, Known]]) -> list[ChangedCondition]:
    """Returns the conditions that differ between captures; those that differ between the sides come first."""
    found = []
    for key in WORDS:
        of_a, of_b = [run.get(key) for run in a], [run.get(key) for run in b]
        numbers_a, numbers_b = _numbers(of_a), _numbers(of_b)
        if key in LOAD and numbers_a and numbers_b:
            means = float(np.mean(numbers_a)), float(np.mean(numbers_b))
            if abs(means[1] - means[0]) > LOAD_TOLERANCE * max(means):
                found.append(ChangedCondition(key, (said(key, means[0]),), (said(key, means[1]),), True))
            continue
        shown = [tuple(dict.fromkeys(said(key, value) for value in side)) for side in (of_a, of_b)]
        if len({*shown[0], *shown[1]}) > 1:
            found.append(ChangedCondition(key, shown[0], shown[1], set(shown[0]) != set(shown[1])))
    return sorted(found, key=lambda condition: not condition.between)


def across_runtimes(runtimes: Sequence[Known]) -> str | None:
    """Returns a sentence about figures that major versions of .NET make incomparable; None if all captures have one
    version, or none is known."""
    versions = sorted({version for runtime in runtimes if isinstance(runtime, str) and (version := major(runtime))})
    if len(versions) < 2:
        return None
    named = " and ".join(f".NET {version}" for version in versions)
    return (
        f"The captures ran on {named}. Versions of .NET may split the same work into different numbers of work items: "
        "do not compare items per request, or shares and means over items. Compare latencies of requests instead."
    )


def _numbers(values: Sequence[Known]) -> list[float]:
    """Returns the values, or none unless every one is a number."""
    numbers = [float(value) for value in values if isinstance(value, (int, float))]
    return numbers if len(numbers) == len(values) else []


def said(key: str, value: Known) -> str:
    """Returns a value in the form that people read."""
    if key == "launched":
        return "with the process" if value else "late, attached"
    if key == "quota" and value == 0:
        return "none"
    if key == "arrivals" and value is None:
        return "all at once"
    if key == "requests" and value is None:
        return "none seen"
    if key in NUMBERS and isinstance(value, (int, float)):
        return NUMBERS[key].format(value)
    return "not known" if value is None else str(value)
