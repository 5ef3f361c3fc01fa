"""More threads would end the items later: a higher minimum, or the present one already."""

from __future__ import annotations

from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules.what_if_rule import WhatIfRule
from poolscope.whatif.advice import HURT


class MinThreadsWouldHurt(WhatIfRule):
    """Fires when items take a tenth longer from enqueue to end with the minimum that would take their wait away; or with
    the present minimum than with a lower one."""

    id = HURT
    title = "A higher minimum of threads would make nothing end later"
    failing_title = "More threads make items end later"
    documentation = HURT
    golden = "core-contention"
    section = "whatif"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = self.advice(evidence)
        if advice is None:
            return None
        return self.without_cost(
            "medium" if advice.goes_to is not None else "low",
            f"mean delay {self.figures(evidence, advice)} with a minimum of " f"{advice.min_threads:,} threads",
            said=self.said(evidence, advice),
            advice=[advice.text],
        )
