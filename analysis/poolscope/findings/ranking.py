"""Decides, for all rules, which finding is the verdict.

The ladder divides the wait among general causes that do not overlap: injection delay, blocking at the maximum, core
contention, suspension. The costliest one, in item-seconds, shows where the wait went. A specific finding says more
about the same wait (`Finding.explains`): what held the threads, or why the pool did not grow. It replaces its general
cause if it explains most of it. The general one remains a finding.

A symptom says what the wait did to some items, not why they waited. Advice says what a change would do. Neither is ever
the verdict.
"""

from __future__ import annotations

from poolscope.findings.finding import Finding

MOST = 0.5
"""The share of the general cause's item-seconds from which a specific one replaces it: the rest is then the smaller
part. Half is also where a severity becomes high. With less, the verdict would name a cause that was absent for most of
the wait."""

AS_COSTLY = 0.8
"""The share of the costliest general cause's item-seconds from which another counts as equal: predictions of the replay
are called good up to an error of a fifth. Among equals, the verdict is the cause whose fix alone saves more, because a
reader may apply only one fix."""

BETTER = 1.25
"""The factor by which the fix of a less costly cause must save more than the costliest cause's fix for that cause to
become the verdict.

The cause must have at least half of the costliest one's item-seconds (MOST). The factor allows for a replay error of a
fifth. On a machine that others kept busy, `wait-then-compute` had 3.0 s of core contention and 2.0 s of blocking; a
core for every thread would have saved 1.3 s of the delay, awaiting 2.0 s.
"""

ELSEWHERE = ("noisy-neighbour", "cgroup-throttled")
"""Causes outside the process. They come first among equals with equal fixes, because they need no change to the
program."""

CORES = "core-contention"
"""The cause of a lack of cores that nothing outside the process took."""

IN_CODE = ("sync-over-async",)
"""Specific causes that a code change can fix. They come first if several causes each explain most of the wait, because
the rules by which the pool grows can only be worked around."""

SYMPTOMS = ("late-timers", "hidden-waits", "connection-pool-wait")
"""Symptoms: they follow from a cause and are never the verdict.

If a program awaits Task.Delay, most of its items are timer callbacks. Weighing their wait against the causes would name
their lateness as the reason for their lateness. A wait for a connection is a symptom if items waited as well. Otherwise
it is a cause, with a sentence of its own.
"""

ADVICE = ("min-threads-would-help", "min-threads-would-hurt", "wait-would-move")
"""Findings about the effect of a change, not about what happened."""

NEVER_THE_VERDICT = SYMPTOMS + ADVICE


def choose(causes: list[Finding]) -> Finding:
    """Returns the verdict's finding. `causes` must not be empty."""
    general = [f for f in causes if not f.explains]
    if not general:
        return max(causes, key=lambda f: f.item_seconds)
    costliest = _costliest(general)
    enough = [f for f in causes if 0 < MOST * costliest.item_seconds <= f.explains.get(costliest.id, 0.0)]
    return max(enough, key=lambda f: (f.id in IN_CODE, f.explains[costliest.id]), default=costliest)


def _costliest(general: list[Finding]) -> Finding:
    """Returns the costliest of these; or its equal with the better fix; or one with half the cost and a clearly better
    fix."""
    costliest = max(general, key=lambda f: f.item_seconds)
    for share, better in ((AS_COSTLY, 1.0), (MOST, BETTER)):
        near = [f for f in general if f.item_seconds >= share * costliest.item_seconds]
        if any(f.ended_late != costliest.ended_late for f in near):
            return costliest
        if not all(f.predicted for f in near):
            # Without predictions to compare, the share of the missing cores that other processes took still comes first
            # among equals.
            outside = [f for f in near if f.id in ELSEWHERE and costliest.id == CORES and share == AS_COSTLY]
            return max(outside, key=lambda f: f.item_seconds, default=costliest)
        enough = [f for f in near if f is costliest or _saved_ms(f) >= better * _saved_ms(costliest)]
        best = max(enough, key=lambda f: (_saved_ms(f), f.id in ELSEWHERE, f.item_seconds))
        if best is not costliest:
            return best
    return costliest


def _saved_ms(finding: Finding) -> float:
    """Returns by how much its best fix alone lowers the mean delay, ms; 0 if no fix is predicted."""
    return max((max(p.delay_ms - p.delay_after_ms, 0.0) for p in finding.predicted), default=0.0)


def lead(findings: list[Finding], verdict: str) -> list[Finding]:
    """Returns the findings with the verdict's first and the rest in order: a page's first advice must be the
    verdict's."""
    return sorted(findings, key=lambda f: f.id != verdict)
