"""Items waited because hill climbing took threads away while they were queued."""

from __future__ import annotations

import numpy as np

from poolscope.base.words import items, times
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import advise, predicted
from poolscope.findings.rules.gate_rule import GateRule
from poolscope.whatif.fixes import AWAIT, THREADS


class GoalLoweredUnderBacklog(GateRule):
    """Fires when hill climbing lowered the goal while items were queued, and a pool without it would have saved a notable
    part of the wait.

    Such a pool has none of its cuts and none of its raises; what the gate, blocked tasks and limits changed stays. The rule
    rests on that replay alone, so it says nothing if the model does not fit the run.
    """

    id = "goal-lowered-under-backlog"
    title = "The pool did not give up threads while items waited"
    failing_title = "The pool gave up threads while items waited"
    documentation = "goal-lowered-under-backlog"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_notable(evidence.split.parts.injection):
            return None
        what_if = evidence.what_if
        if what_if is None or not what_if.calibration.is_usable:
            return None
        lowered = evidence.lowered
        if not len(lowered.time) or not evidence.is_notable(lowered.cost):
            return None
        before, after = lowered.goal_before, lowered.goal_after
        worst = int(np.argmax(before - after))
        return self.of_wait(
            evidence,
            lowered.cost,
            because="the pool lowered its own goal while they were queued",
            said=[
                f"Hill climbing lowered the goal {times(len(lowered.time))} while items were queued, at most from "
                f"{int(before[worst]):,} to {int(after[worst]):,} threads at once, "
                f"with {items(int(lowered.queued[worst]))} queued. It searches for the goal with the highest "
                "throughput, and mistakes the noise of blocked items for an effect of the goal.",
                "The cost above compares this run with a replay in a pool without hill climbing.",
            ],
            advice=[
                *advise(evidence),
                "Hill climbing never goes below the minimum of threads; DOTNET_HillClimbing_Disable=1 turns it off.",
            ],
            predicted=predicted(evidence, AWAIT, THREADS),
            explains={"injection-delay": evidence.item_seconds(lowered.cost)},
        )
