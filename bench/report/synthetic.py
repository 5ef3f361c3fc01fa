"""A large capture made of arrays: a pool of workers that serves a million items, in the tables of the format.

No measurement of any pool: its numbers are drawn from a seeded generator. What makes it fit for measuring the report
is that it has as many rows of every kind as a real capture of that size, and everything that a report can show.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from poolscope.arrays import AnyArray
from poolscope.capture import load_schema
from poolscope.capture.npz import write_table
from poolscope.capture.schema import enum

US = 1_000
MS = 1_000_000
SECOND = 1_000_000_000
BASE = 1_000_000_000_000
"""The window does not start at 0: a real clock never does."""

CPUS = 8
MIN_THREADS, WORKERS = 8, 32
GROWTH_STEP = SECOND
"""A starved pool adds a thread about twice a second; here slower, so that growth fills a visible part."""
PID, QUEUER_TID, FIRST_WORKER_TID, NEIGHBOUR_TID = 100, 100, 200, 9_000
MEAN_GAP = 700 * US
"""Between two items: 85 % of what 32 workers can do, and more than they can do in a burst."""
BURST_EVERY, BURST_SHARE, BURST_SPEED = 20_000, 0.2, 1.6
"""Items from one burst to the next, the part of them that is in it, and how much closer they are there."""

STATES_PER_ITEM = 7
"""running, blocked, ready, running, blocked, ready, running."""
SWITCHES_PER_ITEM = 5
METHODS, DEPTH = 4_000, 24
SNAPSHOT_STEP = 500 * MS
SAMPLES_PER_CPU_SECOND = 99
CONTENTIONS_EVERY = 20
"""Blocks from one that is a contended lock to the next."""
LOCKS, LOCK_SITES = 20, 12
"""Locks that are contended, and places in the code that wait for them: a program has few of either."""
FAVOUR = 0.004
"""How much rarer each stack is than the one before: a few hundred make most of what samples and snapshots see."""
CHANGE_STEP = 500 * MS


def make(folder: Path, items: int, seed: int = 7) -> None:
    """Writes a capture of `items` work items and SWITCHES_PER_ITEM times as many switches, ready to be analysed."""
    random = np.random.default_rng(seed)
    number = np.arange(items)
    burst = number % BURST_EVERY < BURST_EVERY * BURST_SHARE
    enqueue = np.cumsum(random.exponential(MEAN_GAP, items) / np.where(burst, BURST_SPEED, 1.0)).astype(np.int64)
    parts = _parts(random, items)
    threads = np.minimum(MIN_THREADS + enqueue // GROWTH_STEP, WORKERS)
    worker = number % threads
    dequeue, end = _serve(enqueue, parts.sum(axis=1), worker)
    length = int(end.max()) + MS
    tables: dict[str, dict[str, Any]] = {
        "work_items": {
            "id": number,
            "enqueue": BASE + enqueue,
            "dequeue": BASE + dequeue,
            "end": BASE + end,
            "enqueue_known": enum("work_items", "enqueue_known", "event"),
            "dequeue_known": enum("work_items", "dequeue_known", "event"),
            "end_known": enum("work_items", "end_known", "next_dequeue"),
            "enqueue_tid": QUEUER_TID,
            "worker_tid": FIRST_WORKER_TID + worker,
            "work_id": random.integers(1, 2**31, items),
        },
        "workers": {
            "tid": FIRST_WORKER_TID + np.arange(WORKERS),
            "start": BASE + np.maximum(np.arange(WORKERS) - MIN_THREADS, 0) * GROWTH_STEP,
        },
        "pool_limits": {"time": [BASE], "min": [MIN_THREADS], "max": [32767]},
        "capacity": {"time": [BASE], "cores": [float(CPUS)], "cpus_allowed": [CPUS]},
    }
    tables["thread_states"], blocks = _states(dequeue, end, worker, parts, length)
    tables["switches"] = _switches(random, items, blocks, length)
    tables["wakeups"] = _wakeups(blocks)
    tables["pool_changes"] = _changes(random, length)
    tables["stacks"], tables["frames"], leaves = _stacks(random)
    tables["waits"] = _contentions(random, blocks, leaves)
    tables["snapshots"] = _snapshots(random, length, leaves)
    tables["cpu_samples"] = _samples(random, length, leaves)
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
    _write(folder, tables, length)


def _parts(random: np.random.Generator, items: int) -> AnyArray:
    """Duration of each state of each item, ns: most of it blocked, as in a service that asks a database."""
    mean = np.array([0.6, 9.0, 0.1, 0.8, 7.0, 0.1, 0.4]) * MS
    drawn = random.gamma(2.0, mean / 2.0, (items, STATES_PER_ITEM))
    return np.maximum(drawn, 2 * US).astype(np.int64)


def _serve(enqueue: AnyArray, work: AnyArray, worker: AnyArray) -> tuple[AnyArray, AnyArray]:
    """When each item starts and ends on its worker: when it is queued or when the worker is free, whichever is later."""
    dequeue = np.empty_like(enqueue)
    for which in range(WORKERS):
        mine = np.flatnonzero(worker == which)
        before = np.cumsum(work[mine]) - work[mine]
        dequeue[mine] = before + np.maximum.accumulate(enqueue[mine] + US - before)
    return dequeue, dequeue + work


def _states(
    dequeue: AnyArray, end: AnyArray, worker: AnyArray, parts: AnyArray, length: int
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """States of every worker without a gap, and every block inside an item: thread, start, end."""
    running, ready, blocked = (enum("thread_states", "state", name) for name in ("running", "ready", "blocked"))
    kinds = np.array([running, blocked, ready, running, blocked, ready, running], dtype=np.uint8)
    stops = dequeue[:, None] + np.cumsum(parts, axis=1)
    starts = stops - parts
    tid, start, stop, state = [], [], [], []
    for which in range(WORKERS):
        mine = np.flatnonzero(worker == which)
        gap_start = np.append(0, end[mine])
        gap_end = np.append(dequeue[mine], length)
        idle = gap_end > gap_start
        begin = np.concatenate([starts[mine].ravel(), gap_start[idle]])
        order = np.argsort(begin, kind="stable")
        start.append(begin[order])
        stop.append(np.concatenate([stops[mine].ravel(), gap_end[idle]])[order])
        kind = np.concatenate([np.tile(kinds, len(mine)), np.full(int(idle.sum()), blocked, np.uint8)])
        state.append(kind[order])
        tid.append(np.full(len(begin), FIRST_WORKER_TID + which, np.int32))
    held = kinds == blocked
    blocks = {
        "tid": np.repeat(FIRST_WORKER_TID + worker, int(held.sum())),
        "start": starts[:, held].ravel(),
        "end": stops[:, held].ravel(),
    }
    beat = np.arange(0, length - 20 * MS, 50 * MS)  # another process, 10 ms of every 50
    columns = {
        "tid": np.concatenate([*tid, np.full(len(beat), NEIGHBOUR_TID)]),
        "start": BASE + np.concatenate([*start, beat]),
        "end": BASE + np.concatenate([*stop, beat + 10 * MS]),
        "state": np.concatenate([*state, np.full(len(beat), running, np.uint8)]),
        "resolution": 0,
    }
    return columns, blocks


def _switches(random: np.random.Generator, items: int, blocks: dict[str, AnyArray], length: int) -> dict[str, Any]:
    """Two switches for each block, and short-lived ones of other threads up to the wanted number."""
    rest = max(items * SWITCHES_PER_ITEM - 2 * len(blocks["tid"]), 0)
    time = np.concatenate([blocks["start"], blocks["end"], random.integers(0, length, rest)])
    other = np.full(rest, NEIGHBOUR_TID)
    idle = np.zeros(len(blocks["tid"]), dtype=np.int64)
    leaving = np.concatenate([blocks["tid"], idle, other])
    coming = np.concatenate([idle, blocks["tid"], np.zeros(rest, dtype=np.int64)])
    order = np.argsort(time, kind="stable")
    return {
        "time": BASE + time[order],
        "cpu": (leaving + coming)[order] % CPUS,
        "prev_tid": leaving[order],
        "prev_state": 1,
        "next_tid": coming[order],
    }


def _wakeups(blocks: dict[str, AnyArray]) -> dict[str, Any]:
    order = np.argsort(blocks["end"], kind="stable")
    woken = blocks["tid"][order]
    return {"time": BASE + blocks["end"][order], "cpu": 0, "wakee_tid": woken, "target_cpu": woken % CPUS}


def _changes(random: np.random.Generator, length: int) -> dict[str, Any]:
    """Starvation while the pool grows, then hill climbing around what it has."""
    grown = np.arange(1, WORKERS - MIN_THREADS + 1)
    after = np.arange(int(grown[-1] + 1) * GROWTH_STEP, length, CHANGE_STEP)
    reasons = [enum("pool_changes", "reason", name) for name in ("Starvation", "ClimbingMove")]
    return {
        "time": BASE + np.concatenate([grown * GROWTH_STEP, after]),
        "goal": np.concatenate([MIN_THREADS + grown, WORKERS + random.integers(0, 2, len(after))]),
        "reason": np.repeat(reasons, [len(grown), len(after)]),
        "throughput": 1_400.0,
        "tid": QUEUER_TID,
    }


def _stacks(random: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], AnyArray]:
    """A prefix tree, names as long as generic ones are, and where its stacks begin.

    Chains of DEPTH frames, each of which branches off somewhere in an earlier one: whole stacks are a few chains deep.
    """
    name = (
        "Contoso.Ordering.Service.Handlers.Handler{0:04}`2[System.__Canon,System.Int32]+<HandleAsync>d__{0}.MoveNext()"
    )
    frames = {"method": [name.format(i) for i in range(METHODS)], "module": "Contoso.Ordering.dll", "resolved": 1}
    nodes = METHODS * 4
    earlier = (random.random(nodes) * np.arange(nodes)).astype(np.int64)
    parent = np.where(np.arange(nodes) % DEPTH == 0, earlier, np.arange(nodes) - 1)
    parent[0] = -1
    stacks = {"id": np.arange(nodes), "parent": parent, "frame": random.integers(0, METHODS, nodes)}
    return stacks, frames, np.arange(DEPTH - 1, nodes, DEPTH // 4)


def _drawn(random: np.random.Generator, leaves: AnyArray, count: int) -> AnyArray:
    """Stacks as a profile has them: some much more often than others."""
    chosen: AnyArray = leaves[np.minimum(random.geometric(FAVOUR, count) - 1, len(leaves) - 1)]
    return chosen


def _contentions(random: np.random.Generator, blocks: dict[str, AnyArray], leaves: AnyArray) -> dict[str, Any]:
    chosen = np.arange(0, len(blocks["tid"]), CONTENTIONS_EVERY)
    order = chosen[np.argsort(blocks["start"][chosen], kind="stable")]
    return {
        "tid": blocks["tid"][order],
        "start": BASE + blocks["start"][order],
        "end": BASE + blocks["end"][order],
        "kind": enum("waits", "kind", "contention"),
        "object": 1 + np.arange(len(order)) % LOCKS,
        "owner_tid": FIRST_WORKER_TID + random.integers(0, WORKERS, len(order)),
        "stack": leaves[random.integers(0, LOCK_SITES, len(order))],
    }


def _snapshots(random: np.random.Generator, length: int, leaves: AnyArray) -> dict[str, Any]:
    time = np.repeat(np.arange(0, length, SNAPSHOT_STEP), WORKERS)
    tid = FIRST_WORKER_TID + np.arange(len(time)) % WORKERS
    return {"time": BASE + time, "tid": tid, "stack": _drawn(random, leaves, len(time))}


def _samples(random: np.random.Generator, length: int, leaves: AnyArray) -> dict[str, Any]:
    count = int(length / SECOND * SAMPLES_PER_CPU_SECOND * CPUS / 2)
    return {
        "time": BASE + np.sort(random.integers(0, length, count)),
        "cpu": random.integers(0, CPUS, count),
        "pid": PID,
        "tid": FIRST_WORKER_TID + random.integers(0, WORKERS, count),
        "stack": _drawn(random, leaves, count),
    }


def _write(folder: Path, columns: dict[str, dict[str, Any]], length: int) -> None:
    (folder / "tables").mkdir(parents=True)
    for name, schema in load_schema().tables.items():
        if name == "item_parts":
            continue
        given = columns.get(name, {})
        count = max((len(values) for values in given.values() if np.ndim(values)), default=0)
        frame = {}
        for column in schema.columns:
            missing = None if column.type == "string" else 0 if column.type in ("enum", "flags") else -1
            values = given.get(column.name, np.nan if column.type == "float64" else missing)
            frame[column.name] = values if np.ndim(values) else [values] * count if values is None else values
        write_table(folder / "tables" / f"{name}.npz", schema, pd.DataFrame(frame, index=range(count)))
    (folder / "capture.json").write_text(json.dumps(_manifest(length)))


def _manifest(length: int) -> dict[str, Any]:
    return {
        "format": 1,
        "tool": {"name": "poolscope-collect", "version": "0.1.0"},
        "status": "complete",
        "stop": "duration",
        "clock": {"id": "CLOCK_MONOTONIC", "start_ns": BASE, "start_utc": "2026-01-02T03:04:05.678Z"},
        "host": {
            "name": "synthetic",
            "os": "Linux",
            "kernel": "6.1.0",
            "architecture": "x64",
            "cpus_online": CPUS,
            "memory_bytes": 2**34,
        },
        "target": {
            "pid": PID,
            "name": "app",
            "command": ["app", "--serve"],
            "launched": False,
            "exit_code": None,
            "runtime": ".NET 10.0.12",
            "cpus_allowed": CPUS,
            "cpu_quota": None,
            "processor_count": CPUS,
            "min_threads": {"value": MIN_THREADS, "known": "default"},
            "max_threads": {"value": 32767, "known": "default"},
        },
        "phases": [{"name": "recording", "start_ns": BASE, "end_ns": BASE + length}],
        "streams": [],
        "refused": [],
    }
