"""Which of the findings is the verdict: decided here, for all rules.

The ladder divides the wait among general causes, which share nothing: injection delay, blocking at the maximum, core
contention, suspension. The dearest of them, in item-seconds, is right about where the wait went. A specific finding
says more about the same wait (`Finding.explains`): what held the threads, or why the pool did not grow. It takes the
place of its general cause where it explains most of it. The general one stays a finding.

A symptom tells what the wait did to some items, and not why they waited; advice tells what a change would do. Neither is
ever the verdict.
"""

from __future__ import annotations

from poolscope.findings.finding import Finding

MOST = 0.5
"""Share of the general cause's item-seconds from which a specific one takes its place: what remains is then the smaller
part. Half is also where a severity becomes high. With less, the verdict would name what was absent for most of the
wait."""

IN_CODE = ("sync-over-async",)
"""Specific causes that somebody can mend where they are. Of several that each explain most of the wait these come
first: the rules by which the pool grows can only be worked around."""

SYMPTOMS = ("late-timers", "hidden-waits")
"""What follows from a cause and is never the verdict. Where a program awaits Task.Delay most of its items are timers'
callbacks. If what they waited were weighed against the causes, their being late would then be named as the reason for
their being late."""

ADVICE = ("min-threads-would-help", "min-threads-would-hurt", "wait-would-move")
"""What a change would do, not what happened."""

NEVER_THE_VERDICT = SYMPTOMS + ADVICE


def choose(causes: list[Finding]) -> Finding:
    """The verdict's finding, of at least one."""
    general = [f for f in causes if not f.explains]
    if not general:
        return max(causes, key=lambda f: f.item_seconds)
    dearest = max(general, key=lambda f: f.item_seconds)
    enough = [f for f in causes if 0 < MOST * dearest.item_seconds <= f.explains.get(dearest.id, 0.0)]
    return max(enough, key=lambda f: (f.id in IN_CODE, f.explains[dearest.id]), default=dearest)


def lead(findings: list[Finding], verdict: str) -> list[Finding]:
    """The findings with the verdict's first, and otherwise as they are: a page's first advice must be the verdict's."""
    return sorted(findings, key=lambda f: f.id != verdict)
