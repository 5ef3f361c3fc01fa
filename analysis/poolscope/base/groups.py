"""Rows in groups: which follow one of their own group, running totals, and the middle value of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.searches import rows_before


def same_as_before(*keys: IntArray) -> BoolArray:
    """Returns whether each row has the same keys as the row before it; shape (rows,). The first row has none before it."""
    same = np.zeros(len(keys[0]), dtype=bool)
    same[1:] = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])
    return same


def lower_medians(group: IntArray, value: IntArray, groups: int) -> FloatArray:
    """Returns the lower median of the values of each group, shape (groups,); NaN for a group without values."""
    order = np.lexsort((value, group))
    count = np.bincount(group, minlength=groups)
    first = np.cumsum(count) - count
    middle = first + np.maximum(count - 1, 0) // 2
    result = np.full(groups, np.nan)
    some = count > 0
    result[some] = value[order][middle[some]]
    return result


def running_totals(group: IntArray, value: IntArray) -> IntArray:
    """Returns running totals inside each group; rows of a group are together."""
    total = np.cumsum(value)
    first = np.concatenate((np.ones(min(len(group), 1), dtype=bool), group[1:] != group[:-1]))
    return np.asarray(total - np.repeat((total - value)[first], np.diff(np.append(np.flatnonzero(first), len(group)))))


@dataclass(frozen=True)
class Runs:
    """Where the rows of each group are in a table that has them together, in any order of groups."""

    group: IntArray
    """Shape (groups,): in order."""
    first: IntArray
    """The first row of each."""
    count: IntArray

    @staticmethod
    def of(group: IntArray) -> Runs:
        first = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
        order = np.argsort(group[first], kind="stable")
        count = np.diff(np.append(first, len(group)))
        return Runs(group[first][order], first[order], count[order])

    def number(self, group: IntArray) -> IntArray:
        """Returns the index here of each group that is asked for; -1: it has no rows."""
        if len(self.group) == 0:
            return np.full(len(group), -1, dtype=np.int64)
        at = np.minimum(rows_before(self.group, group), len(self.group) - 1)
        return np.where(self.group[at] == group, at, -1)
