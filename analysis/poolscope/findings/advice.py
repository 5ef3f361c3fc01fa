"""The advice of a finding: the predicted effects of fixes, the reader's own code to change, and the lock that a fix
would hit.

A lock that two threads rarely wait for can block a hundred, even if few items ran at once. The replay uses the lock as
it was recorded, so its predictions with more items at once do not include that contention. One recorded wait is enough
to warn of the lock by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, items, percent
from poolscope.evidence.culprit import LOCKS, free_the_threads, place_words
from poolscope.evidence.evidence import Evidence
from poolscope.findings.finding import Predicted
from poolscope.whatif.advice import Advice
from poolscope.whatif.fixes import AWAIT, THREADS, Fix
from poolscope.whatif.prediction import MEAN
from poolscope.whatif.uncertain import many_unfinished


WORTHWHILE = 0.1
"""A share of the mean delay. The lock deserves a warning only if it would delay items by at least this much when every
item takes it."""
MORE_THREADS = 10
"""The factor by which to raise the threads of another recording, to show what items contend for then. The product is
capped at the most items queued and running at once."""
LOCK = "lock"
"""The kind of a row of blame."""


@dataclass(frozen=True)
class MetLock:
    """The lock that items waited for longest, if that wait was too short for a convoy."""

    waited: int
    """The number of items that waited for it."""
    count: int
    """The number of all items."""
    held_ms: float
    """The least time that it was held: the median over the waits, ms."""
    method: str | None
    """The method in which items waited for it. None if unknown, or if there are several."""

    @property
    def least_delay_ms(self) -> float:
        """The mean delay, ms, if each item takes the lock once for this long, however many run at once."""
        return self.held_ms * (self.count - 1) / 2

    def warning(self) -> str:
        """Returns a clause that follows a predicted delay and ends its sentence."""
        where = f"a lock in {self.method}" if self.method else "a lock"
        met = "met another" if self.waited == 1 else "met others"
        return (
            f", which leaves out {where}: {items(self.waited)} of {self.count:,} {met} there and waited "
            f"{duration(self.held_ms)}. If every item takes it for as long, the mean delay of items cannot fall below "
            f"{duration(self.least_delay_ms)}, however many run at once: look at that lock first."
        )


def met_lock(evidence: Evidence, fix: Fix) -> MetLock | None:
    """Finds the lock that items would contend for with `fix`.

    Returns None if nothing waited for a lock, if the wait was so short that the prediction for `fix` may hold, or if it
    was long enough for its own finding. Also returns None if the delay would exceed the measured one: then not every
    item takes the lock for this long.
    """
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
    """Returns advice, with the command, on how to see what a recording with this few threads cannot show."""
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


HOT_SHARE = 0.1
"""A share of the workers' CPU samples. Changing a method with less would not relieve the cores."""


def less_cpu(evidence: Evidence) -> str:
    """Returns a sentence on where to spend less CPU, with the user's hottest method if the samples show it."""
    row = next(iter(evidence.hot_methods), None)
    if evidence.cpu is None or row is None or row.nearest < HOT_SHARE * evidence.cpu.workers:
        return "Spend less CPU per item."
    where = str(row.frame.method)
    if row.place is not None:
        where += f" ({place_words(row.place[0], row.place[1])})"
    return (
        f"Spend less CPU per item: {percent(row.nearest / evidence.cpu.workers)} of the workers' CPU samples are in {where} "
        "and in the framework code that it calls."
    )


def shorten_the_lock(evidence: Evidence) -> str:
    """Returns advice on the costliest lock: a sentence that names where items wait for it and what its holder does, as
    far as events and samples show."""
    rows = [row for row in evidence.blame.rows if row.kind in LOCKS and row.method] if evidence.blame else []
    held = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    guarded = str(rows[0].method) if rows else None
    if rows and rows[0].place is not None:
        guarded = f"{guarded} ({place_words(rows[0].place[0], rows[0].place[1])})"
    if rows and rows[0].call is not None and rows[0].call.advice is not None:
        where = f"In {guarded}, for" if rows[0].own else "For"
        return f"{where} {rows[0].call.call}: {rows[0].call.advice}."
    said = f"Shorten the critical section that {guarded} waits for" if guarded else "Shorten the critical section"
    if held is None or held["method"] is None:
        return f"{said}: move waiting and computing out of it, or split what it guards."
    holder = str(held["method"])
    if held["file"] and held["line"]:
        holder += f" ({place_words(held['file'], held['line'])})"
    return f"{said}: its holder spends the time in {holder}. Move that out of the lock, or split what the lock guards."


BLOCKED_SHARE = 0.1
"""A share of the time in which the pool's threads were busy. Below a tenth, blocking is not why items waited."""
INVISIBLE = (
    " This is a lower bound: the simulation does not know locks and services that no item queued for in this run."
)

UNFINISHED = (
    " This is a lower bound: many items had not ended when the capture did, and their remaining work is unknown."
)


def fixes(evidence: Evidence) -> list[Fix]:
    """Returns the fixes of this capture, best first. Empty if nothing waits, or if nothing can be simulated."""
    what_if = None if evidence.is_well else evidence.what_if
    return [] if what_if is None else what_if.fixes


