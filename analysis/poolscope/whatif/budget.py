"""How much is simulated without being asked for: as much as a few seconds allow, and what is left out is said."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.replay.compiled import compiles
from poolscope.replay.workload import Workload
from poolscope.whatif.predict import REPLICATIONS
from poolscope.whatif.sweep import POINTS

EVENTS = 100_000_000
"""Operations and items simulated in all: some 20 s of the compiled loop on two cores (measured: 19 worlds of 100,000 items
with 400,000 operations in 1.4 s)."""
EVENTS_PLAIN = 2_000_000
"""The same where the loop runs as plain Python: some 10 us each."""
SETTINGS = POINTS + 12
"""Worlds of the default set, with those that the knee and the advice look at."""
FEWER_POINTS = 4
FEWEST = POINTS
"""Worlds of the smallest set: the present settings, a sweep of four, its knee."""


@dataclass(frozen=True)
class Budget:
    """What the default set consists of."""

    replications: int
    points: int
    """Points of the sweep."""
    fixes: bool
    """Also the fixes and the other loads."""
    said: str | None
    """What is left out."""


def budget_for(workload: Workload, replications: int | None) -> Budget:
    """Returns the largest set that stays within EVENTS; fewer replications first, then fewer settings. Asked for this many
    `replications`, it takes them."""
    events = max(len(workload.program.op) + workload.count, 1)
    runs = (EVENTS if compiles() else EVENTS_PLAIN) // events
    count = replications or min(max(runs // SETTINGS, 1), REPLICATIONS)
    if runs >= SETTINGS or replications is not None:
        said = None
        if count < REPLICATIONS and replications is None:
            said = f"{count} run{'s' if count > 1 else ''} per setting instead of {REPLICATIONS}: the capture is large."
        return Budget(count, POINTS, True, said)
    if runs >= FEWEST:
        said = "Only a short sweep of minimum threads, one run of each: the capture is large. \u201cpoolscope whatif\u201d simulates more."
        return Budget(1, FEWER_POINTS, False, said)
    said = "Only the captured settings were simulated: the capture is very large. \u201cpoolscope whatif\u201d simulates more."
    return Budget(1, 0, False, said)
