"""A lock at which items met although few ran at once: what a fix that lets more of them run would run into.

A lock that two threads hardly ever wait for can be what a hundred queue for. The replay has it as it was seen, so what it
predicts of more items at once leaves that out; one wait in the capture is enough to warn of it by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, items
from poolscope.evidence.evidence import Evidence
from poolscope.whatif.fixes import Fix

WORTHWHILE = 0.1
"""For the mean delay: if the lock, taken by every item, would hold them up for less, it is not worth a warning."""
MORE_THREADS = 10
"""Times as many threads to record with, to see what they meet at then; at most what was queued and running at once."""
LOCK = "lock"
"""Kind of a row of blame."""


@dataclass(frozen=True)
class MetLock:
    """The lock that items waited for longest, where that was too little for a convoy."""

    waited: int
    """Items that waited for it."""
    count: int
    """All items."""
    held_ms: float
    """How long it was held, at least: median over the waits."""
    method: str | None
    """Where they waited for it; None: not known, or in several places."""

    @property
    def least_delay_ms(self) -> float:
        """Mean delay if each item takes it once for as long, however many run at once."""
        return self.held_ms * (self.count - 1) / 2

    def warning(self) -> str:
        """Follows a predicted delay in its sentence, and ends it."""
        where = f"a lock in {self.method}" if self.method else "a lock"
        met = "met another" if self.waited == 1 else "met others"
        return (
            f", which leaves out {where}: {items(self.waited)} of {self.count:,} {met} there and waited "
            f"{duration(self.held_ms)}. If every item takes it for as long, the mean delay of items cannot fall below "
            f"{duration(self.least_delay_ms)}, however many run at once: look at that lock first."
        )


def met_lock(evidence: Evidence, fix: Fix) -> MetLock | None:
    """Finds the lock that items would meet with `fix`. Returns None if nothing waited for a lock, or so little that the
    prediction for `fix` may hold, or so much that there is a finding of its own. Also None if the delay would exceed
    the measured one: then not every item takes the lock for as long."""
    waits = evidence.costliest_lock
    if waits is None or evidence.has_convoy:
        return None
    before = np.concatenate((np.zeros(1, dtype=np.int64), waits.end[:-1]))
    held = float(np.median(waits.end - np.maximum(waits.start, before))) / NS_PER_MS
    rows = [row.method for row in evidence.blame.rows if row.kind == LOCK] if evidence.blame else []
    found = MetLock(waits.items, evidence.attribution.items.count, held, rows[0] if len(rows) == 1 else None)
    least = max(1.0 - fix.removed, WORTHWHILE) * evidence.mean_delay_ms
    return found if least < found.least_delay_ms <= evidence.mean_delay_ms else None


def how_to_see(evidence: Evidence) -> str:
    """Returns what to do to see what a recording with this few threads cannot show, with the command."""
    threads = _threads_to_try(evidence)
    return (
        "a recording with more threads shows what they meet at then: "
        f"DOTNET_ThreadPool_ForceMinWorkerThreads={threads:X} DOTNET_ThreadPool_ForceMaxWorkerThreads={threads:X} "
        f"poolscope collect -- COMMAND (hexadecimal: {threads:,} threads), or set them where the program does."
    )


def _threads_to_try(evidence: Evidence) -> int:
    pool = evidence.attribution.pool
    at_once = pool.queued.combine(pool.busy, np.add)
    return int(max(min(float(at_once.value.max()), MORE_THREADS * float(pool.maximum.value.min())), 2))
