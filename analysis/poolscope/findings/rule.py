"""A rule: one cause, one class. It reads the evidence and fires, passes, or is not applicable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from poolscope.base.arrays import AnyArray
from poolscope.contract.tables import TableName
from poolscope.evidence.evidence import Evidence, severity_of
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding, Lateness, Predicted


class Rule(ABC):
    """Base class of all rules. A rule whose tables are missing is not applicable, which is never the same as passed."""

    id: ClassVar[str]
    title: ClassVar[str]
    """The good state, shown if the rule does not fire."""
    failing_title: ClassVar[str]
    """The problem, shown if it fires."""
    needs: ClassVar[tuple[TableName, ...]]
    """Tables that the rule needs to be applicable."""
    documentation: ClassVar[str]
    """A section of docs/findings.md."""
    golden: ClassVar[str]
    """A capture in traces/golden that shows the cause. Empty if only a live test shows it."""
    section: ClassVar[str] = ""
    """The anchor of the part of the report that shows this cause best, besides the timeline. Blame and cpu also name
    the methods."""

    @abstractmethod
    def evaluate(self, evidence: Evidence) -> Finding | None:
        """Returns the finding, or None if the rule passes."""

    def is_silent(self, evidence: Evidence) -> bool:
        """Returns whether the rule cannot fire, known without what `missing` examines."""
        return False

    def missing(self, evidence: Evidence) -> list[str]:
        """Returns the needed tables that this capture lacks. `thread_states` also counts as missing if it is empty,
        `work_items` also if they were not recorded."""
        lacking: list[str] = [t for t in self.needs if not evidence.capture.has(t)]
        if "thread_states" in self.needs and evidence.attribution.split is None and "thread_states" not in lacking:
            lacking.append("thread_states")
        if "work_items" in self.needs and not evidence.coverage.items_recorded:
            lacking.append("work_items")
        return lacking

    def of_wait(
        self,
        evidence: Evidence,
        part: AnyArray,
        *,
        because: str,
        said: list[str],
        advice: list[str],
        predicted: Sequence[Predicted] = (),
        explains: dict[str, float] | None = None,
    ) -> Finding:
        """Returns the finding of a cause that costs `part` of each item's wait, ns. Headline, cost and severity follow
        from `part`."""
        return Finding(
            id=self.id,
            severity=evidence.severity(part),
            title=self.failing_title,
            number=evidence.headline(part),
            item_seconds=evidence.item_seconds(part),
            because=because,
            evidence=said,
            advice=advice,
            predicted=list(predicted),
            explains=explains or {},
            where=self.in_waits(evidence, part),
        )

    def in_waits(self, evidence: Evidence, part: AnyArray) -> Where:
        """Returns the place of a cost of `part` ns that each judged item had while it was queued."""
        items = evidence.attribution.items
        arrays = (items.row, items.enqueue, items.dequeue, part)
        return self.at(evidence, Costs(*(evidence.of_judged(array) for array in arrays)))

    def in_execution(self, evidence: Evidence, part: AnyArray) -> Where:
        """Returns the place of a cost that each item had after its start."""
        items = evidence.attribution.items
        return self.at(evidence, Costs(items.row, items.dequeue, items.end, part))

    def at(self, evidence: Evidence, costs: Costs) -> Where:
        """Returns the window, the worst items and the code of a cost."""
        start, stop = evidence.capture.window
        methods = evidence.methods(self.section)
        return Where(costs.window(stop - start), costs.worst(), methods, self.section)

    def of_end(
        self,
        item_seconds: float,
        share: float,
        number: str,
        *,
        because: str,
        said: list[str],
        advice: list[str],
        where: Where,
        predicted: Sequence[Predicted] = (),
        affected: int | None = None,
        sentence: str = "",
        doubt: str = "",
        late: tuple[str, int, int | None] | None = None,
        endpoint: str | None = None,
    ) -> Finding:
        """Returns the finding of a cause by which items ended later, whenever they started.

        `share`, 0 to 1, is the part of the largest possible cost. `late` is the unit, the number of late ones, and the
        number of all, if the sentence is about those.
        """
        return Finding(
            id=self.id,
            severity=severity_of(share),
            title=self.failing_title,
            number=number,
            item_seconds=item_seconds,
            because=because,
            evidence=said,
            advice=advice,
            predicted=list(predicted),
            ended_late=True,
            where=where,
            affected=affected,
            sentence=sentence,
            doubt=doubt,
            late=None
            if late is None
            else Lateness(*late, self.id, item_seconds, next(iter(where.methods), None), endpoint),
        )

    def without_cost(
        self, severity: str, number: str, said: list[str], advice: list[str], where: Where | None = None
    ) -> Finding:
        """Returns a finding that is no cause: it has no item-seconds of its own and never explains why items waited."""
        return Finding(
            id=self.id,
            severity=severity,
            title=self.failing_title,
            number=number,
            item_seconds=0.0,
            because="",
            evidence=said,
            advice=advice,
            predicted=[],
            where=where or Where(section=self.section),
        )
