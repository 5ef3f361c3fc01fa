"""The state of a world while it runs."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from poolscope.base.units import NS_PER_MS
from poolscope.replay.hill_climbing import HillClimbing
from poolscope.replay.loop.given import Given, Happened
from poolscope.replay.policies.policy import NetRules, ReferenceRules

MS = NS_PER_MS
"""ns"""

# Values of `pending`.
NONE = 0
IMMEDIATELY = 1
WITH_DELAY = 2

ENGINE = 0
"""The object number of the socket engine, for which stand-ins stand in."""

# Values of `stand_in`.
NOT = 0
READY = 1  # the item that hands it on would have to run once more by then
QUEUED_FIRST = 2  # it waits for a thread

HANDED_ON = -1.0
"""A value of `answered`: another item has brought or fired it, and its answer has not arrived."""

Heap = list[tuple[float, int]]
"""Key and item, as heapq keeps them: smallest key first, then lowest item."""


@dataclass(slots=True)
class Log:
    """Changes of a number over time. If the log is full, it becomes coarser instead of growing without a bound."""

    room: int
    time: list[float] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    reason: list[int] = field(default_factory=list)

    def add(self, time: float, count: int, reason: int) -> None:
        """Records a change of the number."""
        if len(self.time) == self.room:
            kept = slice(0, self.room // 2 * 2, 2)
            self.time, self.count, self.reason = self.time[kept], self.count[kept], self.reason[kept]
        self.time.append(time)
        self.count.append(count)
        self.reason.append(reason)


@dataclass(slots=True)
class State:
    """The state of one world. Times are ns, ticks are ms of the coarse clock."""

    given: Given
    net: NetRules
    """The rules, only for kind NET."""
    reference: ReferenceRules
    """The rules, only for kind REFERENCE."""
    climbing: HillClimbing

    time: list[float]
    """The time from which each step of the world holds."""
    arrival_time: list[float]
    arrival_item: list[int]

    # Per item and per operation.
    items: int
    """The number of items. Higher numbers among the blocked and the queued are marks."""
    unfinished: int
    rank: list[float]
    queue: list[int]
    arrived: list[float]
    start: list[float]
    end: list[float]
    answered: list[float]
    """When its answer arrives. inf: not known yet; HANDED_ON; 0: it waits for no answer."""
    coming: list[float]
    """When it arrives by itself, if not sooner. inf if unknown."""
    stand_in: list[int]
    """NOT, READY or QUEUED_FIRST."""
    in_task_wait: list[bool]
    """True if it counts in `blocked_workers`."""
    position: list[int]
    """The index of its next operation."""
    first: list[int]
    op: list[int]
    value: list[float]
    target: list[int]

    mark_answered: list[float]
    """The same for a mark's answer as for an item's."""
    mark_fired: list[bool]
    lock_held: list[bool]
    carrier: list[int]
    """For each object, the item that waits for a thread to work it off, -1 if none."""
    thread_log: Log
    goal_log: Log
    mark_waiters: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The waiting items, in order of arrival."""
    lock_waiters: defaultdict[int, deque[int]] = field(default_factory=lambda: defaultdict(deque))
    gathered: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """For each object, the items that have arrived since its carrier was queued."""

    at_once: int = 0
    """The counted items that have started and not ended."""
    most_at_once: int = 0

    # The present state of the world.
    now: float = 0.0
    virtual: float = 0.0
    """Virtual time, which advances at the rate at which each running item is served."""
    step: int = 0
    """The present step of the world."""
    cores: float = 0.0
    competitors: float = 0.0
    limit_min: float = 0.0
    limit_max: float = 0.0
    arrivals: int = 0
    """The number of items that have arrived by themselves."""
    drawn: int = 0
    """The number of random numbers drawn so far."""
    cpu_used: float = 0.0
    """The CPU time of all items so far, ns."""
    cpu_machine: float = 0.0
    """The same plus that of the competitors."""
    switches: float = 0.0

    # The place of each item and thread.
    running: Heap = field(default_factory=list)
    """By the virtual time at which the CPU stretch ends."""
    blocked: Heap = field(default_factory=list)
    """By the time at which the blocked stretch ends."""
    queued: Heap = field(default_factory=list)
    """By rank."""
    starting: Heap = field(default_factory=list)
    """Threads, by the time at which they run. 1: a new one, 0: a signalled one."""
    resumed: deque[int] = field(default_factory=deque)
    """Items whose wait has ended and that have not continued yet."""
    free: int = 0
    """The number of workers whose item has just ended or given its thread back."""

    # The pool.
    parked: deque[float] = field(default_factory=deque)
    """The time at which each idle thread parked, oldest first."""
    working: int = 0
    """Threads that work or are about to. For ALLOWED, threads that items hold."""
    threads: int = 0
    """Threads that exist."""
    peak: int = 0
    goal: int = 0
    requested: int = 0
    """Requests for a worker that no worker has taken."""
    outstanding: int = 0
    """The queue's own requests among these: it makes no more than a few at once."""
    waking: int = 0
    """The number of idle threads that have been signalled."""
    idle_ns: float = math.inf
    """The time after which an idle thread ends."""
    last_creation: float = 0.0
    blocked_workers: int = 0
    """The number of workers that wait for a task."""
    added: int = 0
    """The threads of the goal that were added for them."""
    pending: int = NONE
    """The adjustment of the goal to them that the gate has to make."""

    # The gate thread.
    gate_at: float = math.inf
    """Its next check. inf if it sleeps."""
    adjust_at: float = math.inf
    """The end of its delay for blocked tasks. inf if there is none."""
    signal_at: float = math.inf
    """When a signal reaches it. inf if there is none."""
    gate_state: int = 0
    """2: it checks; 1: last check before it sleeps; 0: it sleeps."""
    gate_tick: float = 0.0
    """The tick of its last check."""
    gate_cpu: float = 0.0
    """The CPU time at its last check."""
    gate_time: float = 0.0
    """When that was read."""
    cpu_percent: float = 0.0
    """Its last reading."""
    queued_before: int = 0
    """The queue's length at its last check."""

    # Ticks and samples.
    phase: float = 0.0
    """The phase of the coarse clock."""
    last_dequeue: float = 0.0
    """Tick."""
    prior_sample: float = 0.0
    """The tick of the last update of hill climbing."""
    next_sample: float = 0.0
    """The tick from which the next update may come."""
    sample_start: float = 0.0
    completions: int = 0
    """Since the last update."""

    @staticmethod
    def of(given: Given) -> State:
        """Returns the state before the first event."""
        items, marks = len(given.first) - 1, len(given.mark_awaits_answer)
        return State(
            given=given,
            net=cast(NetRules, given.rules),
            reference=cast(ReferenceRules, given.rules),
            climbing=HillClimbing(given.climbing, given.seed),
            time=given.time.tolist(),
            arrival_time=given.arrival_time.tolist(),
            arrival_item=given.arrival_item.tolist(),
            items=items,
            unfinished=items,
            rank=given.rank.tolist(),
            queue=given.queue.tolist() or [-1] * items,
            arrived=[math.inf] * items,
            start=[math.inf] * items,
            end=[math.inf] * items,
            answered=np.where(given.awaits_answer, math.inf, 0.0).tolist(),
            coming=[math.inf] * items,
            stand_in=[NOT] * items,
            in_task_wait=[False] * items,
            position=given.first[:-1].tolist(),
            first=given.first.tolist(),
            op=given.op.tolist(),
            value=given.value.tolist(),
            target=given.target.tolist(),
            mark_answered=np.where(given.mark_awaits_answer, math.inf, 0.0).tolist(),
            mark_fired=[False] * marks,
            lock_held=[False] * given.locks,
            carrier=[-1] * (1 + max(int(given.queue.max(initial=0)), 0)),
            thread_log=Log(given.thread_room),
            goal_log=Log(given.goal_room),
        )

    def happened(self) -> Happened:
        """Returns the result."""
        return Happened(
            np.array(self.arrived),
            np.array(self.start),
            np.array(self.end),
            np.array(self.thread_log.time),
            np.array(self.thread_log.count, dtype=np.int64),
            self.peak,
            np.array(self.goal_log.time),
            np.array(self.goal_log.count, dtype=np.int64),
            np.array(self.goal_log.reason, dtype=np.int64),
            self.most_at_once,
            self.switches,
        )

    def draw(self) -> float:
        """Returns the next random number, uniform in [0, 1)."""
        uniforms = self.given.uniforms
        self.drawn += 1
        return float(uniforms[(self.drawn - 1) % len(uniforms)])

    def tick(self) -> float:
        """Returns the time of the pool's clock: ms, in steps of a jiffy."""
        jiffy = self.net.jiffy_ms
        return float(math.floor(math.floor((self.now + self.phase) / (jiffy * MS)) * jiffy))

    def log_threads(self) -> None:
        """Records a change in the number of threads."""
        self.peak = max(self.peak, self.threads)
        log = self.thread_log
        if log.time and log.time[-1] == self.now:
            log.count[-1] = self.threads
        else:
            log.add(self.now, self.threads, 0)

    def log_goal(self, reason: int) -> None:
        """Records a new goal."""
        self.goal_log.add(self.now, self.goal, reason)
