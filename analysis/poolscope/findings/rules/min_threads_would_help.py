"""A higher minimum of threads would end the items earlier, said by simulating the pool with it."""

from __future__ import annotations

from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules.what_if_rule import WhatIfRule
from poolscope.whatif.advice import HELP


class MinThreadsWouldHelp(WhatIfRule):
    """Fires when the knee of the sweep lies above the present minimum and items take a tenth less from enqueue to end
    there (whatif/advice.py has the thresholds). Judged by completion, so it never fires for wait that only moves."""

    id = HELP
    title = "A higher minimum of threads would not help"
    failing_title = "A higher minimum of threads would help"
    documentation = HELP
    golden = "injection-delay"
    section = "whatif"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = self.advice(evidence)
        if advice is None:
            return None
        return self.without_cost(
            "medium",
            f"{self.mean(evidence)} {self.figures(evidence, advice)} with a minimum of {advice.min_threads:,} threads",
            said=self.said(evidence, advice),
            advice=[advice.text],
        )
