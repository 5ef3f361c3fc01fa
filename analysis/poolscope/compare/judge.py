"""From differences to verdicts: longer, shorter, more, fewer, no change seen, cannot tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from poolscope.base import student
from poolscope.compare.difference import CONFIDENCE, Difference, difference, enough, in_ms
from poolscope.compare.of_requests import compared_requests
from poolscope.compare.quantity import QUANTITIES, Quantity, Scale
from poolscope.compare.run import ComparedRun
from poolscope.whatif.calibration import SMALL_MS

LONGER, SHORTER, NO_CHANGE, CANNOT_TELL = "longer", "shorter", "no change seen", "cannot tell"
MORE, FEWER = "more", "fewer"
"""For a share of requests."""
WORSE, BETTER = (LONGER, FEWER), (SHORTER, MORE)

FALSE_SHARE = 0.05
"""Of comparisons of sides that are alike, this many may say anywhere that something changed."""
LEAST_SHARE = 0.01
"""A change by less than this share is not reported: runs on fixed threads repeat to 0.1 %, so that chance is excluded long
before anybody would care."""
LEAST_MS = 0.01
"""Nor is one by less than this: events are a few microseconds off (`poolscope verify` says how many)."""
WITHIN = 0.25
"""`no change seen` says that a change by a quarter, either way, would have shown: the interval lies within that."""
SHARE_WITHIN = 0.05
"""The same of a share: one request in twenty, either way."""
MOST_RUNS = 99
_NOT_SHOWN = "a change by a quarter would not have shown"
_SHARE_NOT_SHOWN = "a change by one request in twenty would not have shown"
TOO_WIDE = f"the runs differ too much among themselves: {_NOT_SHOWN}"
TOO_FEW = f"{_NOT_SHOWN}; three captures of each side or more tell how much runs differ"


@dataclass(frozen=True)
class Row:
    """One quantity, judged. Durations are ms (of a quantity that is a share: shares), changes shares of side A."""

    quantity: Quantity
    verdict: str
    reason: str
    """Why it cannot be reported, or why a difference does not count; else empty."""
    needed: str
    """Captures of each side that would tell it; empty if it can be reported, or more captures would not help."""
    difference: Difference | None
    """None if it could not be computed."""
    whole_ms: float
    """Side A's mean that the row is a part of, or its own centre."""
    at_least: tuple[str, ...] = ()
    """Sides, "a" and "b", of which only a lower bound is known."""

    @property
    def a_ms(self) -> float | None:
        return None if self.difference is None else in_ms(self.quantity, self.difference.centre_a)

    @property
    def b_ms(self) -> float | None:
        return None if self.difference is None else in_ms(self.quantity, self.difference.centre_b)

    @cached_property
    def change_ms(self) -> tuple[float, float, float] | None:
        """Estimate, and the interval's ends."""
        if self.difference is None or self.a_ms is None:
            return None
        three = (self.difference.estimate, *self.difference.interval)
        if self.quantity.scale is not Scale.RATIO:
            return three
        estimate, low, high = (self.a_ms * (_exp(value) - 1) for value in three)
        return estimate, low, high

    @cached_property
    def change_share(self) -> tuple[float, float, float] | None:
        """The same as shares of `whole_ms`; None if that is nothing, and of a share."""
        if self.change_ms is None or self.whole_ms <= 0 or self.quantity.scale is Scale.SHARE:
            return None
        estimate, low, high = (value / self.whole_ms for value in self.change_ms)
        return estimate, low, high


def judge(a: Sequence[ComparedRun], b: Sequence[ComparedRun]) -> list[Row]:
    """Returns every quantity that any capture has, in the order of QUANTITIES, requests after them."""
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
    """Says why a quantity cannot be compared: the first run without it says why."""
    return next((f"{run.name}: {why}" for run in (*a, *b) if (why := run.lacks(q))), "")


def passing(p: Sequence[float]) -> float:
    """Returns the largest p that counts, by Benjamini and Hochberg's procedure: the k smallest count where the k-th is at most
    k/n of FALSE_SHARE. Where nothing changed, the chance that any row passes is FALSE_SHARE, not that for each row;
    where everything changed, no row is judged more strictly than if it stood alone."""
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
        # What is only known to be at least this long decides where more of it would be judged alike.
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
    """Returns whether a change by WITHIN, or by more than what is negligible, would have shown."""
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
    """Captures of each side at which the interval would be narrow, if runs go on to differ as these do."""
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
