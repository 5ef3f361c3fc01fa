"""What is captured and what is held against what; written down before the first capture was made."""

from __future__ import annotations

import random
from dataclasses import dataclass

STATISTICS = ("wait.mean", "wait.p99", "completion.mean", "completion.p99")
"""The four whose verdicts count: ten comparisons of four make forty."""
COMPARISONS = 10
RUNS = 3
"""Captures of one side."""
MOST_FALSE = 4
"""For the 40 verdicts on runs that are alike, this many may say that something changed."""
LEAST_FOUND = 36
"""For the 40 verdicts on longer items, this many have to say so."""

WORK_MS = 50
LONGER = 1.2
_TRICKLE = ("trickle-v1", "--count", "150", "--interval-ms", "2", "--work-ms")
"""Injection and hill climbing decide these waits, so that runs differ by more than the items of one run suggest. Items on
a fixed number of threads would repeat to 0.1 %, and there any test would do."""

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
    """Below the folder of all captures."""
    workload: tuple[str, ...]


def folder(comparison: int, side: str, number: int) -> str:
    return f"{comparison:02}-{side}-{number}"


def runs() -> list[Run]:
    """Returns all captures in the order in which they are made: the sides of a comparison take turns, in random order, so that
    a machine that gets slower or faster meanwhile does so for all of them."""
    draw = random.Random(SEED)
    ordered = []
    for comparison in range(COMPARISONS):
        for number in range(RUNS):
            turn = list(SIDES)
            draw.shuffle(turn)
            ordered += [Run(folder(comparison, side, number), SIDES[side]) for side in turn]
    return ordered
