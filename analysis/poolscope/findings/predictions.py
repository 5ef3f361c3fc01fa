"""What the one list of fixes says of a finding: its predicted effects, and the advice that rests on them."""

from __future__ import annotations

import numpy as np

from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration
from poolscope.evidence.culprit import free_the_threads
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.met_lock import met_lock
from poolscope.findings.finding import Predicted
from poolscope.whatif.advice import Advice
from poolscope.whatif.fixes import AWAIT, THREADS, Fix
from poolscope.whatif.prediction import MEAN
from poolscope.whatif.uncertain import many_unfinished

BLOCKED_SHARE = 0.1
"""For the time that the pool's threads were busy: below a tenth, what they were blocked in is not why items waited."""
INVISIBLE = (
    " This is a lower bound: the simulation does not know locks and services that no item queued for in this run."
)

UNFINISHED = (
    " This is a lower bound: many items had not ended when the capture did, and their remaining work is unknown."
)


def fixes(evidence: Evidence) -> list[Fix]:
    """Returns the fixes of this capture, best first; none if nothing waits, or nothing can be simulated."""
    what_if = evidence.what_if
    return [] if what_if is None or evidence.is_well else what_if.fixes


def fix(evidence: Evidence, kind: str) -> Fix | None:
    """Returns the fix of this kind, if it may be advised: it shortens the delay notably, in a model that fits the run."""
    return next((f for f in fixes(evidence) if f.kind == kind and f.shortens), None)


def more_threads(evidence: Evidence) -> Fix | None:
    """Returns the higher minimum of threads that may be advised."""
    what_if = evidence.what_if
    found = fix(evidence, THREADS)
    if found is None or what_if is None or int(found.id.partition(":")[2]) <= what_if.captured.min_threads:
        return None
    return found


def threads_would_not_help(evidence: Evidence) -> bool:
    """Returns whether the list says so: then, and only then, may an advice."""
    return any(f.kind == THREADS and f.after_ms is not None for f in fixes(evidence)) and more_threads(evidence) is None


def predicted(evidence: Evidence, *kinds: str) -> list[Predicted]:
    """Returns the figures of the fixes of these kinds. One that would make items end later is not among them."""
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
    """Returns a sentence with the figure of a fix, after a space; empty if there is none to show."""
    if found is None or not found.figure:
        return ""
    return f" Predicted {MEAN[found.of]}: {found.figure}, measured {duration(found.before_ms)}."


def advice_of(evidence: Evidence, *ids: str) -> Advice | None:
    """Returns what the sweep of minimum threads advises, of these kinds; None also where the model does not fit the run."""
    what_if = evidence.what_if
    if what_if is None or not what_if.calibration.is_usable:
        return None
    return next((a for a in what_if.advice if a.id in ids), None)


def removable(evidence: Evidence) -> dict[str, float]:
    """Returns by how much the mean delay per item falls if one obstacle alone is removed, ms. It is part of the
    attribution, and no prediction of a fix. Not additive; below 0 the delay would rise."""
    ladder = evidence.split.ladder
    alone = {"threads": ladder.enough_threads, "async": ladder.no_holding_alone, "cores": ladder.enough_cores_alone}
    return {
        name: round(float((ladder.actual - delay).mean()) / NS_PER_MS, 6) if len(delay) else 0.0
        for name, delay in alone.items()
    }


def threads_needed(evidence: Evidence) -> int:
    """Returns the most items that hold a thread at once if the pool is never short of threads."""
    outcome = evidence.split.ladder.enough_threads_outcome
    held = np.isfinite(outcome.start) & np.isfinite(outcome.end)
    if not held.any():
        return 0
    return int(Steps.count(outcome.start[held], outcome.end[held]).value.max())


def advise(evidence: Evidence) -> list[str]:
    """Returns what to do about items that wait for a thread: the fixes that the list has, the better one first, and awaiting first if it is as good as more threads. If the model does not fit the run, only the change of the code."""
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
"""If no setting is known to help and the items are hardly blocked."""


def blocked_share(evidence: Evidence) -> float:
    """Returns the part of the injection delay in which the pool's threads were blocked, 0 ... 1."""
    injection = float(evidence.split.parts.injection.sum())
    return float(evidence.split.behind_blocked.sum()) / injection if injection else 0.0


def _threads_advice(evidence: Evidence, threads: Fix) -> str:
    # A late capture does not see items that were queued before it and never started in it, and a short one not how long
    # items run that have not ended.
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
