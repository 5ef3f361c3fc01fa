"""Which of the findings is the verdict: decided here, for all rules.

The ladder divides the wait among general causes, which share nothing: injection delay, blocking at the maximum, core
contention, suspension. The costliest of them, in item-seconds, is right about where the wait went. A specific finding
says more about the same wait (`Finding.explains`): what held the threads, or why the pool did not grow. It takes the
place of its general cause where it explains most of it. The general one stays a finding.

A symptom says what the wait did to some items, and not why they waited; advice says what a change would do. Neither is
ever the verdict.
"""

from __future__ import annotations

from poolscope.findings.finding import Finding

MOST = 0.5
"""Share of the general cause's item-seconds from which a specific one takes its place: what remains is then the smaller
part. Half is also where a severity becomes high. With less, the verdict would name what was absent for most of the
wait."""

AS_COSTLY = 0.8
"""Share of the costliest general cause's item-seconds from which another is as good as equal: predictions of the replay are
called good up to an error of a fifth. Among equals, the cause whose fix alone brings more is the verdict, because a reader may apply only one fix."""

BETTER = 1.25
"""How many times more another fix must bring than the costliest cause's to lead where its cause is not as costly, but has half of the costliest's
item-seconds at least (MOST): it must still be more where the replay is a fifth off. On a machine that others kept busy
`wait-then-compute` had 3.0 s of core contention and 2.0 s of blocking; a core for everyone would have saved 1.3 s of the
delay, awaiting 2.0 s."""

ELSEWHERE = ("noisy-neighbour", "cgroup-throttled")
"""Causes outside the process. Among equals with equal fixes these come first: they need no change of the program."""

CORES = "core-contention"
"""The cause that a lack of cores is where nothing else took them."""

IN_CODE = ("sync-over-async",)
"""Specific causes that a change of the code can fix. For several that each explain most of the wait these come
first: the rules by which the pool grows can only be worked around."""

SYMPTOMS = ("late-timers", "hidden-waits", "connection-pool-wait")
"""Symptoms: they follow from a cause and are never the verdict. Where a program awaits Task.Delay most of its items are timers'
callbacks. If what they waited were weighed against the causes, their being late would then be named as the reason for
their being late. A wait for a connection is a symptom if items waited as well. Otherwise it is a cause, with a sentence of its own."""

ADVICE = ("min-threads-would-help", "min-threads-would-hurt", "wait-would-move")
"""What a change would do, not what happened."""

NEVER_THE_VERDICT = SYMPTOMS + ADVICE


def choose(causes: list[Finding]) -> Finding:
    """Returns the verdict's finding, of at least one."""
    general = [f for f in causes if not f.explains]
    if not general:
        return max(causes, key=lambda f: f.item_seconds)
    costliest = _costliest(general)
    enough = [f for f in causes if 0 < MOST * costliest.item_seconds <= f.explains.get(costliest.id, 0.0)]
    return max(enough, key=lambda f: (f.id in IN_CODE, f.explains[costliest.id]), default=costliest)


def _costliest(general: list[Finding]) -> Finding:
    """Returns the costliest of these, or its equal with the better fix, or one that is half as costly with a fix that is clearly better."""
    costliest = max(general, key=lambda f: f.item_seconds)
    for share, better in ((AS_COSTLY, 1.0), (MOST, BETTER)):
        near = [f for f in general if f.item_seconds >= share * costliest.item_seconds]
        if any(f.ended_late != costliest.ended_late for f in near):
            return costliest
        if not all(f.predicted for f in near):
            # Without figures to compare, of a lack of cores the part that others cause still comes first among equals.
            outside = [f for f in near if f.id in ELSEWHERE and costliest.id == CORES and share == AS_COSTLY]
            return max(outside, key=lambda f: f.item_seconds, default=costliest)
        enough = [f for f in near if f is costliest or _saved_ms(f) >= better * _saved_ms(costliest)]
        best = max(enough, key=lambda f: (_saved_ms(f), f.id in ELSEWHERE, f.item_seconds))
        if best is not costliest:
            return best
    return costliest


def _saved_ms(finding: Finding) -> float:
    """Returns by how much the best of its fixes alone lowers the mean delay; 0 if none is predicted."""
    return max((max(p.delay_ms - p.delay_after_ms, 0.0) for p in finding.predicted), default=0.0)


def lead(findings: list[Finding], verdict: str) -> list[Finding]:
    """Returns the findings with the verdict's first, and otherwise as they are: a page's first advice must be the verdict's."""
    return sorted(findings, key=lambda f: f.id != verdict)
