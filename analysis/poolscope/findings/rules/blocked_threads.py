"""Blocked items held the threads: all threads that the maximum allows, or threads in `.Result` or `.Wait()`; and items
ended late because they queued for one lock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import MS_PER_S, NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.blame import Owners
from poolscope.capture.schema import enum
from poolscope.evidence.culprit import free_the_threads
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs
from poolscope.findings.advice import (
    figure,
    fix,
    how_to_see,
    met_lock,
    more_threads,
    predicted,
    shorten_the_lock,
    threads_would_not_help,
)
from poolscope.findings.finding import Finding
from poolscope.findings.ranking import MOST
from poolscope.findings.rule import Rule
from poolscope.measures.tasks import TaskWaits
from poolscope.naming.choice import KIND_WORDS
from poolscope.whatif.fixes import AWAIT, MOST_THREADS


UNSEEN = " This is a lower bound: the lock or service that they block on may serve only a few at once."


NOT_REACHED = "Blocked items would have held every thread that the maximum allows"


class BlockedAtCap(Rule):
    """Fires when waiting behind blocked items, with the pool at its maximum, is a notable part of the wait.

    The ladder's world `ready` has every thread below the maximum at once. The delay that remains in it, and that
    disappears when blocked items hold no thread, is caused by the maximum.
    """

    id = "blocked-at-cap"
    title = "The maximum of threads did not hold items back"
    failing_title = "Blocked items held all the threads that the maximum allows"
    needs = ("work_items", "pool_limits", "thread_states")
    documentation = "blocked-at-cap"
    golden = "blocked-at-cap"
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        split = evidence.split
        holding = split.parts.holding
        if not evidence.is_notable(holding):
            return None
        maximum = int(evidence.attribution.pool.maximum.value.min())
        goal = int(evidence.attribution.pool.goal.value.max())
        # The ladder computes how much wait would remain with all threads, whether or not the pool ever had this many.
        reached = goal >= maximum
        execution = evidence.attribution.execution
        blocked = float(execution.blocked.sum())
        total = float((evidence.attribution.items.end - evidence.attribution.items.dequeue).sum())
        wait, more = fix(evidence, AWAIT), fix(evidence, MOST_THREADS)
        lock = met_lock(evidence, wait) if wait and wait.after_ms is not None else None
        first = free_the_threads(evidence.culprit) + figure(wait)
        may = "if the service or lock that items wait for can serve more of them at once"
        found = self.of_wait(
            evidence,
            holding,
            because=f"blocked items {'held' if reached else 'would have held even'} every thread that the pool's maximum allows",
            said=[
                f"The pool's maximum is {maximum:,} worker threads"
                f"{' (inferred)' if evidence.attribution.pool.limits_known == 'inferred' else ''}.",
                *(
                    []
                    if reached
                    else [
                        f"It wanted {goal:,} at most; with all {maximum:,} at once this part of the wait remains (replayed)."
                    ]
                ),
                *(
                    [
                        f"Items spent {percent(blocked / total)} of their execution blocked, each holding a thread meanwhile."
                    ]
                    if total
                    else []
                ),
                *([evidence.culprit.sentence()] if evidence.culprit else []),
            ],
            advice=[
                first.removesuffix(".") + lock.warning() if lock else first + (UNSEEN if wait else ""),
                f"Or allow more than {maximum:,} threads, {may}{'.' if lock else f'; {how_to_see(evidence)}'}{figure(more)}",
            ],
            predicted=predicted(evidence, AWAIT, MOST_THREADS),
        )
        return found if reached else replace(found, title=NOT_REACHED)


COOPERATIVE = enum("pool_changes", "reason", "CooperativeBlocking")


class SyncOverAsync(Rule):
    """Fires when waiting behind threads blocked in Task.Wait, Result or GetResult is a notable part of the wait.

    The cost is the injection delay and the cost of blocked items at the maximum, times the share of the busy threads
    that were in such a wait. That share is measured. There is no other threshold: such a wait has no background level.
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


NO_THREADS = " With more threads, items start sooner but end no sooner: they queue for the lock instead of the pool."


