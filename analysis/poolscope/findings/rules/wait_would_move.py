"""With more threads items would start sooner and end no sooner: something else would hold what the queue holds now."""

from __future__ import annotations

from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules.what_if_rule import WhatIfRule
from poolscope.whatif.advice import MOVE
from poolscope.whatif.where_waits_move import CORES, ITEM, LOCK

INSTEAD = {
    LOCK: "Shorten the critical section, or divide the data that the lock guards: while only one item at a time can hold it, more threads change nothing.",
    CORES: "Spend less CPU per item, or add cores: more threads on the same cores finish no item sooner.",
    ITEM: "Look at the items that the others wait for: they set the pace, not the number of threads.",
}
"""What would help, by where the wait would go."""


class WaitWouldMove(WhatIfRule):
    """Fires when the minimum of threads that takes the wait away leaves less than half of that as a gain in completion."""

    id = MOVE
    title = "No wait would only move to another place"
    failing_title = "More threads would only move the wait"
    documentation = MOVE
    golden = ""
    section = "whatif"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = self.advice(evidence)
        if advice is None:
            return None
        said = self.said(evidence, advice)
        lock = evidence.costliest_lock if advice.goes_to == LOCK else None
        if lock is not None:
            said.append(f"In the capture {lock.items:,} items waited for the lock {lock.lock:#x} after their start.")
        return self.without_cost(
            "medium",
            f"{self.mean(evidence)} {self.figures(evidence, advice)} with a minimum of {advice.min_threads:,} threads",
            said=said,
            advice=[advice.text, *([INSTEAD[advice.goes_to]] if advice.goes_to else [])],
        )
