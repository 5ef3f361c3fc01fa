"""The demand of the items, the same in every world: their arrivals, the order in which they are picked, and their
operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from poolscope.base.arrays import BoolArray, FloatArray, IntArray


class Op:
    """The operations of an item. Those in TIMED take time, their value; the others have a target."""

    CPU = 0
    """Value: ns of CPU time. Takes longer if cores are shared."""
    BLOCKED = 1
    """Value: ns until something outside the pool finishes (a sleep, another process): the same in every world."""
    WAIT = 2
    """Target: a mark. Blocked until it has fired, not at all if it already has."""
    TASK_WAIT = 3
    """The same as a synchronous wait for a task, to which .NET 6 and later react by adding threads."""
    ACQUIRE = 4
    """Target: a lock. Blocked until it is free. Locks pass to the item that has waited longest."""
    RELEASE = 5
    """Target: a lock that the item holds."""
    ENQUEUE = 6
    """Target: the item that arrives at this point. Value: the earliest time, ns from the start of the capture, 0: at
    once."""
    MARK = 7
    """Target: the mark that fires at this point, permanently."""
    TASK_BLOCKED = 8
    """Value: ns. Like BLOCKED, in a synchronous wait for a task, to which .NET 6 and later react by adding threads."""
    ANSWER = 9
    """Target: an item. Value: the ns from now after which an answer to the data sent at this point arrives for the
    item.

    The item arrives by then at the latest. If another item's ENQUEUE brings it, it arrives neither before that nor
    before its answer.
    """
    ANSWER_MARK = 10
    """Target: a mark, value: ns. The same for a mark that another item's MARK fires: neither before that nor before the
    answer."""

    TIMED = (CPU, BLOCKED, TASK_BLOCKED)
    """Operations whose value is the time that they take."""
    TO_ITEM = (ENQUEUE, ANSWER)
    """Operations whose target is an item."""
    TO_MARK = (WAIT, TASK_WAIT, MARK, ANSWER_MARK)
    """Operations whose target is a mark."""


@dataclass(frozen=True)
class Program:
    """The operations of every item, flattened: item i has the operations `first[i]` up to, not including, `first[i +
    1]`."""

    first: IntArray
    """Shape (items + 1,), increasing."""
    op: npt.NDArray[np.int8]
    """Shape (operations,): constants of Op."""
    value: FloatArray
    """Shape (operations,), ns >= 0, 0 if the operation has none."""
    target: IntArray | npt.NDArray[np.int32]
    """Shape (operations,), below 2^31: the number of a mark, a lock or an item, -1 if the operation has none."""

    @staticmethod
    def of(items: Sequence[Sequence[tuple[int, float]]]) -> Program:
        """Makes a program from each item's pairs of operation and its value or target."""
        flat = [pair for item in items for pair in item]
        op = np.array([o for o, _ in flat], dtype=np.int8)
        argument = np.array([a for _, a in flat], dtype=np.float64)
        timed = np.isin(op, Op.TIMED)
        first = np.zeros(len(items) + 1, dtype=np.int64)
        first[1:] = np.cumsum([len(item) for item in items])
        return Program(
            first=first,
            op=op,
            value=np.where(timed, argument, 0.0),
            target=np.where(timed, -1, argument).astype(np.int64),
        )

    @staticmethod
    def of_stretches(first: IntArray, on_cpu: npt.ArrayLike, duration: npt.ArrayLike) -> Program:
        """Makes a program from stretches of CPU time and of blocked time (`on_cpu` False) that nothing inside the pool
        ends."""
        kinds = np.asarray(on_cpu, dtype=np.bool_)
        return Program(
            first=np.asarray(first, dtype=np.int64),
            op=np.where(kinds, Op.CPU, Op.BLOCKED).astype(np.int8),
            value=np.asarray(duration, dtype=np.float64),
            target=np.full(len(kinds), -1, dtype=np.int64),
        )

    def does(self, kinds: Sequence[int]) -> BoolArray:
        """Returns whether each operation is one of these kinds. For a few kinds, np.isin takes 70 times as long."""
        return np.asarray(np.logical_or.reduce([self.op == kind for kind in kinds]))

    def per_item(self, kind: int) -> FloatArray:
        """Returns the total value of each item's operations of this kind, ns, shape (items,)."""
        does = self.op == kind
        if not does.any():
            return np.zeros(len(self.first) - 1)
        total = np.zeros(len(self.op) + 1)
        np.cumsum(np.where(does, self.value, 0.0), out=total[1:])
        found = total[self.first[1:]]
        found -= total[self.first[:-1]]
        return np.asarray(found)


