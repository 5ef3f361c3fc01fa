"""Judges two sides by their difference in each quantity: longer, shorter, more, fewer, no change seen, cannot tell.

A difference is an estimate with its 95 % interval and the probability of chance alone. A comparison of single runs adds
the difference between unchanged runs to the uncertainty of the items. That difference is measured, not assumed:
`./build.sh bench compare` (docs/compare.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolscope.base import student
from poolscope.compare.of_requests import compared_requests
from poolscope.compare.quantity import QUANTITIES, Quantity, Scale
from poolscope.compare.run import ComparedRun, scaled
from poolscope.whatif.calibration import SMALL_MS

SHARE = 0.06
"""The standard deviation of a statistic from run to run, as a share of it."""
MS = 3.0
"""The standard deviation in ms, in addition to that share: the machine makes a wait of a few ms vary, whatever its
length."""
FREEDOM = 120.0
"""The degrees of freedom of the runs behind both measurements."""
REQUEST_SHARE = 0.5
"""The standard deviation of the latency of requests, as a share of it. A service that lacks threads differs far more
from run to run than an item's wait does: the growth of the pool decides (docs/measured/requests.md has the runs)."""
ANSWERED = 1.0
"""The standard deviation of the logarithm of the odds that a request is answered. Runs agree if all or no requests are
answered."""


def floor(q: Quantity, whole: float) -> float:
    """Returns the standard deviation from run to run, on the quantity's scale. `whole`: the statistic itself, ms; for a
    part, the mean that it belongs to; for a share, that share."""
    if q.scale is Scale.SHARE:
        return ANSWERED * whole * (1 - whole)
    ms = math.hypot((REQUEST_SHARE if q.of_requests else SHARE) * whole, MS)
    return ms if q.scale is Scale.DIFFERENCE else ms / max(whole, 1e-3)


CONFIDENCE = 0.95
ENOUGH_RUNS = 3
"""The number of captures on each side from which their own spread is used. Two captures have one degree of freedom on
each side: the interval would be four times as wide as that of three, and its width mere luck."""


@dataclass(frozen=True)
class Difference:
    """Side B minus side A on the quantity's scale: of logarithms, or in ms."""

    centre_a: float
    centre_b: float
    error: float
    """The standard error of the difference."""
    freedom: float
    """The degrees of freedom of that error."""

    @property
    def estimate(self) -> float:
        return self.centre_b - self.centre_a

    @cached_property
    def p(self) -> float:
        """The probability of a difference at least as large, either way, if nothing changed."""
        if self.error == 0:
            return 1.0 if self.estimate == 0 else 0.0
        return student.two_sided_p(self.estimate / self.error, self.freedom)

    @cached_property
    def interval(self) -> tuple[float, float]:
        half = student.quantile((1 + CONFIDENCE) / 2, self.freedom) * self.error
        return self.estimate - half, self.estimate + half


