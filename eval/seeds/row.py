"""One experiment of the list: its command, the published result, and the measured figure beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seeds.outcome import Outcome

Figure = Callable[[Outcome], float]
"""Returns the measured figure to compare with the published one, in its unit."""


@dataclass(frozen=True)
class Published:
    """A published figure."""

    text: str
    """The published wording, in a few words."""
    value: float | None
    """The same in `unit`; None if no number was given."""
    unit: str


@dataclass(frozen=True)
class Alternative:
    """A verdict other than the one fixed beforehand, with the reason why it is equally right. A merely unlucky run has
    none."""

    verdict: str
    why: str


@dataclass(frozen=True)
class Row:
    """A workload, or one variant of it."""

    workload: str
    """Id of the workload."""
    published: Published
    ours: Figure
    variant: str = ""
    """Distinguishes rows of one workload."""
    arguments: tuple[str, ...] = ()
    """Additional arguments of `poolscope-workloads run ID`."""
    expected: str = ""
    """The `when` text of the workload's expected verdict for this variant."""
    alternative: Alternative | None = None
    """Another verdict that is right too."""

    @property
    def id(self) -> str:
        """Unique among the rows: `ticket`, `ticket:async`."""
        return f"{self.workload}:{self.variant}" if self.variant else self.workload


@dataclass(frozen=True)
class Expected:
    """The verdicts in the workload's own manifest, fixed before anything ran."""

    ids: tuple[str, ...]
    any_of: bool
    alternative: Alternative | None = None

    def met(self, outcome: Outcome) -> bool:
        """Returns whether the outcome is expected. A single id must be the verdict. If there are several, one must be
        the verdict (`any_of`), or all must be among the findings. The alternative counts too."""
        verdict = outcome.analysis["verdict"]["id"]
        if self.alternative is not None and verdict == self.alternative.verdict:
            return True
        if self.any_of or len(self.ids) == 1:
            return verdict in self.ids
        return set(self.ids) <= set(outcome.found)

    def __str__(self) -> str:
        return (" or " if self.any_of else " and ").join(self.ids)
