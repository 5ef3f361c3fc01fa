"""Items waited because finished items kept the gate thread from adding threads."""

from __future__ import annotations

from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import advise, predicted
from poolscope.findings.rules.gate_rule import GateRule
from poolscope.measures.gate import QUIET_NS, starvations
from poolscope.whatif.fixes import AWAIT, THREADS

HELD_BACK_SHARE = 0.8
"""Share of the injection delay with a completion in the last 500 ms from which the gate hardly ever got to act. Every
pool that works on a backlog finishes something now and then, and that costs its gate a look: 55 % in the `ticket`
workload (items of 2 s on 4 to 11 threads) and 68 % with 100 items of 5 s on 2 threads, where threads were added all the
same; 95 to 100 % where items end in turn."""


class GateSuppressedByProgress(GateRule):
    """Fires when some item had finished in the last 500 ms during four fifths of the injection delay, and that is a
    notable part of the wait; never where no item waited 500 ms, which is as long as the gate itself waits, nor where the
    pool may have been at a maximum, so that the gate could not have added any."""

    id = "gate-suppressed-by-progress"
    title = "A trickle of finished items did not keep the pool from growing"
    failing_title = "The pool kept seeing progress, so it added no threads"
    documentation = "gate-suppressed-by-progress"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_notable(evidence.split.parts.injection) or evidence.attribution.pool.may_be_full:
            return None
        if evidence.attribution.items.wait.max() <= QUIET_NS:
            return None  # with nothing finished the gate would not have acted either
        part = evidence.gate.by_progress
        injection = evidence.item_seconds(evidence.split.parts.injection)
        if not evidence.is_notable(part) or evidence.item_seconds(part) < HELD_BACK_SHARE * injection:
            return None
        added = starvations(evidence.capture)
        return self.of_wait(
            evidence,
            part,
            because="the pool kept seeing progress, so it added no threads",
            said=[
                f"During {percent(evidence.item_seconds(part) / injection)} of the injection delay some item had finished in "
                "the last 500 ms. One is enough: the gate adds a thread only after 500 ms in which no item started or "
                "finished. It ignores how many items wait and how many threads are blocked.",
                f"It added {added:,} thread{'' if added == 1 else 's'} for starvation in {duration(1000 * evidence.wall_seconds)}; "
                "undisturbed it adds about one a second.",
            ],
            advice=advise(evidence),
            predicted=predicted(evidence, AWAIT, THREADS),
            explains={"injection-delay": evidence.item_seconds(part)},
        )
