"""A sketch of durations that can be merged: DDSketch (Masson, Rim and Lee, PVLDB 12(12), 2019), in NumPy.

Values fall into buckets whose ends grow by a constant factor, so that the middle of a bucket is off by at most ALPHA of
the value, whatever the value is. Merging adds counts: the merged sketch is the one that all values together would have
given, in any order. Counts, sums, the least and the greatest value are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.statistics import Bound, in_ms, no_summary
from poolscope.contract.analysis_json import SummaryJson

ALPHA = 0.005
"""The largest relative error of any percentile. Half of the hundredth by which merged percentiles may be off."""
GAMMA = (1 + ALPHA) / (1 - ALPHA)
"""The ratio of the ends of a bucket: bucket i holds GAMMA ** (i - 1) < value <= GAMMA ** i."""
MOST_BUCKETS = 4500
"""The number of buckets that a duration of at most 2 ** 63 ns can fall into, rounded up; a sketch from elsewhere may
have no more."""
_LOG_GAMMA = math.log(GAMMA)


@dataclass(frozen=True)
class Sketch:
    """Durations in ns, none negative. `bucket` ascends and has no count of 0; shape (buckets,)."""

    bucket: IntArray
    """Bucket indices; bucket 0 holds durations below 2 ns."""
    number: IntArray
    """The number of durations in each bucket, including lower bounds."""
    total: int
    """The exact sum of all durations, ns."""
    least: int
    """The shortest duration; -1 without any."""
    most: int
    bounds: int
    """The number of lower bounds."""
    first_bound: int
    """The least lower bound; -1 without any."""

    @property
    def count(self) -> int:
        return int(self.number.sum())

    @property
    def mean(self) -> float:
        """The mean in ns; NaN without any duration."""
        return self.total / self.count if self.count else math.nan

    def quantile(self, p: float) -> Bound:
        """Returns the smallest duration that a share `p` (0..1) of the durations does not exceed, ns, off by at most
        ALPHA of itself. A lower bound counts with its own length. A quantile not below the least lower bound is a lower
        bound, too. NaN without any duration."""
        if not len(self.bucket):
            return Bound(math.nan, False)
        rank = max(math.ceil(p * self.count - 1e-9), 1)
        at = int(np.searchsorted(np.cumsum(self.number), rank))
        value = _middle(int(self.bucket[at]))
        value = min(max(value, float(self.least)), float(self.most))
        return Bound(value, 0 <= self.first_bound <= value * (1 + ALPHA))

    def summary_ms(self) -> SummaryJson:
        """Returns a summary as poolscope.base.statistics.summarise_ms does: percentiles within ALPHA, mean and max
        exact."""
        if not self.count:
            return no_summary()
        p50, p90, p99 = (self.quantile(p) for p in (0.50, 0.90, 0.99))
        low = self.bounds > 0
        return in_ms(Bound(self.mean, low), p50, p90, p99, Bound(float(self.most), low))


EMPTY = Sketch(np.zeros(0, np.int64), np.zeros(0, np.int64), 0, -1, -1, 0, -1)


def sketch_of(durations: IntArray, bounds: BoolArray | None = None) -> Sketch:
    """Returns the sketch of durations in ns, shape (n,), none negative; `bounds`: which are lower bounds, default
    none."""
    if not len(durations):
        return EMPTY
    index = np.ceil(np.log(np.maximum(durations, 1)) / _LOG_GAMMA - 1e-9).astype(np.int64)
    bucket, number = np.unique(index, return_counts=True)
    low = durations[bounds] if bounds is not None else durations[:0]
    return Sketch(
        bucket,
        number.astype(np.int64),
        int(durations.sum()),
        int(durations.min()),
        int(durations.max()),
        len(low),
        int(low.min()) if len(low) else -1,
    )


def merged(sketches: Iterable[Sketch]) -> Sketch:
    """Returns all sketches merged into one; EMPTY without any."""
    kept = [sketch for sketch in sketches if len(sketch.bucket)]
    if not kept:
        return EMPTY
    whole = np.zeros(max(int(s.bucket[-1]) for s in kept) + 1, dtype=np.int64)
    for sketch in kept:
        whole[sketch.bucket] += sketch.number
    bucket = np.flatnonzero(whole)
    firsts = [s.first_bound for s in kept if s.first_bound >= 0]
    return Sketch(
        bucket,
        whole[bucket],
        sum(s.total for s in kept),
        min(s.least for s in kept),
        max(s.most for s in kept),
        sum(s.bounds for s in kept),
        min(firsts, default=-1),
    )


def to_json(sketch: Sketch) -> dict[str, object]:
    """Returns the sketch as JSON. Each bucket is the distance from the one before, which is short."""
    return {
        "bucket": np.diff(sketch.bucket, prepend=0).tolist(),
        "number": sketch.number.tolist(),
        "total": sketch.total,
        "least": sketch.least,
        "most": sketch.most,
        "bounds": sketch.bounds,
        "first_bound": sketch.first_bound,
    }


def from_json(content: object) -> Sketch:
    """Returns the sketch that `to_json` wrote. Raises ValueError for anything else: it may come from a stranger's
    worker."""
    if not isinstance(content, dict):
        raise ValueError("a sketch is no object")
    steps, number = _counts(content.get("bucket"), 0), _counts(content.get("number"), 1)
    if len(steps) != len(number) or len(steps) > MOST_BUCKETS:
        raise ValueError("a sketch has no buckets")
    total, least, most, bounds, first = (
        _figure(content.get(name)) for name in ("total", "least", "most", "bounds", "first_bound")
    )
    bucket = np.cumsum(np.array(steps, dtype=np.int64))
    if not len(bucket):
        return EMPTY
    if bucket[-1] >= MOST_BUCKETS or (np.diff(bucket) <= 0).any() or least < 0:
        raise ValueError("a sketch has impossible buckets")
    return Sketch(bucket, np.array(number, dtype=np.int64), total, least, most, bounds, first)


def _figure(value: object) -> int:
    if type(value) is not int or not -1 <= value < 1 << 63:
        raise ValueError("a sketch lacks a figure")
    return value


def _counts(values: object, least: int) -> list[int]:
    if not isinstance(values, list) or not all(type(one) is int and least <= one < 1 << 53 for one in values):
        raise ValueError("a sketch has no counts")
    return values


def _middle(bucket: int) -> float:
    """Returns the value whose relative distance to both ends of the bucket is ALPHA."""
    return 2 * math.exp(bucket * _LOG_GAMMA) / (GAMMA + 1)
