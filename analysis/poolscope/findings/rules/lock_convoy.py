"""Items ended late because they queued for one lock."""

from __future__ import annotations

import numpy as np

from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.findings.words import duration, percent
from poolscope.series import Steps
from poolscope.units import NS_PER_MS, NS_PER_S


class LockConvoy(Rule):
    """Fires when items spent a tenth of their execution waiting for one lock (Evidence.has_convoy says why a tenth).

    Its cost is the time that items were blocked on the lock, in item-seconds: delay after the start, where the other
    rules count delay before it. Both are time that an item is late, so the dearer one is the verdict.
    """

    id = "lock-convoy"
    title = "No lock held up the items"
    failing_title = "Items queued for one lock"
    needs = ("work_items", "waits")
    documentation = "lock-convoy"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        waits = evidence.dearest_lock
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
        return Finding(
            id=self.id,
            severity="high" if share >= 0.5 else "medium" if share >= 0.25 else "low",
            title=self.failing_title,
            number=f"{mean} per item blocked on it, {percent(share)} of the execution",
            item_seconds=waits.total / NS_PER_S,
            because="items queued for one lock",
            evidence=said,
            advice=[
                "Hold the lock for less: move waiting and computing out of it, or split what it guards. More threads make "
                "items start sooner and end no sooner, because they then queue for the lock instead of the pool.",
            ],
            predicted=[],
        )
