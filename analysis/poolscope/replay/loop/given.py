"""Input and output of the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies.policy import NetRules, ReferenceRules


@dataclass(frozen=True)
class Given:
    """A workload and a world as the loop reads them: nothing here changes. Arrays are contiguous. Times are ns."""

    kind: int
    """Of the policy."""
    holding: bool
    rules: NetRules | ReferenceRules | None
    """Of the kind; None for the two that have none."""
    climbing: HillClimbingKnobs
    seed: int
    """Of hill climbing."""
    uniforms: FloatArray
    """Random numbers from [0, 1); used again from the first one after the last."""
    thread_room: int
    """Changes of the threads that are noted before the log becomes coarser."""
    goal_room: int
    """The same of the goal."""

    time: FloatArray
    """Shape (steps,): from when on the next four hold."""
    cores: FloatArray
    competitors: FloatArray
    least: FloatArray
    most: FloatArray

    arrival_time: FloatArray
    """Shape (arrivals,): the items that arrive by themselves, in order."""
    arrival_item: IntArray

    rank: FloatArray
    """Shape (items + marks,): for each item, and for the item that fires each mark."""
    queue: IntArray
    """Shape (items,): what the item works off; -1: nothing that others work off, too."""
    awaits_answer: BoolArray
    """Shape (items,): brought by another item and by an answer, whichever comes last."""
    mark_awaits_answer: BoolArray
    """Shape (marks,): fired by an item and by an answer, whichever comes last."""
    locks: int
    first_come: bool
    """The queue's order is that of the arrivals; else it is the ranks'."""
    stand_ins: bool
    """An item that is handed on late has stand-ins."""

    first: IntArray
    """Shape (items + 1,): each item's first operation; behind them, where all end."""
    op: npt.NDArray[np.int8]
    """Shape (operations,)."""
    value: FloatArray
    target: IntArray


class Happened(NamedTuple):
    """What became of it. inf: never."""

    arrived: FloatArray
    """Shape (items,)."""
    start: FloatArray
    end: FloatArray
    thread_time: FloatArray
    """Shape (changes,): when the number of threads changed, in order."""
    thread_count: IntArray
    """From then on."""
    peak: int
    """The most threads, also where the log became coarser."""
    goal_time: FloatArray
    """Shape (changes,)."""
    goal: IntArray
    goal_reason: IntArray
    context_switches: float
