"""Items waited because the pool added threads too slowly, because something kept its gate thread from adding them, or
because hill climbing took threads away while items were queued."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_S
from poolscope.base.words import duration, items, percent, times
from poolscope.capture.schema import enum
from poolscope.evidence.evidence import Evidence
from poolscope.findings.advice import BLOCKED_SHARE, advise, blocked_share, figure, more_threads, predicted
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.goal import QUIET_NS, starvations
from poolscope.whatif.fixes import AWAIT, THREADS


class GateRule(Rule):
    """A rule about .NET's own gate thread. Its thresholds are those of the runtime's pool and of no other."""

    needs = ("work_items", "pool_changes", "thread_states", "threads")

    def missing(self, evidence: Evidence) -> list[str]:
        """Adds that the rule is not applicable if the items belong to another pool."""
        lacking = super().missing(evidence)
        if not lacking and evidence.capture.manifest.get("pool"):
            return ["items of the runtime's own pool"]
        return lacking


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
        # A reference pool adds threads by a rule of its own.
        rule = ": the gate looks twice a second and adds at most one" if evidence.coverage.pool == "runtime" else ""
        said.append(f"It added {len(starved):,} threads for starvation, one every {gap:.2f} s (median){rule}.")
    lowered = int((np.diff(pool.goal.value) < 0).sum())
    if lowered:
        said.append(f"It lowered its goal {times(lowered)}.")
    return said


HELD_BACK_SHARE = 0.8
"""The share of the injection delay with a completion in the last 500 ms from which the gate hardly ever got to act.

Every pool with a backlog finishes an item now and then, and each time its gate skips a check. The share was 55 % in the
`ticket` workload (items of 2 s on 4 to 11 threads) and 68 % with 100 items of 5 s on 2 threads, where the pool still
added threads. It is 95 to 100 % if items end in turn.
"""


class GateSuppressedByProgress(GateRule):
    """Fires when, during four fifths of the injection delay, an item had finished in the last 500 ms.

    That time must also be a notable part of the wait. The rule never fires if no item waited 500 ms, the gate's own
    wait, or if the pool may have been at a maximum, so that the gate could not have added a thread.
    """

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
            return None  # the gate would not have acted even without completions
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


class GateSuppressedByCpu(GateRule):
    """Fires when injection delay after 500 ms without progress, with the process's CPU at 80 % or more, is a notable
    part of the wait.

    Being injection delay, it would have been shorter with more threads: the cores were busy, but with items that hold
    them for long, and the waiting items are short. There is no other threshold: both of these are the runtime's own.
    """

    id = "gate-suppressed-by-cpu"
    title = "A busy CPU did not keep the pool from growing"
    failing_title = "A busy CPU kept the pool from adding threads"
    documentation = "gate-suppressed-by-cpu"
    golden = ""
    section = "cpu"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_notable(evidence.split.parts.injection):
            return None
        part = evidence.gate.by_cpu
        if not evidence.is_notable(part):
            return None
        injection = evidence.item_seconds(evidence.split.parts.injection)
        goal = evidence.attribution.pool.goal.value
        added = starvations(evidence.capture)
        threads = more_threads(evidence)
        return self.of_wait(
            evidence,
            part,
            because="the process's busy CPU kept the pool from adding threads",
            said=[
                f"During {percent(evidence.item_seconds(part) / injection)} of the injection delay nothing had been taken or "
                "finished for 500 ms, but the process used 80 % or more of its processors. The gate then waits a second for "
                f"each thread of the goal ({goal[0]:,.0f} to {goal.max():,.0f} here) before it adds one.",
                f"It added {added:,} thread{'' if added == 1 else 's'} for starvation in {duration(1000 * evidence.wall_seconds)}.",
            ],
            advice=[
                "Take the long computations out of the pool (a dedicated thread, TaskCreationOptions.LongRunning), or cut them "
                "into short items, so that short items find a thread.",
                *(
                    [
                        f"Or: {threads.label[0].lower()}{threads.label[1:]} (System.Threading.ThreadPool.MinThreads). Short items "
                        f"then share the cores with the long ones, which end later.{figure(threads)}"
                    ]
                    if threads
                    else []
                ),
            ],
            predicted=predicted(evidence, THREADS),
            explains={"injection-delay": evidence.item_seconds(part)},
        )


class GoalLoweredUnderBacklog(GateRule):
    """Fires when hill climbing lowered the goal while items were queued, and a pool without it would have saved a
    notable part of the wait.

    Such a pool has neither its cuts nor its raises; changes by the gate, blocked tasks and limits stay. The rule rests
    on that replay alone, so it passes if the model does not fit the run.
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
