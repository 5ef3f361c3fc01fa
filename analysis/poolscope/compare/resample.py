"""How far one run's own items leave its statistics open: a circular block bootstrap.

Neighbouring items wait alike, because they stand in the same queue: resampling them one by one takes them for this many
independent trials and finds far too little. So blocks of items that were queued one after the other are drawn (Kuensch
1989; closed to a circle as in Politis and Romano 1992, so that no item is drawn less often than another). What differs
from run to run is in no block: run_to_run.py adds it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poolscope.base.arrays import AnyArray, FloatArray, IntArray
from poolscope.compare.quantity import STATISTICS

REPLICATES = 200
"""Enough for a standard error (Efron and Tibshirani 1993, 6.4): its own error is then 5 %."""
SEED = 8


def block_length(items: int) -> int:
    """Returns the cube root of the number: the order that is best for a standard error (Hall, Horowitz and Jing 1995)."""
    return max(1, int(items ** (1 / 3) + 0.5))


def replicates(durations: Mapping[str, IntArray], with_quantiles: frozenset[str]) -> dict[str, dict[str, FloatArray]]:
    """Returns the statistics of REPLICATES resampled runs for each duration, ns. All arrays are of the same items, in
    the order of their enqueue, at least one. Only `with_quantiles` have percentiles. The same input gives the same
    numbers."""
    items = len(next(iter(durations.values())))
    length = block_length(items)
    blocks = -(-items // length)
    draw = np.random.default_rng(SEED)
    starts = draw.integers(0, items, (REPLICATES, blocks))
    found: dict[str, dict[str, FloatArray]] = {}
    for name, duration in durations.items():
        # One block from every start, by differences of running sums around the circle.
        running: FloatArray = np.zeros(items + length + 1)
        np.cumsum(np.concatenate((duration, duration[:length])), out=running[1:])
        found[name] = {"mean": (running[starts + length] - running[starts]).sum(axis=1) / (blocks * length)}
    for name in with_quantiles & durations.keys():
        found[name].update(_quantiles(durations[name], starts, length))
    return found


def _quantiles(duration: IntArray, starts: IntArray, length: int) -> dict[str, FloatArray]:
    order = np.argsort(duration, kind="stable")
    ascending = duration[order]
    wanted = {name: p for name, p in STATISTICS.items() if p is not None}
    found: dict[str, FloatArray] = {name: np.empty(len(starts)) for name in wanted}
    for row, begun in enumerate(starts):
        upto: AnyArray = np.cumsum(_times_drawn(begun, length, len(duration))[order])
        for name, p in wanted.items():
            found[name][row] = ascending[np.searchsorted(upto, p * upto[-1] - 1e-9)]
    return found


def _times_drawn(starts: IntArray, length: int, items: int) -> IntArray:
    """Returns how often each item is in the blocks that begin at `starts`."""
    room = items + length
    drawn: IntArray = np.cumsum(np.bincount(starts, minlength=room) - np.bincount(starts + length, minlength=room))
    drawn[:length] += drawn[items:]
    return drawn[:items]
