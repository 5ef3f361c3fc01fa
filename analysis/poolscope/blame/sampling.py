"""What the blocked stretches that no snapshot hit were waiting for, estimated from those that one did.

From one snapshot to the next it is a random half to one and a half beats, whatever the threads do. A stretch is hit with a probability that
follows from its length alone, so each hit stands for the stretches of its length that were missed: with length L and
miss probability q, for L q / (1 - q) of missed time (Horvitz and Thompson). A block that a wait event tells of takes no
part, on either side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.arrays import BoolArray, FloatArray, IntArray
from poolscope.units import NS_PER_MS

LEAST_SNAPSHOTS = 20
"""Snapshots that hit a blocked stretch, from which on the rest is estimated: code that held at least 14 % of the sampled
thread time would have been seen by one of them, with 95 % confidence (1 - 0.05 ** (1 / 20)). With fewer, the code that
nobody saw could be most of what is estimated."""
CONFIDENCE = 0.95
STUDENT = 2.1
"""Half-width of a 95 % interval in standard errors, for 20 samples; of more it is a little less."""
LEAST_SPREAD = 0.15
"""Standard deviation over mean of the distances between snapshots. As the collector draws them it is 0.29; a beat
that is kept exactly may be in step with the items, and is no sample."""
ONE_SNAPSHOT_NS = 10 * NS_PER_MS
"""Threads of one snapshot are walked within a session of 3 ms; the shortest beat is 50 ms."""


@dataclass(frozen=True)
class Estimate:
    """Time that is estimated, by group, ns."""

    held: FloatArray
    """Shape (groups,)."""
    error: FloatArray
    """Shape (groups,): half-width of the 95 % interval of `held`."""
    snapshots: int
    """How many it rests on."""


def estimate(
    *,
    time: IntArray,
    start: IntArray,
    end: IntArray,
    held: IntArray,
    sampled: IntArray,
    group: IntArray,
    groups: int,
) -> Estimate | None:
    """Divides the time of stretches that no snapshot hit among the groups of those that were hit.

    `time` is of every row of `snapshots`. Of each stretch that no event tells of: `start`, `end`, `held` (ns that count),
    `sampled` (when it was hit; -1: never) and its `group` (0 ... `groups` - 1; read only where it was hit). At most what
    the hits stand for is divided, so that what snapshots rarely meet stays unknown. None: nothing to divide, too few
    snapshots, or they were taken in step.
    """
    taken = distinct(time)
    if len(taken) < LEAST_SNAPSHOTS:
        return None
    gaps = np.diff(taken)
    beat = float(gaps.mean())
    if float(gaps.std()) < LEAST_SPREAD * beat:
        return None
    hit = sampled >= 0
    reachable = (start < taken[-1] + beat) & (end > taken[0] - beat)
    missed = float(held[~hit & reachable].sum())
    miss = miss_probability((end - start)[hit] / beat)
    stands_for = held[hit] * miss / (1.0 - miss)
    _, snapshot = np.unique(np.searchsorted(taken, sampled[hit], side="right"), return_inverse=True)
    count = int(snapshot.max(initial=-1)) + 1
    total = float(stands_for.sum())
    if missed <= 0 or total <= 0 or count < LEAST_SNAPSHOTS:
        return None

    share = np.bincount(group[hit], stands_for, groups) / total
    # What is estimated errs by what the hits stand for and by what was missed in truth. Per stretch that is a variance of
    # L^2 q / p (with p = 1 - q), of which each hit tells for 1 / p. The threads of one snapshot are one sample: they may
    # all wait for the same thing.
    deviation = np.zeros((count, groups))
    spread = held[hit] * np.sqrt(miss) / (1.0 - miss)
    np.add.at(deviation, (snapshot, group[hit]), spread)
    whole = deviation.sum(axis=1)
    ratio_error = _error_of_sum(deviation - whole[:, None] * share) / total
    total_error = float(_error_of_sum(whole[:, None] - whole.mean())[0])
    # How many snapshots fall into a window of some length is uncertain by one, even where each tells the same.
    divided = min(missed, total + STUDENT * total_error + total / count)
    unseen = (1.0 - (1.0 - CONFIDENCE) ** (1.0 / count)) * (float(held[hit].sum()) + missed)
    error = np.minimum(np.maximum(STUDENT * ratio_error * divided, unseen * (share > 0)), divided)
    return Estimate(share * divided, error, count)


def distinct(time: IntArray) -> IntArray:
    """The moments of the snapshots, from the times at which their threads were walked."""
    ordered = np.sort(time)
    first: BoolArray = np.append(True, np.diff(ordered) > ONE_SNAPSHOT_NS)[: len(ordered)]
    return np.asarray(ordered[first])


def miss_probability(beats: FloatArray) -> FloatArray:
    """Probability that no snapshot hits a stretch of this length in beats.

    The distances between snapshots are uniform on [0.5, 1.5] beats, so that the next one after any moment is as far away
    as the remaining time of a renewal process: a stretch of length x is missed with the integral from x on of the
    probability that a distance is longer: 1 - x up to half a beat, (1.5 - x)^2 / 2 up to one and a half, and 0 beyond.
    """
    x = np.asarray(beats, dtype=np.float64)
    return np.where(x <= 0.5, 1.0 - x, np.clip(1.5 - x, 0.0, None) ** 2 / 2.0)


def _error_of_sum(deviation: FloatArray) -> FloatArray:
    """Standard error of a sum over snapshots, from each one's deviation, by column."""
    count = len(deviation)
    return np.asarray(np.sqrt(count / (count - 1) * (deviation**2).sum(axis=0)))
