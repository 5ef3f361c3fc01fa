"""Samples of the runtime's own profiler, in files of other tools: the place of each thread, as a tree and over time.

The profiler stops all threads at a fixed interval and records the stack of each, running or not. So a sample is no
measure of CPU time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.blame.stacks import stack_names
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import ProfileJson, ProfilePlaceJson, ProfileThreadJson
from poolscope.flames.tree import NO_STACK, FlameTree, flame_paths
from poolscope.naming.choice import call_in, user_method

IDLE = ("System.Threading.LowLevelLifoSemaphore.", "System.Threading.PortableThreadPool+WorkerThread.WaitForRequest")
"""On the stack of a pool thread that waits for an item."""
POOL = (
    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
    "System.Threading.ThreadPoolWorkQueue.Dispatch",
    "System.Threading._ThreadPoolWaitCallback.PerformWaitCallback",
)
"""Only on stacks of the pool's threads: .NET 6 and newer, then older versions. Other methods of WorkerThread may be on
the stack of any thread that queues an item."""
PLACES = 6
THREADS = 24
BINS = 60
ELSEWHERE, NO_SAMPLE = -1, -2

Place = tuple[str | None, str]
"""The method that names a stack, and idle, wait or code."""


@dataclass(frozen=True)
class Profile:
    """The samples of the process in the window; arrays of shape (samples,)."""

    bin: IntArray
    tid: IntArray
    place: IntArray
    """Index into places."""
    pooled: frozenset[int]
    """Threads of the pool."""
    places: list[Place]
    tree: FlameTree
    """Weights: total, workers. In samples."""
    no_stack: int
    bin_s: float

    def to_json(self) -> ProfileJson:
        kept = self.tree.kept()
        counts = np.bincount(self.place, minlength=len(self.places))
        first = np.argsort(-counts, kind="stable")[:PLACES].tolist()
        shown = {place: at for at, place in enumerate(first)}
        threads, total = np.unique(self.tid, return_counts=True)
        order = sorted(
            zip(threads.tolist(), total.tolist(), strict=True), key=lambda t: (t[0] not in self.pooled, -t[1], t[0])
        )
        places: list[ProfilePlaceJson] = [
            {"method": self.places[i][0], "kind": self.places[i][1], "samples": int(counts[i])} for i in first
        ]
        return {
            "total": len(self.tid),
            "workers": int(np.isin(self.tid, list(self.pooled)).sum()),
            "no_stack": self.no_stack,
            "least": kept.least,
            "frames": kept.frames,
            "nodes": {
                "parent": kept.parent,
                "frame": kept.frame,
                "self": kept.own,
                "total": kept.total["total"],
                "workers": kept.total["workers"],
            },
            "bin_s": round(self.bin_s, 6),
            "places": places,
            "threads": [self._thread(tid, shown) for tid, _ in order[:THREADS]],
            "threads_left_out": len(order[THREADS:]),
            "samples_left_out": sum(count for _, count in order[THREADS:]),
        }

    def _thread(self, tid: int, shown: dict[int, int]) -> ProfileThreadJson:
        own = self.tid == tid
        bins, place = self.bin[own], self.place[own]
        idle = np.array([self.places[p][1] == "idle" for p in place.tolist()], dtype=bool)
        busy, counts = np.unique(place[~idle], return_counts=True)
        most = int(np.argmax(counts)) if len(busy) else -1
        return {
            "tid": tid,
            "pool": tid in self.pooled,
            "samples": len(place),
            "idle": int(idle.sum()),
            "method": self.places[int(busy[most])][0] if most >= 0 else None,
            "method_samples": int(counts[most]) if most >= 0 else 0,
            "places": [
                NO_SAMPLE if not len(here) else shown.get(int(np.bincount(here).argmax()), ELSEWHERE)
                for here in (place[bins == i] for i in range(BINS))
            ],
        }


def build_profile(capture: DecodedCapture, attribution: Attribution) -> Profile | None:
    """Builds the sampled profile. Returns None unless another tool recorded with the runtime's profiler."""
    if not capture.manifest.get("made_from") or not capture.has("snapshots", "stacks", "frames"):
        return None
    start, stop = capture.window
    table = capture.table("snapshots")
    time = table["time"].to_numpy()
    inside = (time >= start) & (time < stop)
    if not inside.any():
        return None
    time, tid, stack = (table[name].to_numpy()[inside].astype(np.int64) for name in ("time", "tid", "stack"))
    unique, which = np.unique(stack, return_inverse=True)
    names = stack_names(capture, attribution)
    paths = [names.path(s) if s >= 0 else [] for s in unique.tolist()]
    begins = np.array([any(m is not None and m.startswith(POOL) for m in path) for path in paths], dtype=bool)
    # Stacks are the better source. If none has the pool's names, as without a rundown, the runtime's events are used.
    pooled = set(tid[begins[which]].tolist()) or set(capture.table("workers")["tid"].tolist())
    places: dict[Place, int] = {}
    number = np.array([places.setdefault(_place(path), len(places)) for path in paths], dtype=np.int64)
    tree = _tree(capture, unique, which, np.isin(tid, list(pooled)))
    length = max(stop - start, 1)
    return Profile(
        bin=np.minimum((time - start) * BINS // length, BINS - 1),
        tid=tid,
        place=number[which],
        pooled=frozenset(pooled & set(tid.tolist())),
        places=list(places),
        tree=tree,
        no_stack=int((stack < 0).sum()),
        bin_s=length / BINS / NS_PER_S,
    )


def _place(path: list[str | None]) -> Place:
    """Returns the place of a stack. `path` has the leaf first."""
    if any(method is not None and method.startswith(IDLE) for method in path):
        return None, "idle"
    return user_method(path), "code" if call_in(path) is None else "wait"


def _tree(capture: DecodedCapture, stacks: IntArray, which: AnyArray, worker: AnyArray) -> FlameTree:
    tree = FlameTree("total", "workers")
    total = np.bincount(which, minlength=len(stacks)).tolist()
    workers = np.bincount(which, worker, len(stacks)).tolist()
    paths = flame_paths(capture, stacks.tolist())
    for stack, count, of_pool in zip(stacks.tolist(), total, workers, strict=True):
        tree.add(paths.get(stack, [NO_STACK]), float(count), of_pool)
    return tree
