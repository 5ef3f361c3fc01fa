"""The answer to a fleet's question: what is found in the rows, gathered once for page, terminal, table and library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from poolscope.fleets.figures import Figures, figures_of
from poolscope.fleets.keys import SERVICE, VERSION, keys_of
from poolscope.fleets.outliers import Outlier, find_outliers
from poolscope.fleets.ranking import Ranked, groups_of, rank
from poolscope.fleets.row import Failed, Row
from poolscope.fleets.trend import Trend, trends


@dataclass(frozen=True)
class FleetAnswer:
    """Rows of all captures, and what they say together."""

    rows: tuple[Row, ...]
    failed: tuple[Failed, ...]
    late_ms: float
    group_by: tuple[str, ...] = ()
    """Keys beside those that every fleet is grouped by."""

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The value of each row by key."""
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
    """Returns the answer of what `ask` returned. Raises InvalidArgument for a key that no capture has."""
    rows = tuple(one for one in found if isinstance(one, Row))
    failed = tuple(one for one in found if isinstance(one, Failed))
    answer = FleetAnswer(rows, failed, late_ms, tuple(group_by))
    if rows:
        answer.values  # noqa: B018 - says at once that a key is misspelt
    return answer
