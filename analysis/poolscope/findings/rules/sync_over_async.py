"""Items waited because the pool's threads were blocked on `.Result` or `.Wait()`."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.capture.schema import enum
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import figure, fix, more_threads, predicted
from poolscope.findings.rule import Rule
from poolscope.measures.task_waits import TaskWaits
from poolscope.whatif.fixes import AWAIT

COOPERATIVE = enum("pool_changes", "reason", "CooperativeBlocking")


class SyncOverAsync(Rule):
    """Fires when waiting behind threads that were blocked in Task.Wait, Result or GetResult is a notable part of the
    wait.

    Measured, but for the parts that it divides: of the injection delay and of what blocked items at the maximum cost,
    the share of the busy threads that were in such a wait. There is no other threshold: such a wait has no background
    level.
    """

    id = "sync-over-async"
    title = "Threads did not wait for tasks"
    failing_title = "Threads were blocked waiting for tasks"
    needs = ("work_items", "pool_changes", "thread_states", "task_waits", "waits")
    documentation = "sync-over-async"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        if not evidence.is_notable(evidence.split.parts.injection + evidence.split.parts.holding):
            return None
        waits = evidence.task_waits
        injection, holding = evidence.injection_behind_tasks, evidence.holding_behind_tasks
        part = injection + holding
        if not evidence.is_notable(part):
            return None
        wait, threads = fix(evidence, AWAIT), more_threads(evidence)
        return self.of_wait(
            evidence,
            part,
            because="the threads were blocked on .Result or .Wait()",
            said=_seen(evidence, waits),
            advice=[
                "Await the task instead of reading its Result or calling Wait: that frees the thread, and the code "
                "that completes the task finds a thread too. Make every caller async: one blocking caller undoes the "
                "effect."
                f"{figure(wait)}{' The waits themselves would then be shorter too.' if wait else ''}",
                *(
                    [
                        f"Until then: {threads.label[0].lower()}{threads.label[1:]}. Each such item needs two threads "
                        f"for one piece of work.{figure(threads)}"
                    ]
                    if threads
                    else []
                ),
            ],
            predicted=predicted(evidence, AWAIT),
            explains={
                "injection-delay": evidence.item_seconds(injection),
                "blocked-at-cap": evidence.item_seconds(holding),
            },
        )


def _seen(evidence: Evidence, waits: TaskWaits) -> list[str]:
    count = len(np.unique(waits.item))
    blocked = evidence.coverage.blocked_ms
    said = [
        f"{count:,} items blocked their thread in a wait for a task, up to {waits.at_once:,} at a time: "
        f"{duration(waits.total / NS_PER_MS)} in all, of {duration(evidence.execution_seconds * MS_PER_S)} of execution.",
    ]
    if blocked > 0 and evidence.coverage.pool_ended_blocked_ms > 0:
        share = evidence.coverage.pool_ended_blocked_ms / blocked
        said.append(
            f"{percent(share)} of the blocked time ended on a thread of the pool itself: completing the task needs a "
            "thread, but the waits hold the threads."
        )
    changes = evidence.capture.table("pool_changes")
    raised = changes["time"].to_numpy()[changes["reason"].to_numpy() == COOPERATIVE]
    if len(raised):
        over = float(raised[-1] - raised[0]) / NS_PER_S
        said.append(
            f"The runtime saw it and changed its goal {len(raised):,} times for cooperative blocking, over {over:.3g} s: "
            "after the first few it adds at most one thread every 250 ms."
        )
    return said
