"""Items waited because the pool added threads too slowly."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_S
from poolscope.base.words import percent, times
from poolscope.capture.schema import enum
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import BLOCKED_SHARE, advise, blocked_share, predicted
from poolscope.findings.rule import Rule
from poolscope.whatif.fixes import AWAIT, THREADS

STARVATION = enum("pool_changes", "reason", "Starvation")


class InjectionDelay(Rule):
    """Fires when injection delay is a notable part (a tenth) of all waiting item-seconds."""

    id = "injection-delay"
    title = "The pool had threads when items needed them"
    failing_title = "Items waited for the pool to add threads"
    needs = ("work_items", "pool_changes", "thread_states")
    documentation = "injection-delay"
    golden = "injection-delay"
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        split = evidence.split
        injection = split.parts.injection
        if not evidence.is_notable(injection):
            return None
        behind_blocked = blocked_share(evidence)
        return self.of_wait(
            evidence,
            injection,
            because="the pool added threads too slowly for the work that held them",
            said=[
                *_growth(evidence),
                f"While items waited for threads, the threads that the pool had were blocked "
                f"{percent(behind_blocked)} of the time and computing or waiting for a core {percent(1 - behind_blocked)}.",
                *([evidence.culprit.sentence()] if evidence.culprit and behind_blocked >= BLOCKED_SHARE else []),
            ],
            advice=advise(evidence),
            predicted=predicted(evidence, AWAIT, THREADS),
        )


def _growth(evidence: Evidence) -> list[str]:
    """Returns how the pool grew while items waited."""
    changes = evidence.capture.table("pool_changes")
    pool = evidence.attribution.pool
    peak = int(pool.goal.value.max())
    said = [
        f"The pool aimed at {int(pool.goal.value[0]):,} threads at first and at {peak:,} at most; "
        + (
            f"its maximum is {int(pool.maximum.value[-1]):,}."
            if pool.maximum_known
            else "no event reports its maximum."
        )
    ]
    starved = changes["time"].to_numpy()[changes["reason"].to_numpy() == STARVATION]
    if len(starved) >= 2:
        gap = float(np.median(np.diff(starved))) / NS_PER_S
        # A reference pool has its own rule.
        rule = ": the gate looks twice a second and adds at most one" if evidence.coverage.pool == "runtime" else ""
        said.append(f"It added {len(starved):,} threads for starvation, one every {gap:.2f} s (median){rule}.")
    lowered = int((np.diff(pool.goal.value) < 0).sum())
    if lowered:
        said.append(f"It lowered its goal {times(lowered)}.")
    return said
