"""What the rules have in common that say what another minimum of threads would do."""

from __future__ import annotations

from poolscope.base.words import or_never, percent
from poolscope.evidence.evidence import Evidence
from poolscope.findings.predictions import advice_of, fixes
from poolscope.findings.rule import Rule
from poolscope.whatif.advice import Advice
from poolscope.whatif.fixes import THREADS
from poolscope.whatif.prediction import MEAN


class WhatIfRule(Rule):
    """A rule whose finding is advice: it says what a change would do and is never the verdict. Its id is also that of the
    advice."""

    needs = ("work_items", "pool_limits", "thread_states")

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if no simulation can be trusted, because advice on its ground would be a
        guess."""
        lacking = super().missing(evidence)
        if lacking:
            return lacking
        what_if = evidence.what_if
        if what_if is None:
            return ["items to simulate"]
        if not what_if.sweep:
            return ["a sweep of minimum threads"]
        if not what_if.calibration.is_usable:
            return ["a simulation that meets the measured waits"]
        return []

    def advice(self, evidence: Evidence) -> Advice | None:
        """Returns what the sweep says; None if nothing waits."""
        return None if evidence.is_healthy else advice_of(evidence, self.id)

    def mean(self, evidence: Evidence) -> str:
        """Returns what the figures of fixes are, in words."""
        assert evidence.what_if is not None
        return MEAN[evidence.what_if.present.of]

    def figures(self, evidence: Evidence, advice: Advice) -> str:
        """Writes the mean as measured and with the minimum that the advice is about: the figure of the list of fixes."""
        id = f"{THREADS}:{advice.min_threads}"
        after = next((f.figure for f in fixes(evidence) if f.id == id), "") or or_never(advice.delay_after_ms)
        return f"{or_never(advice.delay_ms)} \N{RIGHTWARDS ARROW} {after}"

    def said(self, evidence: Evidence, advice: Advice) -> list[str]:
        """Says what the advice rests on."""
        what_if = evidence.what_if
        assert what_if is not None
        mean = what_if.calibration
        return [
            f"Simulated {what_if.replications} times each, model error {percent(abs(mean.model_error))}.",
            f"In the simulation, the last item ends {change(advice.end_ms, advice.end_after_ms)} into the capture, as simulated.",
        ]


def change(before_ms: float, after_ms: float) -> str:
    """Writes two durations: the first becomes the second."""
    return f"{or_never(before_ms)} \N{RIGHTWARDS ARROW} {or_never(after_ms)}"
