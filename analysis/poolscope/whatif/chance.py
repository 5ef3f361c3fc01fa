"""Random choices for work at another rate: which groups of items are repeated or dropped, and when copies arrive."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray

BLOCK = 16
"""The number of groups, in order of arrival, among which chance decides the repeated (or dropped) ones.

Each block repeats the number that the load requires, so that the rate over time keeps its shape. Groups are drawn at
random, so that no rhythm of the arrivals is selected.
"""


def draw_copies(begin: FloatArray, once: BoolArray, load: float, random: np.random.Generator) -> IntArray:
    """Returns how often each group exists: floor(load), and in each block once more for as many groups as its share
    requires."""
    copies = np.full(len(begin), int(np.floor(load)), dtype=np.int64)
    share = load - np.floor(load)
    drawn = np.flatnonzero(~once)
    drawn = drawn[np.argsort(begin[drawn], kind="stable")]
    at = np.append(np.arange(0, len(drawn), BLOCK), len(drawn))
    due = np.floor(share * at + random.random()).astype(np.int64)
    copies[drawn[np.flatnonzero(_chosen(np.diff(at), np.diff(due), random))]] += 1
    copies[once] = 1
    return copies


def _chosen(size: IntArray, count: IntArray, random: np.random.Generator) -> BoolArray:
    """Returns `count` places of each block without replacement, drawn as `random.choice` draws them one block after
    another: by Floyd's algorithm, then a shuffle, which only uses up numbers here. `size`: that of each block, at most
    BLOCK. The result has the shape (blocks, BLOCK)."""
    chosen = np.zeros((len(size), BLOCK), dtype=bool)
    most = int(count.max(initial=0))
    steps = np.arange(most)
    bound = np.hstack(((size - count)[:, None] + steps, count[:, None] - 1 - steps))
    valid = np.hstack((steps < count[:, None], bound[:, most:] > 0))
    draws = np.zeros(bound.shape, dtype=np.int64)
    draws[valid] = random.integers(0, bound[valid], endpoint=True)
    for step in range(most):
        block = np.flatnonzero(valid[:, step])
        place = draws[block, step]
        chosen[block, np.where(chosen[block, place], bound[block, step], place)] = True
    return chosen


def draw_shifts(begin: FloatArray, copies: IntArray, once: BoolArray, random: np.random.Generator) -> FloatArray:
    """Returns how much later than captured each copy of each group arrives, ns. The first copy arrives at its own
    time."""
    comes = np.flatnonzero(np.isfinite(begin) & ~once)
    order = comes[np.argsort(begin[comes], kind="stable")]
    gap = np.diff(begin[order])
    ahead = np.append(gap, gap[-1:])
    behind = np.append(gap[:1], gap)
    room = np.zeros(len(begin))
    if len(gap):
        room[order] = np.minimum(ahead, behind)
    shift = random.random(int(copies.sum()))
    shift[(np.cumsum(copies) - copies)[copies > 0]] = 0.0
    shift *= np.repeat(room, copies)
    # Integer ns: the engine's arithmetic is exact for them.
    return np.asarray(np.rint(shift, out=shift))
