"""Ranks the groups of captures with excess delay, largest first. Each row is found in what the rows above leave
unexplained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.compare.judge import ENOUGH_RUNS, FALSE_SHARE, passing
from poolscope.fleets.excess import ITEMS, OF, REQUESTS, ROUTE, Excess, Figures, Group, State, excess
from poolscope.fleets.keys import NO_VALUE, SERVICE

MOST = 20
"""The most rows of the answer. Each is searched for in what the rows above leave."""
LEAST_SHARE = 0.01
"""A share of all delay of the kind. Less is no row, however significant."""
LEAST_MS = 1.0
"""The least mean excess of a row, ms: less is not noticeable."""
EXPLAINED, MAYBE = 0.2, 0.5
"""Another group explains a group if at most the first share of its excess remains without the other's captures; or at
most the second share, if the remainder may be chance."""
ALSO = 3
"""The number of other causes named for the same group."""


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
        """The index of the cause in OF."""
        return OF[self.of].index(self.cause)


@dataclass(frozen=True)
class Ranked:
    """One row of the answer."""

    candidate: Candidate
    share: float
    """The share of all delay of the kind in the fleet, 0 to 1."""
    also: tuple[Candidate, ...]
    """Other delays of the same group, largest first."""
    same_as: tuple[Group, ...]
    """Groups of other keys with almost the same captures: the data cannot show which one is the cause."""
    only_with: Group | None
    """A second group; the excess exists only where both occur."""
    captures: IntArray
    """Indices of the captures that it covers."""


def groups_of(figures: Figures, values: dict[str, list[str]]) -> list[Group]:
    """Returns every value of every key except the service, and every route, that has enough captures."""
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
    """Returns the rows in the order found: the largest excess that chance does not explain, then the largest excess
    without its captures, and so on."""
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
    """Yields the candidates with significantly more delay than the rest, over all groups and causes together."""
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
    """Returns the row of the candidate with the largest excess, or of the one that explains it; and the state without
    it."""
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
    """Returns the relation of two groups.

    `one` or `other`: this group explains the excess of both. `same`: they cannot be distinguished. `both`: the excess
    exists only where both occur. `apart`: each has its own excess.
    """
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
    """Returns whether a candidate's excess is gone without the other group, and how many of its captures remain
    then."""
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
