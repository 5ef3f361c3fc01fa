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
    """A workload and a world as the loop reads them; neither changes. Arrays are contiguous. Times are ns."""

    kind: int
    """The kind of the policy."""
    holding: bool
    rules: NetRules | ReferenceRules | None
    """The rules of the kind. None for the two kinds without rules."""
    climbing: HillClimbingKnobs
    seed: int
    """The seed of hill climbing."""
    uniforms: FloatArray
    """Random numbers from [0, 1), used again from the first one after the last."""
    thread_room: int
    """The number of changes of threads recorded before the log becomes coarser."""
    goal_room: int
    """The same for the goal."""
    counted: int
    """Only items below this number count in `Happened.most_at_once`."""

    time: FloatArray
    """Shape (steps,): the time from which the next four hold."""
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
    """Shape (items,): the queue that the item works off, -1 if it shares none. Empty if none does."""
    awaits_answer: BoolArray
    """Shape (items,): brought by another item and by an answer, whichever comes last."""
    mark_awaits_answer: BoolArray
    """Shape (marks,): fired by an item and by an answer, whichever comes last."""
    locks: int
    first_come: bool
    """True if the queue is in order of arrival, False if it is in order of rank."""
    stand_ins: bool
    """True if an item that is handed on late has stand-ins."""

    first: IntArray
    """Shape (items + 1,): each item's first operation, then the end of the last item's."""
    op: npt.NDArray[np.int8]
    """Shape (operations,)."""
    value: FloatArray
    target: npt.NDArray[np.int32]


class Happened(NamedTuple):
    """The result. inf means never."""

    arrived: FloatArray
    """Shape (items,)."""
    start: FloatArray
    end: FloatArray
    thread_time: FloatArray
    """Shape (changes,): the times at which the number of threads changed, in order."""
    thread_count: IntArray
    """The number from then on."""
    peak: int
    """The most threads, even if the log became coarser."""
    goal_time: FloatArray
    """Shape (changes,)."""
    goal: IntArray
    goal_reason: IntArray
    most_at_once: int
    """The most items that had started and not ended, after everything that happens at one moment."""
    context_switches: float
