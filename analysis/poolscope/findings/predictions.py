"""Predicted effects of one fix alone, and the advice that rests on them."""

from __future__ import annotations

import numpy as np

from poolscope.findings.culprit import free_the_threads
from poolscope.findings.evidence import Evidence
from poolscope.findings.finding import Predicted
from poolscope.findings.words import duration
from poolscope.series import Steps
from poolscope.units import NS_PER_MS

EITHER = 0.9
"""Two fixes are called equal when each removes at least nine tenths of the delay."""


def predict(evidence: Evidence, fix: str) -> Predicted:
    """The mean delay with `fix` alone: threads, async or cores."""
    after = removable(evidence)[fix]
    return Predicted(fix, round(evidence.mean_delay_ms, 6), round(evidence.mean_delay_ms - after, 6))


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
    """What to do about items that wait for a thread: async first where it does as well as more threads."""
    removed = removable(evidence)
    delay = evidence.mean_delay_ms
    enough = {fix for fix, fall in removed.items() if delay > 0 and fall >= EITHER * delay}
    async_advice = (
        f"{free_the_threads(evidence.culprit)} Predicted mean delay: {duration(predict(evidence, 'async').delay_after_ms)} "
        f"(measured {duration(delay)})."
    )
    # A late capture does not see items that were queued before it and never started in it.
    unseen = evidence.coverage.censored_start > 0
    needed = f"at least {threads_needed(evidence):,}" if unseen else f"{threads_needed(evidence):,}"
    threads_advice = (
        f"Or let the pool start with enough threads: {needed} items would run at once, so set the minimum worker "
        f"threads to {needed} (System.Threading.ThreadPool.MinThreads, or ThreadPool.SetMinThreads). "
        f"Predicted mean delay: {duration(predict(evidence, 'threads').delay_after_ms)}; a lower bound, because "
        "locks and services that nothing queued for in this run are invisible to it."
    )
    if {"async", "threads"} <= enough:
        return ["Either of these alone would do; the first one costs no threads.", async_advice, threads_advice]
    return [async_advice, threads_advice] if removed["async"] >= removed["threads"] else [threads_advice, async_advice]
