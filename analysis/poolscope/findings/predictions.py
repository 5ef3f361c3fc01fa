"""Predicted effects of one fix alone, and the advice that rests on them."""

from __future__ import annotations

import numpy as np

from poolscope.findings.culprit import free_the_threads
from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Predicted
from poolscope.findings.met_lock import met_lock
from poolscope.words import duration
from poolscope.series import Steps
from poolscope.units import NS_PER_MS
from poolscope.whatif import Prediction
from poolscope.whatif.advice import HELP, HURT, MOVE, Advice
from poolscope.whatif.explore import ASYNC, FIX

WORTHWHILE = 0.1
"""Of the mean delay: a fix that takes away less is not advised, where another one takes away more. As for causes."""
INVISIBLE = "; a lower bound, because locks and services that nothing queued for in this run are invisible to it."
EITHER = 0.9
"""Two fixes are called equal when each removes at least nine tenths of the delay."""


def predict(evidence: Evidence, fix: str) -> Predicted:
    """The mean delay with `fix` alone: threads, async or cores. By the simulation where it is known to be good; else,
    and for cores without end, by the replay."""
    before = round(evidence.mean_delay_ms, 6)
    row = _simulated(evidence, fix)
    if row is not None:
        after = max(row.completion_ms["mean"] - _mean_demand_ms(evidence), 0.0)
        return Predicted(fix, before, round(after, 6), "simulation")
    # Rounding can leave a little less than nothing.
    return Predicted(fix, before, round(max(evidence.mean_delay_ms - removable(evidence)[fix], 0.0), 6))


def advice_of(evidence: Evidence, *ids: str) -> Advice | None:
    """What the sweep of minimum threads advises, of these kinds; None also where its simulation is not to be trusted."""
    what_if = evidence.what_if
    if what_if is None or not what_if.calibration.is_usable:
        return None
    return next((a for a in what_if.advice if a.id in ids), None)


def _simulated(evidence: Evidence, fix: str) -> Prediction | None:
    """The row that shows this fix alone, if its figures are as good as measured ones."""
    what_if = evidence.what_if
    if what_if is None or not what_if.calibration.is_good or evidence.attribution.items.censored.any():
        return None
    row = None
    if fix == "async":
        row = what_if.row(FIX, ASYNC)
    elif fix == "threads" and what_if.sweep:
        helps = advice_of(evidence, HELP) is not None
        row = what_if.knee if helps else what_if.sweep[-1]
    return row if row is not None and np.isfinite(row.completion_ms["mean"]) else None


def _mean_demand_ms(evidence: Evidence) -> float:
    """What an item takes when nothing holds it up."""
    return float(evidence.split.workload.demand[: evidence.attribution.items.count].mean()) / NS_PER_MS


def removable(evidence: Evidence) -> dict[str, float]:
    """Fall of the mean delay per item when one obstacle alone is removed, ms. Not additive; below 0 it would rise."""
    ladder = evidence.split.ladder
    alone = {"threads": ladder.ready, "async": ladder.async_alone, "cores": ladder.cores_alone}
    return {
        fix: round(float((ladder.actual - delay).mean()) / NS_PER_MS, 6) if len(delay) else 0.0
        for fix, delay in alone.items()
    }


def threads_needed(evidence: Evidence) -> int:
    """Most items that hold a thread at once when the pool is never short of threads."""
    outcome = evidence.split.ladder.ready_outcome
    held = np.isfinite(outcome.start) & np.isfinite(outcome.end)
    if not held.any():
        return 0
    return int(Steps.count(outcome.start[held], outcome.end[held]).value.max())


def advise(evidence: Evidence) -> list[str]:
    """What to do about items that wait for a thread, the better fix first, and async first where it does as well as more
    threads. More threads are not advised where items would end no sooner with them, and nothing that would bring little
    where the other fix brings more."""
    delay = evidence.mean_delay_ms
    after = {fix: predict(evidence, fix).delay_after_ms for fix in ("async", "threads")}
    async_advice = (
        f"{free_the_threads(evidence.culprit)} Predicted mean delay: {duration(after['async'])} "
        f"(measured {duration(delay)})."
    )
    against = advice_of(evidence, HURT, MOVE)
    if against is not None:
        return [async_advice, against.text] if after["async"] < delay else [against.text]
    enough = {fix for fix, left in after.items() if delay > 0 and delay - left >= EITHER * delay}
    if {"async", "threads"} <= enough:
        first = "Either of these alone would do; the first one costs no threads."
        return [first, async_advice, _threads_advice(evidence, after["threads"], "Or let")]
    little = {fix for fix, left in after.items() if delay - left < WORTHWHILE * delay}
    if little == {"async"}:
        return [_threads_advice(evidence, after["threads"], "Let")]
    if little == {"threads"}:
        return [async_advice]
    if after["async"] <= after["threads"]:
        return [async_advice, _threads_advice(evidence, after["threads"], "Or let")]
    return [_threads_advice(evidence, after["threads"], "Let"), f"Or free{async_advice.removeprefix('Free')}"]


def _threads_advice(evidence: Evidence, after_ms: float, opening: str) -> str:
    """`opening`: how the sentence begins, as it stands alone or after another."""
    # A late capture does not see items that were queued before it and never started in it.
    least = "at least " if evidence.coverage.censored_start > 0 else ""
    raising = advice_of(evidence, HELP)
    if raising is not None and _simulated(evidence, "threads") is not None:
        why, threads = "", raising.min_threads
    else:
        threads = threads_needed(evidence)
        why = f"{least}{threads:,} items would run at once, so "
    lock = met_lock(evidence, after_ms)
    return (
        f"{opening} the pool start with enough threads: {why}set the minimum worker threads to {least}{threads:,} "
        "(System.Threading.ThreadPool.MinThreads, or ThreadPool.SetMinThreads). "
        f"Predicted mean delay: {duration(after_ms)} (measured {duration(evidence.mean_delay_ms)})"
        f"{lock.warning() if lock else INVISIBLE}"
    )
