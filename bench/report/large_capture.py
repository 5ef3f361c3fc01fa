"""A large capture made of arrays: a pool of workers that serves a million items, in the tables of the format.

It measures no pool: its numbers come from a seeded generator. It suits the report's benchmark because it has as many
rows of every kind as a real capture of that size, and everything that a report can show.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poolscope.capture.schema import enum

from . import capture_folder, pool_run, user_code
from .pool_run import (
    BASE,
    CPUS,
    FIRST_WORKER_TID,
    GROWTH_STEP,
    MIN_THREADS,
    MS,
    NEIGHBOUR_TID,
    PID,
    QUEUER_TID,
    WORKERS,
)


def make(folder: Path, items: int, seed: int = 7) -> int:
    """Writes a capture of `items` work items, ready to be analysed, and returns the number of its switches: four to six
    times as many."""
    random = np.random.default_rng(seed)
    enqueue = pool_run.arrivals(random, items)
    parts = pool_run.durations(random, items)
    worker = pool_run.workers_of(enqueue)
    dequeue, end = pool_run.served(enqueue, parts.sum(axis=1), worker)
    length = int(end.max()) + MS
    parked, parks = pool_run.parks(dequeue, end, worker)
    born = np.maximum(np.arange(WORKERS) - MIN_THREADS, 0) * GROWTH_STEP
    tables: dict[str, dict[str, Any]] = {
        "work_items": {
            "id": np.arange(items),
            "enqueue": BASE + enqueue,
            "dequeue": BASE + dequeue,
            "end": BASE + end,
            "enqueue_known": enum("work_items", "enqueue_known", "event"),
            "dequeue_known": enum("work_items", "dequeue_known", "event"),
            "end_known": np.where(
                parked, *(enum("work_items", "end_known", name) for name in ("park", "next_dequeue"))
            ),
            "enqueue_tid": QUEUER_TID,
            "worker_tid": FIRST_WORKER_TID + worker,
            "work_id": random.integers(1, 2**31, items),
        },
        "workers": {
            "tid": FIRST_WORKER_TID + np.flatnonzero(born < length),
            "start": BASE + born[born < length],
        },
        "pool_limits": {"time": [BASE], "min": [MIN_THREADS], "max": [32767]},
        "capacity": {"time": [BASE], "cores": [float(CPUS)], "cpus_allowed": [CPUS]},
    }
    tables["parked"] = parks
    tables["thread_states"], blocks = pool_run.states(dequeue, end, worker, parts, length)
    tables["switches"] = pool_run.switches(tables["thread_states"], length)
    tables["wakeups"] = pool_run.wakeups(blocks)
    tables["pool_changes"] = pool_run.pool_changes(random, length)
    tables["stacks"], tables["frames"], leaves = user_code.stacks(random)
    tables["waits"] = user_code.contentions(random, blocks, leaves)
    tables["snapshots"] = user_code.snapshots(random, length, leaves)
    tables["cpu_samples"] = user_code.samples(random, length, leaves)
    tids = [QUEUER_TID, *range(FIRST_WORKER_TID, FIRST_WORKER_TID + WORKERS), NEIGHBOUR_TID]
    tables["threads"] = {
        "tid": tids,
        "pid": [PID] * (1 + WORKERS) + [NEIGHBOUR_TID],
        "name": ["app"] + [".NET TP Worker"] * WORKERS + ["neighbour"],
    }
    streams = [("runtime.nettrace", "eventpipe", items * 3), ("sched.perf.data", "tracepoint", items * 9)]
    tables["streams"] = {
        "file": [name for name, _, _ in streams],
        "tier": [tier for _, tier, _ in streams],
        "start": BASE,
        "end": [BASE + length] * len(streams),
        "events": [events for _, _, events in streams],
        "bytes": [events * 60 for _, _, events in streams],
        "lost": 0,
        "cut": 0,
    }
    capture_folder.write(folder, tables, length)
    return len(tables["switches"]["time"])
