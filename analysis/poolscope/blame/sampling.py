"""Estimates the causes of blocked stretches that no snapshot hit from the stretches that a snapshot did hit.

The time from one snapshot to the next is random: a half to one and a half of the gap that the recorder aimed at,
whatever the threads do. The probability that a snapshot hits a stretch depends only on its length in such gaps, so each
hit represents the missed stretches of its length. A hit of length L and miss probability q represents L q / (1 - q) of
missed time (Horvitz and Thompson, A generalization of sampling without replacement from a finite universe, JASA 47,
1952). The gap may change over time, and lengths are measured in the gap then in force. A block that a wait event covers
takes no part, on either side. The estimate needs no least number of snapshots: few snapshots give a wide interval.

A snapshot is one observation, however many threads it walks: they may all wait for the same thing. The interval is that
of Korn and Graubard (Confidence intervals for proportions with small expected number of positive counts estimated from
survey data, Survey Methodology 24, 1998). It is the exact binomial interval of Clopper and Pearson (Biometrika 26,
1934), with as many observations as would give the variance that the snapshots show. That number never exceeds the
number of snapshots, discounted for their unequal weights (Kish, Survey Sampling, 1965).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum

CONFIDENCE = 0.95


def kish(weight: FloatArray) -> float:
    """Returns the number of observations of equal weight that are worth as much as these; 0 without any."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def effective(share: float, variance: float, clusters: int, most: float) -> float:
    """Returns the number of observations that an estimated share (0 ... 1) of this variance is worth: > 0, at most
    `most`.

    `clusters`: the number of snapshots behind the variance. A share without any variance, because all snapshots agree,
    is worth `most`.
    """
    if clusters < 2 or variance <= 0.0 or not 0.0 < round(share, 12) < 1.0:
        return most
    from scipy.special import ndtri, stdtrit  # costs 40 ms, and 20 MB, so only if there is an estimate

    few = float(ndtri(_upper(CONFIDENCE)) / stdtrit(clusters - 1, _upper(CONFIDENCE))) ** 2
    return min(share * (1.0 - share) / variance * few, most)


def share_interval(share: float, observations: float) -> tuple[float, float]:
    """Returns the 95 % interval of a share, 0 ... 1, of this many observations (> 0, not always whole).

    If all or none of the observations agree, the whole 5 % lies on the open side: 71 of 71 is at least 0.05 ** (1 / 71)
    = 96 %.
    """
    from scipy.special import betaincinv

    share = round(share, 12)
    yes, no = share * observations, (1.0 - share) * observations
    low_tail = 1.0 - CONFIDENCE if share >= 1.0 else (1.0 - CONFIDENCE) / 2.0
    high_tail = 1.0 - CONFIDENCE if share <= 0.0 else (1.0 - CONFIDENCE) / 2.0
    low = 0.0 if share <= 0.0 else float(betaincinv(yes, no + 1.0, low_tail))
    high = 1.0 if share >= 1.0 else float(betaincinv(yes + 1.0, no, 1.0 - high_tail))
    return low, high


def most_expected(seen: float) -> float:
    """Returns the most events that may have been expected if `seen` (> 0) happened: the upper end of the 95 % interval
    of a Poisson mean (Garwood, Biometrika 28, 1936)."""
    from scipy.special import gammaincinv

    return float(gammaincinv(seen + 1.0, _upper(CONFIDENCE)))


def _upper(confidence: float) -> float:
    """Returns the quantile at the upper end of a two-sided interval."""
    return float(np.mean((confidence, 1.0)))


LEAST_SPREAD = 0.15
"""The least standard deviation over mean of the distances between snapshots. The collector's random distances have
0.29. A beat that is kept exactly may be in step with the items, and is no sample."""
GAPS_THAT_TELL = 10
"""The number of distances from which their spread is tested. Fewer random ones may look regular by chance (of ten, 4 in
1,000 do)."""
ONE_SNAPSHOT_NS = 10 * NS_PER_MS
"""The longest duration of one snapshot: its threads are walked within a session of 3 ms, and the shortest beat is 50
ms."""


