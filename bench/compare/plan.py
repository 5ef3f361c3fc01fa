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
"""Of the 40 verdicts on runs that are alike, so many may say that something changed."""
LEAST_FOUND = 36
"""Of the 40 verdicts on longer items, so many have to say so."""

WORK_MS = 50
LONGER = 1.2
_SPIN = ("spin", "--count", "60", "--min-threads", "4", "--max-threads", "4", "--work-ms")
"""Twice as many threads as a small machine has cores, so that waits have two causes and depend on how the cores are
shared out: runs differ by a few percent. Items that sleep on a fixed number of threads repeat to 0.1 %, and there any
test would do."""

SIDES = {
    "unchanged-a": (*_SPIN, str(WORK_MS)),
    "unchanged-b": (*_SPIN, str(WORK_MS)),
    "longer": (*_SPIN, str(round(WORK_MS * LONGER))),
}
TRICKLE = ("trickle-v1", "--count", "300", "--interval-ms", "2", "--work-ms", "100")
"""Injection and hill climbing decide these waits: the runs differ by far more than the items of one run suggest."""
TRICKLE_RUNS = 8

SEED = 20


@dataclass(frozen=True)
class Run:
    """One capture to make."""

    folder: str
    """Below the folder of all captures."""
    workload: tuple[str, ...]


def folder(comparison: int, side: str, number: int) -> str:
    return f"spin/{comparison:02}-{side}-{number}"


def runs() -> list[Run]:
    """All captures in the order in which they are made: the sides of a comparison take turns, in random order, so that
    a machine that gets slower or faster meanwhile does so for all of them."""
    draw = random.Random(SEED)
    ordered = []
    for comparison in range(COMPARISONS):
        for number in range(RUNS):
            turn = list(SIDES)
            draw.shuffle(turn)
            ordered += [Run(folder(comparison, side, number), SIDES[side]) for side in turn]
    return ordered + [Run(f"trickle/{number}", TRICKLE) for number in range(TRICKLE_RUNS)]
