"""A sentence for each row: the verdict's own or, for the puzzles of the originals, one from Poolscope's
measurements."""

from __future__ import annotations

import numpy as np

from seeds.outcome import Outcome
from seeds.row import Row
from seeds.shapes import GATE_ROUND_MS

PUBLISHED_CORES = 12
PUBLISHED_TASKS = 1000
"""Tasks of the published barrier."""


def explanation(row: Row, run: Outcome) -> str:
    """Explains a run in words for the page."""
    own = {"trickle-v1": _capped_trickle, "injection-interval": _interval, "barrier-default": _barrier}.get(row.id)
    said = str(run.analysis["verdict"]["text"])
    return said if own is None else f"{said} {own(run)}"


def _capped_trickle(run: Outcome) -> str:
    """Returns the parts of the wait due to the cap and to the pool's slowness to reach it and to stay there."""
    attribution = run.analysis["attribution"]
    if attribution is None:
        return ""
    wait = attribution["wait_ms"]
    pool = run.analysis["timeline"]["pool_changes"]
    goals = [change["goal"] for change in pool]
    lowered = sum(later < earlier for earlier, later in zip(goals, goals[1:]))
    return (
        f"In the mean wait, {wait['blocking'] / 1000:.1f} s is the cap of ten threads: it remains with a minimum of "
        f"ten. {wait['injection'] / 1000:.1f} s is that the pool was below ten: it began with its minimum, added "
        f"threads one at a time, and hill climbing lowered the goal {lowered} times while items waited."
    )


def _interval(run: Outcome) -> str:
    """Explains why an injected thread takes nearly a second."""
    gaps = np.diff(run.starts_s[run.cores :]) * 1000
    one = int((np.round(gaps / GATE_ROUND_MS) == 1).sum())
    two = int((np.round(gaps / GATE_ROUND_MS) == 2).sum())
    return (
        f"The gate looks every {GATE_ROUND_MS} ms and adds a thread only if no item was taken for more than "
        f"{GATE_ROUND_MS} ms. The thread that it added took its item a moment after the look before, so at the next "
        "look the age is just short of the limit on a coarse clock, and most threads come at every second look: "
        f"{two} of {len(gaps)} gaps here were two rounds, {one} were one."
    )


def _barrier(run: Outcome) -> str:
    """Returns the time that the published size would take at the measured interval."""
    gap = run.figure("mean gap")
    missing = PUBLISHED_TASKS - PUBLISHED_CORES
    return (
        f"Nothing ends before all have started, so every task after the first {run.cores} costs one injected thread: "
        f"{PUBLISHED_TASKS} tasks on {PUBLISHED_CORES} cores need {missing} of them, at the {gap:.0f} ms measured here "
        f"{missing * gap / 1000:.0f} s; published 988 s, one second each."
    )