@dataclass(frozen=True)
class Workload:
    """Work items as every world sees them."""

    arrival: FloatArray
    """Shape (items,), ns from the start of the capture, inf if an ENQUEUE of another item brings it. Integers stay
    exact up to 2^53 ns, about 104 days."""
    rank: IntArray
    """Shape (items,): the order in which queued items are picked. This is the measured dequeue order: local LIFO,
    stealing and priorities are facts of the run, not causes of its delays."""
    program: Program
    marks: int = 0
    """Marks are numbered from 0 up to, not including, this."""
    locks: int = 0
    """Locks likewise."""
    shared: BoolArray | None = None
    """Shape (items,): the runtime's own items, which hand on data that arrived for many others. They are no part of the
    work. None if no item is one."""
    queue: IntArray | None = None
    """Shape (items,): the number, from 1 on, of the queue that the item works off, -1 if none. None if no item works
    off a queue.

    If an item arrives while another of its queue waits for a thread, it has nothing left to do when that one begins,
    and ends with it.
    """
    stand_ins: bool = False
    """True if data that arrives after the item that hands it on has run waits for that item, which would be queued once
    more, to get a thread. The item for the data then waits for a thread itself. If False, items arrive, and marks fire,
    by themselves."""
    first_come: bool = False
    """True if queued items are picked in the order in which the world queues them. `rank` then decides between items of
    one moment."""

    @cached_property
    def demand(self) -> FloatArray:
        """The own demand of each item in ns: its CPU time and the blocked time that something outside the pool ends."""
        return np.asarray(sum(self.program.per_item(op) for op in Op.TIMED))

    @property
    def count(self) -> int:
        return len(self.arrival)

    @cached_property
    def arrivals(self) -> tuple[FloatArray, IntArray]:
        """Times that are known beforehand, in order, and the items that arrive then."""
        if (self.arrival[1:] >= self.arrival[:-1]).all() and np.isfinite(self.arrival[-1:]).all():
            return np.asarray(self.arrival, dtype=np.float64), np.arange(self.count)
        known = np.flatnonzero(np.isfinite(self.arrival))
        order = known[np.argsort(self.arrival[known], kind="stable")]
        return np.asarray(self.arrival[order], dtype=np.float64), order

    @cached_property
    def mark_rank(self) -> IntArray:
        """Shape (marks,): the rank of the item that fires each mark, 0 if none does."""
        program = self.program
        fires = np.flatnonzero(program.op == Op.MARK)
        result = np.zeros(self.marks, dtype=np.int64)
        result[program.target[fires]] = self.rank[np.searchsorted(program.first, fires, side="right") - 1]
        return result

    @cached_property
    def keys(self) -> FloatArray:
        """Shape (items + marks,): what `Given.rank` says."""
        rank = np.concatenate((self.rank, self.mark_rank))
        # With `first_come` below the unit of the time to which it is added.
        return np.asarray(rank / (8 * self.count) if self.first_come else rank, dtype=np.float64)

    @cached_property
    def awaits_answer(self) -> BoolArray:
        """Shape (items,): brought by another item and by an answer, whichever comes last."""
        return self._by_both(self.count, Op.ENQUEUE, Op.ANSWER)

    @cached_property
    def mark_awaits_answer(self) -> BoolArray:
        """Shape (marks,): fired by an item and by an answer, whichever comes last."""
        return self._by_both(self.marks, Op.MARK, Op.ANSWER_MARK)

    def _by_both(self, count: int, one: int, other: int) -> BoolArray:
        op, target, number = self.program.op, self.program.target, np.arange(count)
        return np.isin(number, target[op == one]) & np.isin(number, target[op == other])

    @cached_property
    def flaw(self) -> str | None:
        """Why no world can run it, or None. Checked once for all worlds."""
        program = self.program
        target = program.target
        if len(program.first) != self.count + 1 or (self.count and program.first[-1] != len(program.op)):
            return "a program must have the operations of each item, and no others"
        if (program.value < 0).any() or np.isnan(program.value).any():
            return "an operation cannot take less than 0 ns"
        if self.queue is not None and (len(self.queue) != self.count or (self.queue == 0).any()):
            return "every item has the number of a queue, 1 or more, or -1"
        for named, count, what in (
            (program.does(Op.TO_MARK), self.marks, "mark"),
            (program.does((Op.ACQUIRE, Op.RELEASE)), self.locks, "lock"),
            (program.does(Op.TO_ITEM), self.count, "item"),
        ):
            targets = target[named]
            if len(targets) and (targets.min() < 0 or targets.max() >= count):
                return f"an operation names {what} {targets.max()}, but there are {count}"
        return None

    def arriving(self, arrival: FloatArray, program: Program) -> Workload:
        """Returns the same with other arrivals, and a program that differs only in the values of ENQUEUE. Reuses what
        depends on neither."""
        other = replace(self, arrival=arrival, program=program)
        same = ("demand", "keys", "awaits_answer", "mark_awaits_answer", "flaw")
        vars(other).update({name: getattr(self, name) for name in same})
        return other

    @staticmethod
    def in_turn(arrival: npt.ArrayLike, program: Program, marks: int = 0, locks: int = 0) -> Workload:
        """Makes a workload whose items are picked first come, first served. Items of one time, and items that another
        item brings, are picked by their number."""
        arrivals = np.asarray(arrival, dtype=np.float64)
        rank = np.argsort(np.argsort(arrivals, kind="stable"), kind="stable").astype(np.int64)
        return Workload(arrivals, rank, program, marks, locks)

    @staticmethod
    def single_stretch(arrival: FloatArray, duration: FloatArray, on_cpu: bool) -> Workload:
        """Makes items of one stretch each, picked first come, first served."""
        count = len(arrival)
        return Workload.in_turn(arrival, Program.of_stretches(np.arange(count + 1), np.full(count, on_cpu), duration))