@dataclass(frozen=True)
class Estimate:
    """Estimated time by group, ns. The arrays have the shape (groups,)."""

    held: FloatArray
    low: FloatArray
    """The ends of the 95 % interval of `held`."""
    high: FloatArray
    unseen: float
    """The most that code that no snapshot saw may have held."""
    snapshots: int
    """The number of snapshots behind the estimate."""


@dataclass(frozen=True)
class Beat:
    """The moments of random snapshots, and the distance that was intended between them."""

    taken: IntArray
    """Moments of the random snapshots in order, ns."""
    knots: IntArray
    """Moments in order, ns, from which a gap was in force; the last gap holds to the end."""
    gap: FloatArray
    """The intended mean distance from each knot on, ns, > 0; empty: not known."""
    extra: IntArray
    """Moments of snapshots that were not random. Only their own findings count; they represent nothing else."""

    @staticmethod
    def of(time: IntArray, gap: IntArray | None = None, random: BoolArray | None = None) -> Beat:
        """Returns the beat of the rows of `snapshots`: their times, the gaps from there on, and which ones were random
        (all, by default). Without gaps the result has their mean distance; a single snapshot has none."""
        drawn = np.ones(len(time), dtype=bool) if random is None else random
        taken, extra = _moments(time[drawn]), _moments(time[~drawn])
        if gap is not None and bool((gap > 0).any()):
            known = np.flatnonzero(gap > 0)
            order = known[np.argsort(time[known], kind="stable")]
            return Beat(taken, time[order], gap[order].astype(np.float64), extra)
        if len(taken) < 2:
            return Beat(taken, taken, np.zeros(0), extra)
        return Beat(taken, taken, np.full(len(taken), float(np.diff(taken).mean())), extra)

    @property
    def is_random(self) -> bool:
        """Whether the distances are irregular enough to be a sample."""
        if len(self.taken) <= GAPS_THAT_TELL:
            return True
        distance = np.diff(self._position(self.taken))
        return float(distance.std()) >= LEAST_SPREAD * float(distance.mean())

    def length(self, start: IntArray, end: IntArray) -> FloatArray:
        """Returns the length of stretches of time in gaps."""
        return np.asarray(self._position(end) - self._position(start))

    def has_extra(self, start: IntArray, end: IntArray) -> BoolArray:
        """Returns whether a non-random snapshot fell into each stretch."""
        found = np.searchsorted(self.extra, end, side="right") > np.searchsorted(self.extra, start, side="left")
        return np.asarray(found)

    def _position(self, time: IntArray) -> FloatArray:
        """Returns the number of gaps from the first knot to each moment."""
        steps = np.append(0.0, np.cumsum(np.diff(self.knots) / self.gap[:-1]))
        before = np.minimum(time - self.knots[0], 0) / self.gap[0]
        after = np.maximum(time - self.knots[-1], 0) / self.gap[-1]
        return np.asarray(np.interp(time, self.knots, steps) + before + after)


def beat_of(capture: DecodedCapture) -> Beat:
    """Returns the beat of the snapshots. A collector that kept one beat does not report its gap, and all its snapshots
    were random."""
    if not capture.has("snapshot_moments") or capture.table("snapshot_moments").empty:
        return Beat.of(capture.table("snapshots")["time"].to_numpy() - capture.window[0])
    rows = capture.table("snapshot_moments")
    why, time = rows["why"].to_numpy(), rows["time"].to_numpy() - capture.window[0]
    # A snapshot without threads failed, and a row that only changes the gap saw nothing, either.
    seen = rows["threads"].to_numpy() > 0
    random = seen & (why == enum("snapshot_moments", "why", "random"))
    beat = Beat.of(time, rows["gap"].to_numpy().astype(np.int64), random)
    return replace(beat, extra=Beat.of(time[seen & ~random]).taken)


def _moments(time: IntArray) -> IntArray:
    """Returns the moments of snapshots, from the times at which their threads were walked."""
    ordered = np.sort(time)
    first: BoolArray = np.append(True, np.diff(ordered) > ONE_SNAPSHOT_NS)[: len(ordered)]
    return np.asarray(ordered[first])


