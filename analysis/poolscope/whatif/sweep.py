"""The sweep of minimum threads: its points from few to as many as can matter, its knee, and how much the default set
simulates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poolscope import native
from poolscope.replay.workload import Workload
from poolscope.whatif.predict import REPLICATIONS
from poolscope.whatif.prediction import Prediction

POINTS = 8
"""The number of points. A curve needs no more between its ends; the knee is then searched between two of them."""
WITHIN = 0.05
"""The knee: the fewest threads with which an item takes at most this share longer, on average, than with the best
number. Less than a twentieth is noise: two real runs of one setting differ by as much."""
WITHIN_MS = 1.0
"""The least difference that counts: below a millisecond it only compares wake-ups."""


def sweep_points(present: int, most: int, maximum: int, points: int = POINTS) -> list[int]:
    """Returns the minimums to try: evenly spaced by ratio from 1 to `most` (the most items that can run at once),
    including the present one, and none above the maximum."""
    top = max(min(most, maximum), present, 1)
    spaced = np.geomspace(1, top, max(points, 2))
    return sorted({int(n) for n in np.rint(spaced)} | {present})


def near(value: float, best: float) -> bool:
    """Returns whether a duration in ms is within the knee's share of the best one."""
    return value <= best + max(WITHIN * best, WITHIN_MS)


def knee(sweep: Sequence[Prediction], at: Callable[[int], Prediction]) -> Prediction | None:
    """Returns the fewest minimum threads whose mean completion is near the best, and whose p99 is near the best p99 of
    those.

    Searches the sweep (in order of threads) and then, by halving, the gap between two of its points with `at`. Returns
    None if nothing ever ends.

    The knee is judged by completion, not wait: completion includes the wait, and a wait that only moves into execution
    is no gain. The p99 is needed because the mean of many items hardly shows that a few of them wait for long.
    """
    mean = min(p.completion_ms["mean"] for p in sweep)
    if not np.isfinite(mean):
        return None
    p99 = min(p.completion_ms["p99"] for p in sweep if near(p.completion_ms["mean"], mean))
    return fewest(sweep, lambda p: near(p.completion_ms["mean"], mean) and near(p.completion_ms["p99"], p99), at)


def fewest(
    sweep: Sequence[Prediction], meets: Callable[[Prediction], bool], at: Callable[[int], Prediction]
) -> Prediction | None:
    """Returns the first point of the sweep that meets a target, reduced by halving the gap to the previous point."""
    found = next((i for i, p in enumerate(sweep) if meets(p)), None)
    if found is None or found == 0:
        return None if found is None else sweep[0]
    chosen = sweep[found]
    low, high = threads_of(sweep[found - 1]), threads_of(chosen)
    while high - low > max(1, low // 20):  # to a twentieth: finer is below the model's own error
        middle = (high + low) // 2
        tried = at(middle)
        if meets(tried):
            chosen, high = tried, middle
        else:
            low = middle
    return chosen


def threads_of(prediction: Prediction) -> int:
    """Returns the minimum that a row of the sweep sets."""
    assert prediction.setting.min_threads is not None
    return prediction.setting.min_threads


EVENTS = 100_000_000
"""The most operations and items simulated in all: some 20 s of the native loop on two cores (measured: 19 worlds of
100,000 items with 400,000 operations in 1.4 s)."""
EVENTS_PLAIN = 2_000_000
"""The same if the loop runs as plain Python: some 5 us each."""
SETTINGS = POINTS + 12
"""The worlds of the default set, including those that the knee and the advice examine."""
FEWER_POINTS = 4
FEWEST = POINTS
"""The worlds of the smallest set: the present settings, a sweep of four, its knee."""


@dataclass(frozen=True)
class Budget:
    """The contents of the default set."""

    replications: int
    points: int
    """The number of points of the sweep."""
    fixes: bool
    """True if it includes the fixes and the other loads."""
    said: str | None
    """A sentence on what is left out."""


def budget_for(workload: Workload, replications: int | None) -> Budget:
    """Returns the largest set that stays within EVENTS, with fewer replications first, then fewer settings. A given
    number of `replications` is kept."""
    events = max(len(workload.program.op) + workload.count, 1)
    runs = (EVENTS_PLAIN if native.extension is None else EVENTS) // events
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
