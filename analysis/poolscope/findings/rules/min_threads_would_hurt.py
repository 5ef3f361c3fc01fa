"""More threads would end the items later: a higher minimum, or the present one already."""

from __future__ import annotations

from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rules.what_if_rule import WhatIfRule
from poolscope.whatif.advice import HURT, gains, serves_sooner


class MinThreadsWouldHurt(WhatIfRule):
    """Fires when items take a tenth longer from enqueue to end with the minimum that would take their wait away; or with
    the present minimum than with a lower one."""

    id = HURT
    title = "A higher minimum of threads would make nothing end later"
    failing_title = "More threads make items end later"
    documentation = HURT
    golden = "core-contention"
    section = "whatif"

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if more threads serve requests sooner and items no sooner: the reader
        must say which one counts."""
        lacking = super().missing(evidence)
        what_if = evidence.what_if
        if not lacking and what_if is not None:
            now = what_if.present
            if any(serves_sooner(now, p) and not gains(now, p) for p in what_if.sweep):
                lacking.append("items and requests that gain alike")
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = self.advice(evidence)
        if advice is None:
            return None
        return self.without_cost(
            "medium" if advice.goes_to is not None else "low",
            f"{self.mean(evidence)} {self.figures(evidence, advice)} with a minimum of {advice.min_threads:,} threads",
            said=self.said(evidence, advice),
            advice=[advice.text],
        )