class LockConvoy(Rule):
    """Fires when items spent a tenth of their execution waiting for one lock (Evidence.has_convoy says why a tenth).

    If most of the wait is behind items that held threads while they queued for the lock or held it, that wait is its
    cost. Otherwise the cost is the time that items were blocked on the lock, in item-seconds: delay after the start,
    whereas the other rules count delay before it. Both make an item late, so the costlier one is the verdict.
    """

    id = "lock-convoy"
    title = "No lock held up the items"
    failing_title = "Items queued for one lock"
    needs = ("work_items", "waits")
    documentation = "lock-convoy"
    golden = ""
    section = "blame"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        waits = evidence.costliest_lock
        if waits is None or not evidence.has_convoy:
            return None
        items = evidence.attribution.items
        share = waits.total / NS_PER_S / evidence.execution_seconds
        at_once = int(Steps.count(waits.start, waits.end).value.max())
        mean = duration(waits.total / items.count / NS_PER_MS)
        said = [
            f"{waits.items:,} of {items.count:,} items waited for lock {waits.lock:#x}, up to {at_once:,} at a time: "
            f"{duration(waits.total / NS_PER_MS)} in all, {percent(share)} of all execution.",
        ]
        handed = np.diff(waits.end)
        if len(handed) >= 2:
            said.append(f"It was handed on every {duration(float(np.median(handed)) / NS_PER_MS)} (median).")
        owners = waits.owner[waits.owner >= 0]
        if len(owners):
            by_items = float(np.isin(owners, items.worker).mean())
            said.append(f"When they began to wait, a pool worker held it in {percent(by_items)} of the cases.")
        if evidence.lock_owners is not None:
            said.append(_doing(evidence.lock_owners))
        shorten = shorten_the_lock(evidence) + (NO_THREADS if threads_would_not_help(evidence) else "")
        behind = _behind(evidence, waits.total)
        if behind is not None:
            return self.of_wait(
                evidence, behind, because="items that queued for one lock held the threads", said=said, advice=[shorten]
            )
        return self.of_end(
            waits.total / NS_PER_S,
            share,
            f"{mean} per item blocked on it, {percent(share)} of the execution",
            because="items queued for one lock",
            said=said,
            advice=[shorten],
            where=self.at(evidence, Costs(items.row[waits.item], waits.start, waits.end, waits.end - waits.start)),
        )


def _behind(evidence: Evidence, waited: int) -> FloatArray | None:
    """Returns how long each item waited behind items that held threads while they queued for the lock or held it, ns.
    None if that is less than MOST of the judged items' wait.

    This is the part of the wait that no obstacle explains, times the lock's share of the time that items were blocked.
    """
    split = evidence.attribution.split
    if split is None or evidence.is_healthy:
        return None
    owners = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    held = float(owners["was"]["blocked"]) * NS_PER_S if owners is not None else 0.0
    blocked = float(evidence.attribution.execution.blocked.sum())
    part = np.asarray(split.parts.dependency * min((waited + held) / max(blocked, 1.0), 1.0))
    return part if evidence.item_seconds(part) >= MOST * evidence.waiting_item_seconds else None


def _doing(owners: Owners) -> str:
    """Returns what the lock holders did while others waited, as shares of that time."""
    held = owners.to_json()
    was = held["was"]
    states = {"blocked": was["blocked"], "running": was["cpu"], "waiting for a core": was["ready"]}
    shares = {words: thread_s / (held["thread_s"] or 1.0) for words, thread_s in states.items()}
    said = ", ".join(f"{words} {percent(share)}" for words, share in shares.items() if share > 0)
    who = (
        "the thread that held it was" if held["threads"] == 1 else f"the {held['threads']:,} threads that held it were"
    )
    text = f"While items waited for it, {who} {said or 'not seen'} of that time"
    if held["method"] is None:
        return text + "."
    kind = f" ({KIND_WORDS[held['kind']]})" if held["kind"] and held["kind"] != "unknown" else ""
    return f"{text}, mostly in {held['method']}{kind}."
