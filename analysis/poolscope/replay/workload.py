"""What the items ask for, whatever the world: when they arrive, in which order they are picked, and what they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Stretches:
    """The demand of every item as a sequence of stretches, flattened.

    Item i does stretches `first[i]` up to, not including, `first[i + 1]`.
    """

    first: IntArray
    """Shape (items + 1,), increasing."""
    on_cpu: BoolArray
    """Shape (stretches,): a stretch of CPU time; False: blocked time that something outside the pool ends."""
    duration: FloatArray
    """Shape (stretches,), ns >= 0. CPU stretches take longer where cores are shared, blocked ones never do."""

    def per_item(self, on_cpu: bool) -> FloatArray:
        """Total CPU (or blocked) demand of each item, ns, shape (items,)."""
        weights = np.where(self.on_cpu == on_cpu, self.duration, 0.0)
        total = np.concatenate(([0.0], np.cumsum(weights)))
        return np.asarray(total[self.first[1:]] - total[self.first[:-1]])


@dataclass(frozen=True)
class Workload:
    """Work items as every world sees them."""

    arrival: FloatArray
    """Shape (items,), ns from the start of the capture. Whole numbers stay exact up to 2^53 ns, about 104 days."""
    rank: IntArray
    """Shape (items,): queued items are picked in this order. The measured dequeue order: local LIFO, stealing and
    priorities are facts of the run, not causes of its delays."""
    stretches: Stretches

    @property
    def demand(self) -> FloatArray:
        """Own demand of each item in ns: its CPU time and its blocked time."""
        return self.stretches.per_item(True) + self.stretches.per_item(False)

    @property
    def count(self) -> int:
        return len(self.arrival)

    @staticmethod
    def single_stretch(arrival: FloatArray, duration: FloatArray, on_cpu: bool) -> Workload:
        """Items of one stretch each, picked first come, first served."""
        count = len(arrival)
        return Workload(
            arrival=np.asarray(arrival, dtype=np.float64),
            rank=np.argsort(np.argsort(arrival, kind="stable"), kind="stable").astype(np.int64),
            stretches=Stretches(
                first=np.arange(count + 1, dtype=np.int64),
                on_cpu=np.full(count, on_cpu),
                duration=np.asarray(duration, dtype=np.float64),
            ),
        )
