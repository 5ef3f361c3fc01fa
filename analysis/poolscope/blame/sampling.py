"""What the blocked stretches that no snapshot hit were waiting for, estimated from those that one did.

A snapshot is taken at a random moment of each beat, whatever the threads do. A stretch is hit with a probability that
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
LEAST_SPREAD = 0.2
"""Standard deviation over mean of the distances between snapshots. A moment drawn at random from each beat gives 0.41; a
beat that is kept exactly may be in step with the items, and is no sample."""
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

    by_snapshot = np.zeros((count, groups))
    np.add.at(by_snapshot, (snapshot, group[hit]), stands_for)
    share = by_snapshot.sum(axis=0) / total
    whole = by_snapshot.sum(axis=1)
    # Threads of one snapshot are one sample: they may all wait for the same thing.
    ratio_error = _spread(by_snapshot - whole[:, None] * share) / total
    total_error = float(_spread((whole - whole.mean())[:, None])[0])
    divided = min(missed, total + STUDENT * total_error)
    unseen = (1.0 - (1.0 - CONFIDENCE) ** (1.0 / count)) * (float(held[hit].sum()) + missed)
    error = np.minimum(np.maximum(STUDENT * ratio_error * divided, unseen * (share > 0)), divided)
    return Estimate(share * divided, error, count)


def distinct(time: IntArray) -> IntArray:
    """The moments of the snapshots, from the times at which their threads were walked."""
    ordered = np.sort(time)
    first: BoolArray = np.append(True, np.diff(ordered) > ONE_SNAPSHOT_NS)[: len(ordered)]
    return np.asarray(ordered[first])


def miss_probability(beats: FloatArray) -> FloatArray:
    """Probability that no snapshot hits a stretch of this length in beats, wherever in the beats it begins.

    Within one beat 1 - x; over two beats the product of both; a whole beat in it is always hit. The mean over where
    it begins is 1 - x + x^3 / 6 up to one beat, (2 - x)^3 / 6 up to two, and 0 beyond.
    """
    x = np.asarray(beats, dtype=np.float64)
    return np.where(x <= 1.0, 1.0 - x + x**3 / 6.0, np.clip(2.0 - x, 0.0, None) ** 3 / 6.0)


def _spread(deviation: FloatArray) -> FloatArray:
    """Standard error of a sum over snapshots, from each one's deviation, by column."""
    count = len(deviation)
    return np.asarray(np.sqrt(count / (count - 1) * (deviation**2).sum(axis=0)))