def fix(evidence: Evidence, kind: str) -> Fix | None:
    """Returns the fix of this kind if it may be advised: it shortens the delay notably, in a model that fits the
    run."""
    return next((f for f in fixes(evidence) if f.kind == kind and f.shortens), None)


def more_threads(evidence: Evidence) -> Fix | None:
    """Returns the fix that raises the minimum of threads, if it may be advised."""
    what_if = evidence.what_if
    found = fix(evidence, THREADS)
    if found is None or what_if is None or int(found.id.partition(":")[2]) <= what_if.captured.min_threads:
        return None
    return found


def threads_would_not_help(evidence: Evidence) -> bool:
    """Returns whether the list of fixes shows that more threads do not help. Advice says so only then."""
    return any(f.kind == THREADS and f.after_ms is not None for f in fixes(evidence)) and more_threads(evidence) is None


def predicted(evidence: Evidence, *kinds: str) -> list[Predicted]:
    """Returns the predictions of the fixes of these kinds, without a fix that would make items end later."""
    return [
        Predicted(f.id, f.before_ms, f.after_ms, f.low_ms, f.high_ms, f.lower_bound)
        for f in fixes(evidence)
        if f.kind in kinds
        and f.after_ms is not None
        and f.low_ms is not None
        and f.high_ms is not None
        and f.after_ms < f.before_ms
    ]


def figure(found: Fix | None) -> str:
    """Returns a sentence with the prediction of a fix, after a space. Empty if there is none to show."""
    if found is None or not found.figure:
        return ""
    return f" Predicted {MEAN[found.of]}: {found.figure}, measured {duration(found.before_ms)}."


def advice_of(evidence: Evidence, *ids: str) -> Advice | None:
    """Returns the advice of the minimum-threads sweep with one of these ids. None also if the model does not fit the
    run."""
    what_if = evidence.what_if
    if what_if is None or not what_if.calibration.is_usable:
        return None
    return next((a for a in what_if.advice if a.id in ids), None)


def removable(evidence: Evidence) -> dict[str, float]:
    """Returns the drop in the mean delay per item, ms, if one obstacle alone is removed.

    The values are part of the attribution, not predictions of fixes. They are not additive, and a negative value means
    that the delay would rise.
    """
    removable = evidence.split.ladder.removable
    return {name: round(drop / NS_PER_MS, 6) for name, drop in removable.items()}


def threads_needed(evidence: Evidence) -> int:
    """Returns the largest number of items that hold a thread at once if the pool is never short of threads."""
    return evidence.split.ladder.threads_needed


def advise(evidence: Evidence) -> list[str]:
    """Returns advice on items that wait for a thread: the fixes in the list, the better one first.

    Awaiting comes first if it is as good as more threads. If the model does not fit the run, only the code change is
    advised.
    """
    what_if = evidence.what_if
    if what_if is None or not what_if.calibration.is_usable:
        return [free_the_threads(evidence.culprit)] if blocked_share(evidence) >= BLOCKED_SHARE else [SHORTER]
    wait, threads = fix(evidence, AWAIT), more_threads(evidence)
    said = {
        AWAIT: wait and free_the_threads(evidence.culprit) + figure(wait),
        THREADS: threads and _threads_advice(evidence, threads),
    }
    order = [f.kind for f in fixes(evidence) if f in (wait, threads)]
    lines = [line for kind in order if (line := said[kind])]
    if not lines:
        return [free_the_threads(evidence.culprit)] if blocked_share(evidence) >= BLOCKED_SHARE else [SHORTER]
    if wait is not None and threads is not None:
        if wait.is_enough and threads.is_enough:
            return ["Either fix is enough. The first one needs no more threads.", *lines]
        return [lines[0], f"Or: {lines[1][0].lower()}{lines[1][1:]}"]
    return lines


SHORTER = "Make items hold their threads for a shorter time: split long ones, or move them to threads of their own."
"""The advice if no setting is known to help and the items are hardly blocked."""


def blocked_share(evidence: Evidence) -> float:
    """Returns the share of the injection delay in which the pool's threads were blocked, 0 to 1."""
    injection = float(evidence.split.parts.injection.sum())
    return float(evidence.split.behind_blocked.sum()) / injection if injection else 0.0


def _threads_advice(evidence: Evidence, threads: Fix) -> str:
    # Returns the advice for more threads, as a lower bound if the capture missed work.
    #
    # A late capture misses items that were queued before it and never started in it. A short one cannot show how long
    # unfinished items run.
    unfinished = many_unfinished(evidence.attribution)
    least = "at least " if evidence.coverage.censored_start > 0 or unfinished else ""
    number = int(threads.id.partition(":")[2])
    lock = met_lock(evidence, threads)
    text = (
        f"Set the minimum worker threads to {least}{number:,} (System.Threading.ThreadPool.MinThreads, or "
        f"ThreadPool.SetMinThreads).{figure(threads)}"
    )
    if lock is not None:
        return text.removesuffix(".") + lock.warning()
    return text + (UNFINISHED if unfinished else INVISIBLE if threads.lower_bound else "")
