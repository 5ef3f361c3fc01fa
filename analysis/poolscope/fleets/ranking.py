"""Which groups of captures carry delay that the others do not: the largest first, each after what those above explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.compare.judge import ENOUGH_RUNS, FALSE_SHARE, passing
from poolscope.fleets.excess import ITEMS, OF, REQUESTS, ROUTE, Excess, Figures, Group, State, excess
from poolscope.fleets.keys import NO_VALUE, SERVICE

MOST = 20
"""Rows of the answer. Each is searched for in what the rows above leave."""
LEAST_SHARE = 0.01
"""For all delay of its kind: less than that is no row, however sure it is."""
LEAST_MS = 1.0
"""Nor is less than this on average: nobody notices it."""
EXPLAINED, MAYBE = 0.2, 0.5
"""A group is explained by another one when no more than this share of its excess is left without the other's captures; or up
to half of it, if that is no more than chance gives."""
ALSO = 3
"""Other causes of the same group that are named."""


@dataclass(frozen=True)
class Candidate:
    """A group and one cause of its delay."""

    group: Group
    of: str
    """ITEMS or REQUESTS."""
    cause: str
    found: Excess

    @property
    def number(self) -> int:
        """Index of the cause in OF."""
        return OF[self.of].index(self.cause)


@dataclass(frozen=True)
class Ranked:
    """One row of the answer."""

    candidate: Candidate
    share: float
    """For all delay of the kind in the fleet, 0..1."""
    also: tuple[Candidate, ...]
    """Other delays of the same group, the largest first."""
    same_as: tuple[Group, ...]
    """Groups of other keys that have the same captures but for a few: which one it is cannot be reported."""
    only_with: Group | None
    """The excess is there only where this group is too."""
    captures: IntArray
    """Indices of the captures that it is about."""


def groups_of(figures: Figures, values: dict[str, list[str]]) -> list[Group]:
    """Returns every value of every key but the service with enough captures, and every route with enough."""
    found = []
    for key, of_rows in values.items():
        if key == SERVICE:
            continue
        names, code, number = np.unique(np.array(of_rows, dtype=str), return_inverse=True, return_counts=True)
        for at in np.flatnonzero(number >= ENOUGH_RUNS).tolist():
            if number[at] < len(of_rows) and names[at] != NO_VALUE:
                found.append(Group(key, str(names[at]), np.asarray(code == at)))
    services = dict(zip(figures.service.tolist(), values[SERVICE], strict=True))
    for (service, route), own in figures.routes.items():
        if (own.count > 0).sum() >= ENOUGH_RUNS:
            found.append(Group(ROUTE, f"{services[service]} {route}", own.count > 0, (service, route)))
    return found


def rank(figures: Figures, groups: Sequence[Group]) -> list[Ranked]:
    """Returns the rows, in the order in which they were found: the largest excess that chance does not explain, then the largest in
    what is left without its captures, and so on."""
    state = State(np.ones(figures.captures, dtype=bool))
    totals = {of: float(delays.seconds.sum()) for of, delays in figures.whole.items()}
    ranked: list[Ranked] = []
    while len(ranked) < MOST:
        candidates = list(_significant(figures, groups, state, totals))
        if not candidates:
            return ranked
        row, state = _first(figures, candidates, state, totals)
        ranked.append(row)
    return ranked


def _significant(
    figures: Figures, groups: Sequence[Group], state: State, totals: dict[str, float]
) -> Iterator[Candidate]:
    """Yields those with more delay than the rest, not by chance: all groups and causes taken together."""
    tried = [
        Candidate(group, of, cause, found)
        for group in groups
        for of in (ITEMS, REQUESTS)
        if totals[of] > 0
        for at, cause in enumerate(OF[of])
        if (found := excess(figures, group, of, at, state)) is not None
    ]
    least = passing([one.found.p for one in tried])
    for one in tried:
        found = one.found
        if found.p <= least and found.more_ms >= LEAST_MS and found.seconds >= LEAST_SHARE * totals[one.of]:
            yield one


def _first(
    figures: Figures, candidates: list[Candidate], state: State, totals: dict[str, float]
) -> tuple[Ranked, State]:
    """Returns the row of the candidate with the largest excess, or of the one that explains it; and the state without it."""
    ordered = sorted(candidates, key=lambda one: (-one.found.seconds, one.group.key, one.group.value, one.cause))
    chosen = ordered[0]
    same: list[Group] = []
    only: Group | None = None
    for other in ordered[1:]:
        if other.group.key == chosen.group.key or other.group in same:
            continue
        met = _meeting(figures, chosen, other, state)
        if met == "other":
            chosen, same, only = other, [], None
        elif met == "same":
            same.append(other.group)
        elif met == "both":
            only = only or other.group
    also = [one for one in ordered if one.group is chosen.group and one is not chosen][:ALSO]
    group = chosen.group
    mask = group.mask & state.mask & (only.mask if only is not None else True)
    row = Ranked(
        candidate=chosen,
        share=chosen.found.seconds / totals[chosen.of],
        also=tuple(also),
        same_as=tuple(same),
        only_with=only,
        captures=np.flatnonzero(mask),
    )
    if group.route is not None:
        return row, replace(state, without=state.without | {group.route})
    return row, replace(state, mask=state.mask & ~group.mask)


def _meeting(figures: Figures, one: Candidate, other: Candidate, state: State) -> str:
    """Returns what two groups are to each other: `one` or `other` is what the other's excess comes from, `same`: they cannot be distinguished, `both`: the excess is only where both are, `apart`: each has its own."""
    if one.group.route is None and other.group.route is None and not (one.group.mask & other.group.mask).any():
        return "apart"
    one_explained, one_rest = _explained(figures, one, other.group, state)
    other_explained, other_rest = _explained(figures, other, one.group, state)
    if one_explained and other_explained:
        if one_rest >= ENOUGH_RUNS and other_rest >= ENOUGH_RUNS:
            return "both"
        if one_rest >= ENOUGH_RUNS:
            return "other"
        return "one" if other_rest >= ENOUGH_RUNS else "same"
    if one_explained:
        return "other"
    return "one" if other_explained else "apart"


def _explained(figures: Figures, one: Candidate, other: Group, state: State) -> tuple[bool, int]:
    """Returns whether a candidate's excess is gone without the other group, and how many of its captures are left then."""
    without = (
        replace(state, without=state.without | {other.route})
        if other.route is not None
        else replace(state, mask=state.mask & ~other.mask)
    )
    rest = int((one.group.mask & without.mask).sum())
    found = excess(figures, one.group, one.of, one.number, without)
    if found is None:
        return True, min(rest, ENOUGH_RUNS - 1)
    left = found.seconds / one.found.seconds
    return left <= EXPLAINED or (left <= MAYBE and found.p > FALSE_SHARE), rest