def estimate(
    *,
    beat: Beat,
    start: IntArray,
    end: IntArray,
    held: IntArray,
    sampled: IntArray,
    group: IntArray,
    groups: int,
) -> Estimate | None:
    """Divides the time of stretches that no snapshot hit among the groups of the stretches that a snapshot hit.

    For each stretch that no event shows: `start`, `end`, `held` (ns that count), `sampled` (when a snapshot hit it; -1:
    never) and its `group` (0 ... `groups` - 1; only read if it was hit). Divides no more time than the hits represent,
    so that code that snapshots rarely meet, or that ran before the snapshots began, stays unknown. Returns None if
    there is no time to divide, no hit to divide it by, or a beat that is regular or not known.
    """
    if len(beat.taken) == 0 or len(beat.gap) == 0 or not beat.is_random:
        return None
    sampled_too = (sampled >= 0) & beat.has_extra(start, end)
    start, end, held, sampled, group = (column[~sampled_too] for column in (start, end, held, sampled, group))
    hit = sampled >= 0
    reachable = (start < beat.taken[-1] + beat.gap[-1]) & (end > beat.taken[0] - beat.gap[0])
    missed = float(held[~hit & reachable].sum())
    beyond = float(held[~hit & ~reachable].sum())
    miss = miss_probability(beat.length(start[hit], end[hit]))
    stands_for = held[hit] * miss / (1.0 - miss)
    total = float(stands_for.sum())
    if missed <= 0 or total <= 0:
        return None
    share = np.bincount(group[hit], stands_for, groups) / total

    # The estimate has two errors: that of the time that the hits represent, and that of the time truly missed. Together
    # each stretch has a variance of L^2 q / p (with p = 1 - q), and each hit represents 1 / p stretches.
    spread = held[hit] * np.sqrt(miss) / (1.0 - miss)
    of_snapshot, snapshot = np.unique(np.searchsorted(beat.taken, sampled[hit], side="right"), return_inverse=True)
    deviation = np.zeros((len(of_snapshot), groups))
    np.add.at(deviation, (snapshot, group[hit]), spread)
    deviation = deviation[deviation.sum(axis=1) > 0]
    whole = deviation.sum(axis=1)
    count, most = len(whole), kish(whole)
    variance = count / max(count - 1, 1) * ((deviation - whole[:, None] * share) ** 2).sum(axis=0) / total**2

    divided = min(missed, total * most_expected(most) / most)
    # A stretch that could not be missed is no sample of the missed ones: it represents only itself.
    could = miss > 0
    own = np.bincount(group[hit][could], held[hit][could], groups)
    open_time = float(own.sum()) + divided
    low, high = np.zeros(groups), np.zeros(groups)
    for g in range(groups):
        part = float(own[g] + share[g] * divided) / open_time
        error = float(variance[g]) * (divided / open_time) ** 2
        bounds = share_interval(min(part, 1.0), effective(part, error, count, most))
        low[g], high[g] = (bound * open_time - own[g] for bound in bounds)
    left = missed - divided + beyond
    unseen = share_interval(0.0, most)[1] * open_time + left
    return Estimate(
        held=share * divided,
        low=np.clip(low, 0.0, share * divided),
        high=np.clip(high + left, share * divided, missed + beyond),
        unseen=min(unseen, missed + beyond),
        snapshots=count,
    )


def miss_probability(gaps: FloatArray) -> FloatArray:
    """Returns the probability that no snapshot hits a stretch of this length in gaps.

    The distances between snapshots are uniform on [0.5, 1.5] gaps, so that the time from any moment to the next
    snapshot is the remaining time of a renewal process. The probability of missing a stretch of length x is the
    integral, from x on, of the probability that a distance is longer. It is 1 - x up to half a gap, (1.5 - x)^2 / 2 up
    to one and a half, and 0 beyond.
    """
    x = np.asarray(gaps, dtype=np.float64)
    return np.where(x <= 0.5, 1.0 - x, np.clip(1.5 - x, 0.0, None) ** 2 / 2.0)
