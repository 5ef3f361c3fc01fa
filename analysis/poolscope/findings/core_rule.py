"""The common part of rules about runnable items without a core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import NOTABLE_SHARE, Evidence
from poolscope.evidence.measured import seconds
from poolscope.findings.finding import Finding, Predicted
from poolscope.findings.rule import Rule


class CoreRule(Rule):
    """A lack of cores makes items start late, or, if there are threads enough, only end late: it is the same cause."""

    def is_notable(self, evidence: Evidence, part: AnyArray) -> bool:
        """Returns whether this part of Evidence.lack_of_cores deserves a finding: a tenth of the wait, or of the execution."""
        if not evidence.is_slowed:
            return evidence.is_notable(part)
        return seconds(part[evidence.slow]) >= NOTABLE_SHARE * _execution(evidence)

    def of_lack(
        self,
        evidence: Evidence,
        part: AnyArray,
        *,
        because: str,
        said: list[str],
        advice: list[str],
        predicted: Sequence[Predicted] = (),
    ) -> Finding:
        """Returns the finding of a cause that costs `part` of each item's lack of cores, ns."""
        if not evidence.is_slowed:
            return self.of_wait(evidence, part, because=because, said=said, advice=advice, predicted=predicted)
        slow = evidence.slow
        share = seconds(part[slow]) / _execution(evidence)
        mean = duration(float(part[slow].mean()) / NS_PER_MS)
        return self.of_end(
            seconds(part[slow]),
            share,
            f"{mean} per item, {percent(share)} of the time from its start to its end",
            because=because,
            said=said,
            advice=advice,
            predicted=predicted,
            where=self.in_execution(evidence, np.where(slow, part, 0)),
            affected=int(slow.sum()),
        )


def _execution(evidence: Evidence) -> float:
    """Returns what the slowed items took from start to end, item-seconds."""
    items = evidence.attribution.items
    return seconds((items.end - items.dequeue)[evidence.slow])
