"""Items ended late because they queued for one lock."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, percent
from poolscope.blame import Owners
from poolscope.blame.kinds import KIND_WORDS
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.own_code import shorten_the_lock
from poolscope.evidence.where import Costs
from poolscope.findings.finding import Finding
from poolscope.findings.predictions import threads_would_not_help
from poolscope.findings.ranking import MOST
from poolscope.findings.rule import Rule

NO_THREADS = " With more threads, items start sooner but end no sooner: they queue for the lock instead of the pool."


class LockConvoy(Rule):
    """Fires when items spent a tenth of their execution waiting for one lock (Evidence.has_convoy says why a tenth).

    If most of the wait is behind items that held threads while they queued for the lock or held it, that wait is its cost.
    Else it is the time that items were blocked on the lock, in item-seconds: delay after the start, where the other rules
    count delay before it. Both are time that an item is late, so the costlier one is the verdict.
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
    """Returns what each item waited behind items that held threads while they queued for the lock or held it, ns; None if that is
    less than MOST of the judged items' wait.

    It is the part of the wait that no obstacle explains, by the lock's share of what items were blocked in."""
    split = evidence.attribution.split
    if split is None or evidence.is_healthy:
        return None
    owners = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    held = float(owners["was"]["blocked"]) * NS_PER_S if owners is not None else 0.0
    blocked = float(evidence.attribution.execution.blocked.sum())
    part = np.asarray(split.parts.dependency * min((waited + held) / max(blocked, 1.0), 1.0))
    return part if evidence.item_seconds(part) >= MOST * evidence.waiting_item_seconds else None


def _doing(owners: Owners) -> str:
    """Returns what those who held the lock did meanwhile, in the time of those who waited."""
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
