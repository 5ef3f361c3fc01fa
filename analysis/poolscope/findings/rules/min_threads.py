"""The effect of another minimum of threads, from simulations of the pool.

A higher minimum ends the items earlier; more threads end them later; or items start sooner but end no sooner, because
something else would hold them instead of the queue.
"""

from __future__ import annotations

from poolscope.base.words import or_never, percent
from poolscope.evidence.evidence import Evidence
from poolscope.findings.advice import advice_of, fixes
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.whatif.advice import CORES, HELP, HURT, ITEM, LOCK, MOVE, Advice, gains, serves_sooner
from poolscope.whatif.fixes import THREADS
from poolscope.whatif.prediction import MEAN


class WhatIfRule(Rule):
    """A rule whose finding is advice: the effect of a change, never the verdict. The rule's id is also the advice's
    id."""

    needs = ("work_items", "pool_limits", "thread_states")

    def is_silent(self, evidence: Evidence) -> bool:
        """Returns whether nothing waits: then there is no advice, and no simulation is needed."""
        return evidence.is_healthy

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if no simulation can be trusted: advice based on it would be a guess."""
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

    def mean(self, evidence: Evidence) -> str:
        """Returns in words what the figures of fixes measure."""
        assert evidence.what_if is not None
        return MEAN[evidence.what_if.present.of]

    def figures(self, evidence: Evidence, advice: Advice) -> str:
        """Returns the mean as measured, and the mean with the advised minimum as the list of fixes has it."""
        id = f"{THREADS}:{advice.min_threads}"
        after = next((f.figure for f in fixes(evidence) if f.id == id), "") or or_never(advice.delay_after_ms)
        return f"{or_never(advice.delay_ms)} \N{RIGHTWARDS ARROW} {after}"

    def said(self, evidence: Evidence, advice: Advice) -> list[str]:
        """Returns the basis of the advice."""
        what_if = evidence.what_if
        assert what_if is not None
        mean = what_if.calibration
        return [
            f"Simulated {what_if.replications} times each, model error {percent(abs(mean.model_error))}.",
            f"In the simulation, the last item ends {change(advice.end_ms, advice.end_after_ms)} into the capture, as simulated.",
        ]


def change(before_ms: float, after_ms: float) -> str:
    """Returns two durations, before and after."""
    return f"{or_never(before_ms)} \N{RIGHTWARDS ARROW} {or_never(after_ms)}"


class MinThreadsWouldHelp(WhatIfRule):
    """Fires when the knee of the sweep is above the present minimum and items take a tenth less from enqueue to end
    there.

    whatif/advice.py has the thresholds. The rule judges by completion, so it never fires for a wait that only moves.
    """

    id = HELP
    title = "A higher minimum of threads would not help"
    failing_title = "A higher minimum of threads would help"
    documentation = HELP
    golden = "injection-delay"
    section = "whatif"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = advice_of(evidence, self.id)
        if advice is None:
            return None
        return self.without_cost(
            "medium",
            f"{self.mean(evidence)} {self.figures(evidence, advice)} with a minimum of {advice.min_threads:,} threads",
            said=self.said(evidence, advice),
            advice=[advice.text],
        )


class MinThreadsWouldHurt(WhatIfRule):
    """Fires when items take a tenth longer from enqueue to end with the minimum that would remove their wait, or with
    the present minimum than with a lower one."""

    id = HURT
    title = "A higher minimum of threads would make nothing end later"
    failing_title = "More threads make items end later"
    documentation = HURT
    golden = "core-contention"
    section = "whatif"

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if more threads serve requests sooner but items no sooner: the reader
        must decide which one counts."""
        lacking = super().missing(evidence)
        what_if = evidence.what_if
        if not lacking and what_if is not None:
            now = what_if.present
            if any(serves_sooner(now, p) and not gains(now, p) for p in what_if.sweep):
                lacking.append("items and requests that gain alike")
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = advice_of(evidence, self.id)
        if advice is None:
            return None
        return self.without_cost(
            "medium" if advice.goes_to is not None else "low",
            f"{self.mean(evidence)} {self.figures(evidence, advice)} with a minimum of {advice.min_threads:,} threads",
            said=self.said(evidence, advice),
            advice=[advice.text],
        )


INSTEAD = {
    LOCK: "Shorten the critical section, or divide the data that the lock guards: while only one item at a time can hold it, more threads change nothing.",
    CORES: "Spend less CPU per item, or add cores: more threads on the same cores finish no item sooner.",
    ITEM: "Look at the items that the others wait for: they set the pace, not the number of threads.",
}
"""The advice for each place that the wait would move to."""


class WaitWouldMove(WhatIfRule):
    """Fires when the minimum of threads that removes the wait gains less than half of it in completion."""

    id = MOVE
    title = "No wait would only move to another place"
    failing_title = "More threads would only move the wait"
    documentation = MOVE
    golden = ""
    section = "whatif"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        advice = advice_of(evidence, self.id)
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
