"""The code that the large capture's items run: stacks, and their use by locks, snapshots and samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.capture.schema import enum

from .pool_run import BASE, CPUS, FIRST_WORKER_TID, MS, PID, SECOND, WORKERS

METHODS, DEPTH = 4_000, 24
SNAPSHOT_STEP = 500 * MS
SAMPLES_PER_CPU_SECOND = 99
CONTENTIONS_EVERY = 20
"""Blocks between two contended locks."""
LOCKS, LOCK_SITES = 20, 12
"""Contended locks, and places in the code that wait for them: a program has few of either."""
FAVOUR = 0.004
"""How much rarer each stack is than the one before: a few hundred make up most samples and snapshots."""


def stacks(random: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], AnyArray]:
    """Returns a prefix tree, names as long as generic ones, and the leaves of its stacks.

    The tree consists of chains of DEPTH frames. Each chain branches off from an earlier one, so a whole stack is a few
    chains deep.
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
    """Draws stacks with the skew of a profile: some occur much more often than others."""
    chosen: AnyArray = leaves[np.minimum(random.geometric(FAVOUR, count) - 1, len(leaves) - 1)]
    return chosen


def contentions(random: np.random.Generator, blocks: dict[str, AnyArray], leaves: AnyArray) -> dict[str, Any]:
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


def snapshots(random: np.random.Generator, length: int, leaves: AnyArray) -> dict[str, Any]:
    time = np.repeat(np.arange(0, length, SNAPSHOT_STEP), WORKERS)
    tid = FIRST_WORKER_TID + np.arange(len(time)) % WORKERS
    return {"time": BASE + time, "tid": tid, "stack": _drawn(random, leaves, len(time))}


def samples(random: np.random.Generator, length: int, leaves: AnyArray) -> dict[str, Any]:
    count = int(length / SECOND * SAMPLES_PER_CPU_SECOND * CPUS / 2)
    return {
        "time": BASE + np.sort(random.integers(0, length, count)),
        "cpu": random.integers(0, CPUS, count),
        "pid": PID,
        "tid": FIRST_WORKER_TID + random.integers(0, WORKERS, count),
        "stack": _drawn(random, leaves, count),
    }
