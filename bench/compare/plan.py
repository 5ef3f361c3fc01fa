"""The captures and the comparisons of them, written down before the first capture was made."""

from __future__ import annotations

import random
from dataclasses import dataclass

STATISTICS = ("wait.mean", "wait.p99", "completion.mean", "completion.p99")
"""The four statistics whose verdicts count: ten comparisons of four make forty."""
COMPARISONS = 10
RUNS = 3
"""Captures of one side."""
MOST_FALSE = 4
"""Maximum of changes reported in the 40 verdicts on runs that are alike."""
LEAST_FOUND = 36
"""Minimum of changes reported in the 40 verdicts on longer items."""

WORK_MS = 50
LONGER = 1.2
_TRICKLE = ("trickle-v1", "--count", "150", "--interval-ms", "2", "--work-ms")
"""Injection and hill climbing determine these waits, so runs differ by more than the items of one run suggest. Items on
a fixed number of threads would repeat to 0.1 %, and any test would pass."""

SIDES = {
    "unchanged-a": (*_TRICKLE, str(WORK_MS)),
    "unchanged-b": (*_TRICKLE, str(WORK_MS)),
    "longer": (*_TRICKLE, str(round(WORK_MS * LONGER))),
}
SEED = 20


@dataclass(frozen=True)
class Run:
    """One capture to make."""

    folder: str
    """Path below the folder of all captures."""
    workload: tuple[str, ...]


def folder(comparison: int, side: str, number: int) -> str:
    return f"{comparison:02}-{side}-{number}"


def runs() -> list[Run]:
    """Returns all captures in the order of recording. The sides of a comparison take turns in random order, so that a
    change of the machine's speed affects all of them."""
    draw = random.Random(SEED)
    ordered = []
    for comparison in range(COMPARISONS):
        for number in range(RUNS):
            turn = list(SIDES)
            draw.shuffle(turn)
            ordered += [Run(folder(comparison, side, number), SIDES[side]) for side in turn]
    return ordered