def enough(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> bool:
    """Returns whether both sides have enough runs to use their own spread."""
    return min(len(a), len(b)) >= ENOUGH_RUNS


def between_runs(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Compares by Welch's test: the unit is the run, and the sides may scatter differently. Needs at least two runs
    each."""
    variances = [float(np.var(side, ddof=1)) / len(side) for side in (a, b)]
    total = sum(variances)
    weights = sum(v * v / (len(side) - 1) for v, side in zip(variances, (a, b), strict=True))
    # Without any spread, any number of degrees of freedom will do.
    freedom = total * total / weights if weights > 0 else float(len(a) + len(b) - 2)
    return Difference(float(np.mean(a)), float(np.mean(b)), math.sqrt(total), freedom)


def single_runs(q: Quantity, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Difference:
    """Compares runs that are too few to show their spread. Each run counts with the uncertainty of its items, and
    with the measured floor of the difference between runs. Two runs on a side count with their own spread if that is
    larger."""
    sides = [[scaled(q, run.values[q.key]) for run in side] for side in (a, b)]
    variances = [
        float(np.mean([run.spread[q.key] ** 2 + floor(q, run.values[q.whole]) ** 2 for run in side])) for side in (a, b)
    ]
    shown = [float(np.var(values, ddof=1)) for values in sides if len(values) > 1]
    least = float(np.mean(shown)) if shown else 0.0
    error = math.sqrt(sum(max(v, least) / len(values) for v, values in zip(variances, sides, strict=True)))
    return Difference(float(np.mean(sides[0])), float(np.mean(sides[1])), error, FREEDOM)


def difference(q: Quantity, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Difference:
    """Compares by the runs if there are enough of them. Every run must have a value."""
    if enough(a, b):
        return between_runs(*([scaled(q, run.values[q.key]) for run in side] for side in (a, b)))
    return single_runs(q, a, b)


def in_ms(q: Quantity, centre: float) -> float:
    """Returns a centre as a duration; for logarithms, the geometric mean."""
    return math.exp(centre) if q.scale is Scale.RATIO else centre


LONGER, SHORTER, NO_CHANGE, CANNOT_TELL = "longer", "shorter", "no change seen", "cannot tell"
MORE, FEWER = "more", "fewer"
"""The verdicts on a share of requests."""
WORSE, BETTER = (LONGER, FEWER), (SHORTER, MORE)

FALSE_SHARE = 0.05
"""The share of comparisons of equal sides that may report a change anywhere."""
LEAST_SHARE = 0.01
"""Changes by a smaller share are not reported: runs on fixed threads repeat to 0.1 %, so that statistics exclude chance
long before a change matters."""
LEAST_MS = 0.01
"""Changes by fewer ms are not reported: events are a few microseconds off (`poolscope verify` shows how many)."""
WITHIN = 0.25
"""The change that `no change seen` rules out: the interval lies within a quarter, either way."""
SHARE_WITHIN = 0.05
"""The change of a share that `no change seen` rules out: one request in twenty, either way."""
MOST_RUNS = 99
_NOT_SHOWN = "a change by a quarter would not have shown"
_SHARE_NOT_SHOWN = "a change by one request in twenty would not have shown"
TOO_WIDE = f"the runs differ too much among themselves: {_NOT_SHOWN}"
TOO_FEW = f"{_NOT_SHOWN}; three captures of each side or more tell how much runs differ"


@dataclass(frozen=True)
class Row:
    """One judged quantity. Durations are ms (shares if the quantity is a share), changes are shares of side A."""

    quantity: Quantity
    verdict: str
    reason: str
    """Why the row cannot be reported, or why a difference does not count; otherwise empty."""
    needed: str
    """The number of captures of each side that would decide; empty if the row is decided, or if more captures would not
    help."""
    difference: Difference | None
    """None if it could not be computed."""
    whole_ms: float
    """Side A's mean that the row is a part of, or its own centre."""
    at_least: tuple[str, ...] = ()
    """The sides, "a" and "b", with only a lower bound."""

    @property
    def a_ms(self) -> float | None:
        return None if self.difference is None else in_ms(self.quantity, self.difference.centre_a)

    @property
    def b_ms(self) -> float | None:
        return None if self.difference is None else in_ms(self.quantity, self.difference.centre_b)

    @cached_property
    def change_ms(self) -> tuple[float, float, float] | None:
        """The estimate, and the ends of the interval."""
        if self.difference is None or self.a_ms is None:
            return None
        three = (self.difference.estimate, *self.difference.interval)
        if self.quantity.scale is not Scale.RATIO:
            return three
        estimate, low, high = (self.a_ms * (_exp(value) - 1) for value in three)
        return estimate, low, high

    @cached_property
    def change_share(self) -> tuple[float, float, float] | None:
        """The change as shares of `whole_ms`; None if that is zero, or the quantity is a share."""
        if self.change_ms is None or self.whole_ms <= 0 or self.quantity.scale is Scale.SHARE:
            return None
        estimate, low, high = (value / self.whole_ms for value in self.change_ms)
        return estimate, low, high


def judge(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> list[Row]:
    """Returns a row for every quantity that any capture has, in the order of QUANTITIES, with requests after them."""
    rows: list[Row] = []
    for q in (*QUANTITIES, *compared_requests([run.requests for run in (*a, *b) if run.requests])):
        if why := _missing(q, a, b):
            rows.append(Row(q, CANNOT_TELL, why, "", None, 0.0))
            continue
        found = difference(q, a, b)
        whole = in_ms(q, found.centre_a) if q.whole == q.key else sum(run.values[q.whole] for run in a) / len(a)
        bounds = tuple(name for name, side in (("a", a), ("b", b)) if any(q.key in run.at_least for run in side))
        rows.append(Row(q, "", "", "", found, whole, bounds))
    passed = passing([row.difference.p for row in rows if row.difference])
    return [row if row.difference is None else _judged(row, row.difference.p <= passed, a, b) for row in rows]


def _missing(q: Quantity, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> str:
    """Returns why a quantity cannot be compared, from the first run without it; empty if it can."""
    return next((f"{run.name}: {why}" for run in (*a, *b) if (why := run.lacks(q))), "")


def passing(p: Sequence[float]) -> float:
    """Returns the largest p that counts, by Benjamini and Hochberg's procedure: the k smallest count if the k-th is at
    most k/n of FALSE_SHARE. If nothing changed, FALSE_SHARE is the chance that any row passes, not the chance for each
    row. If everything changed, no row is judged more strictly than alone."""
    ordered = sorted(p)
    count = len(ordered)
    return max((value for k, value in enumerate(ordered, 1) if value <= FALSE_SHARE * k / count), default=-1.0)


def _judged(row: Row, passed: bool, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> Row:
    change = row.change_ms
    assert change is not None and row.difference is not None
    estimate, low, high = change
    share = row.quantity.scale is Scale.SHARE
    slight = abs(estimate) < (LEAST_SHARE if share else max(LEAST_SHARE * row.whole_ms, LEAST_MS))
    up, down = (MORE, FEWER) if share else (LONGER, SHORTER)
    bound_a, bound_b = ("a" in row.at_least), ("b" in row.at_least)
    noun = (
        "requests were still without an answer" if row.quantity.of_requests else "items were still waiting or running"
    )

    def said(verdict: str, reason: str = "", needed: str = "") -> Row:
        return replace(row, verdict=verdict, reason=reason, needed=needed)

    if passed and not slight:
        # A lower bound decides if every larger value gives the same verdict.
        if bound_a if estimate > 0 else bound_b:
            return said(CANNOT_TELL, _bound("A" if estimate > 0 else "B", noun))
        return said(up if estimate > 0 else down)
    if bound_a or bound_b:
        return said(CANNOT_TELL, _bound("A" if bound_a else "B", noun))
    if not _is_narrow(row):
        few = not enough(a, b)
        why = TOO_FEW if few else TOO_WIDE
        if share:
            why = why.replace(_NOT_SHOWN, _SHARE_NOT_SHOWN)
        return said(CANNOT_TELL, why, "" if few else _needed(row, a, b))
    if slight or low <= 0 <= high:
        return said(NO_CHANGE, f"less than {LEAST_SHARE:.0%}" if passed else "")
    return said(CANNOT_TELL, "with this many rows, one differs this much by chance")


def _is_narrow(row: Row) -> bool:
    """Returns whether a change by WITHIN, or by more than a negligible amount, would have shown."""
    assert row.difference is not None and row.change_ms is not None
    _, low, high = row.change_ms
    if row.quantity.scale is Scale.SHARE:
        return max(-low, high) <= SHARE_WITHIN
    if max(-low, high) <= SMALL_MS:
        return True
    if row.quantity.scale is Scale.RATIO:
        return max(abs(end) for end in row.difference.interval) <= math.log1p(WITHIN)
    return max(-low, high) <= WITHIN * row.whole_ms


def _bound(side: str, noun: str) -> str:
    return f"side {side} has only a lower bound: {noun} at the end"


def _needed(row: Row, a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> str:
    """Returns the number of captures of each side at which the interval would be narrow, if runs keep differing like
    these."""
    assert row.difference is not None
    one = row.difference.error / math.sqrt(1 / len(a) + 1 / len(b))
    wanted = {Scale.RATIO: math.log1p(WITHIN), Scale.DIFFERENCE: WITHIN * row.whole_ms, Scale.SHARE: SHARE_WITHIN}[
        row.quantity.scale
    ]
    for runs in range(min(len(a), len(b)) + 1, MOST_RUNS + 1):
        if student.quantile((1 + CONFIDENCE) / 2, 2 * runs - 2) * one * math.sqrt(2 / runs) <= wanted:
            return f"about {runs}"
    return f"over {MOST_RUNS}"


def _exp(value: float) -> float:
    """Returns e to the value, with a limit: the interval of two very different runs may end beyond every number."""
    return math.exp(min(value, 700.0))
