"""Whether the runs have the published shape: ratios and orderings, each within this series of measurements.

Absolute times depend on the machine and are not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seeds.outcome import Outcome

Runs = dict[str, Outcome]

GATE_ROUND_MS = 500
"""Interval of the pools' gate; an injected thread comes on one of its rounds."""


@dataclass(frozen=True)
class Shape:
    """One check."""

    rows: tuple[str, ...]
    """Ids of the rows that it measures; the check belongs to the first one."""
    statement: str
    measure: Callable[[Runs], float]
    low: float
    high: float
    full_only: bool = False
    """Whether only the published size can show it."""

    def applies(self, runs: Runs, full: bool) -> bool:
        return (full or not self.full_only) and all(row in runs for row in self.rows)

    def holds(self, measured: float) -> bool:
        return self.low <= measured <= self.high


def _latency(row: str, statistic: str = "mean") -> Callable[[Runs], float]:
    return lambda runs: runs[row].latency(statistic)


def _figure(row: str, name: str) -> Callable[[Runs], float]:
    return lambda runs: runs[row].figure(name)


def _completion(row: str) -> Callable[[Runs], float]:
    """Returns a function that measures the mean from enqueue to end, ms."""
    return lambda runs: runs[row].analysis["items"]["completion_ms"]["mean"] or 0.0


def _ratio(over: Callable[[Runs], float], under: Callable[[Runs], float]) -> Callable[[Runs], float]:
    return lambda runs: over(runs) / under(runs)


def _item_share(row: str) -> Callable[[Runs], float]:
    """Returns a function that measures the mean wait as a multiple of the time for all items on one thread, which is
    comparable between sizes."""

    def measure(runs: Runs) -> float:
        settings = runs[row].workload["settings"]
        return runs[row].latency("mean") / float(settings["count"] * settings["work_ms"])

    return measure


def _off_the_round(row: str) -> Callable[[Runs], float]:
    """Returns a function that measures the largest distance between a gap of two starts and a multiple of the gate's
    round, ms."""

    def measure(runs: Runs) -> float:
        run = runs[row]
        gaps = np.diff(run.starts_s[run.cores :]) * 1000
        return float(np.abs(gaps - GATE_ROUND_MS * np.round(gaps / GATE_ROUND_MS)).max())

    return measure


INF = float("inf")
GAP = (500.0, 1050.0)
"""ms between injected threads: one or two rounds of the gate, and its drift."""

SHAPES = [
    Shape(("ticket", "ticket:async"), "blocking calls start later than awaited ones, times", _ratio(_latency("ticket", "max"), _latency("ticket:async", "max")), 10, INF),
    Shape(("batch-block-10", "batch-block-200"), "10 threads make an item wait longer than 200, times (per item queued)", _ratio(_item_share("batch-block-10"), _item_share("batch-block-200")), 10, INF),
    Shape(("batch-async", "batch-block-10"), "blocking waits longer than awaiting, times", _ratio(_latency("batch-block-10"), _latency("batch-async")), 1000, INF),
    Shape(("batch-async-2",), "1000 awaited items take, s", lambda runs: runs["batch-async-2"].elapsed_s, 0.5, 2),
    Shape(("trickle-v1", "trickle-v2"), "10 threads wait longer than 20, times", _ratio(_latency("trickle-v1"), _latency("trickle-v2")), 3, INF),
    Shape(("trickle-v3", "trickle-v1"), "blocking waits longer than awaiting, times", _ratio(_latency("trickle-v1"), _latency("trickle-v3")), 1000, INF),
    Shape(("wait-then-compute", "wait-then-compute:200-threads"), "a thread per core takes longer than 200 threads, times (published 2)", _ratio(_figure("wait-then-compute", "total"), _figure("wait-then-compute:200-threads", "total")), 1.5, 2.5),
    Shape(("wait-then-compute:async", "wait-then-compute:200-threads"), "async against 200 threads, times (published 1)", _ratio(_figure("wait-then-compute:async", "total"), _figure("wait-then-compute:200-threads", "total")), 0.75, 1.25),
    Shape(("cashiers", "cashiers:few-threads"), "a thread for each is preempted more than as many threads as cores, times", _ratio(_figure("cashiers", "preemptions"), _figure("cashiers:few-threads", "preemptions")), 2, INF),
    # Not the total time: a crowd takes cores from the recorder too, while two threads leave it some.
    Shape(("cashiers", "cashiers:few-threads"), "and its items end later on average, times", _ratio(_completion("cashiers"), _completion("cashiers:few-threads")), 1.3, INF),
    Shape(("long-running",), "the last one starts after, ms", _latency("long-running", "max"), 0, 1000),
    Shape(("count-thread-each", "count-single"), "one thread counts further than a thread per increment, times", _ratio(_figure("count-single", "count"), _figure("count-thread-each", "count")), 1000, INF),
    Shape(("count-thread-each:join", "count-single"), "one thread counts further than a joined thread per increment, times", _ratio(_figure("count-single", "count"), _figure("count-thread-each:join", "count")), 1000, INF),
    Shape(("count-threads-10", "count-single"), "ten threads count as far as one on each core, times", lambda runs: _ratio(_figure("count-threads-10", "count"), _figure("count-single", "count"))(runs) / min(10, runs["count-single"].cores), 0.75, 1.25),
    Shape(("count-reference-10", "count-threads-10"), "pre-created threads against new ones, times", _ratio(_figure("count-reference-10", "count"), _figure("count-threads-10", "count")), 0.75, 1.25),
    Shape(("count-pool-10",), "the timer that ends the counting is late by, ms", _figure("count-pool-10", "timer late by"), 100, INF),
    Shape(("count-pool-10:rotor",), "the timer that ends the counting is late by, ms", _figure("count-pool-10:rotor", "timer late by"), 1000, INF),
    Shape(("rotor-growth",), "gaps between threads are rounds of 500 ms; farthest off, ms", _off_the_round("rotor-growth"), 0, 100),
    Shape(("create-threads-100", "schedule-pool-100"), "creating a thread takes longer than queueing an item, times", _ratio(_figure("create-threads-100", "ms to schedule"), _figure("schedule-pool-100", "ms to schedule")), 1, INF),
    Shape(("schedule-pool-100", "schedule-pool-100-min"), "growing to the load takes longer than having the threads, times", _ratio(_figure("schedule-pool-100", "total"), _figure("schedule-pool-100-min", "total")), 2, INF),
    Shape(("schedule-pool-100-min",), "in all, in units of one item's time", lambda runs: runs["schedule-pool-100-min"].figure("total") / float(runs["schedule-pool-100-min"].workload["settings"]["work_ms"]), 1, 1.25),
    Shape(("injection-interval",), "mean gap between injected threads, ms", _figure("injection-interval", "mean gap"), *GAP),
    Shape(("barrier-default",), "mean gap between injected threads, ms", _figure("barrier-default", "mean gap"), *GAP),
    Shape(("barrier-long-running",), "all 1000 have started after, ms", _figure("barrier-long-running", "all started by"), 0, 1000),
    Shape(("table-net35", "table-net11"), "backoff takes longer than steady growth, times (published 2)", _ratio(_figure("table-net35", "total"), _figure("table-net11", "total")), 1.4, INF, full_only=True),
    Shape(("table-net11", "table-net35"), "backoff takes longer than steady growth, times, at the scaled size", _ratio(_figure("table-net35", "total"), _figure("table-net11", "total")), 1.05, INF),
]  # fmt: skip
