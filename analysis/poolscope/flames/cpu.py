"""The target's CPU samples as one tree of methods from the thread's start to the leaf, and as rows by method."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from poolscope.attribution import Attribution
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import CpuFlameJson, CpuMethodJson
from poolscope.flames.tree import MOST_NODES, CpuFrame, Placed, SourceLine, stack_paths

ROWS_SHOWN = 30


@dataclass
class Node:
    """One method below its callers. Counts are in samples."""

    parent: int
    frame: CpuFrame
    own: int = 0
    """Samples with the method as the leaf."""
    total: int = 0
    """Samples with the method, or a method that it called, as the leaf."""
    workers: int = 0
    """The part of total on workers of the pool."""
    waiting: int = 0
    """The part of total while items waited in the queue."""


@dataclass
class MethodRow:
    """One method over all its places in the tree. A recursion counts once per sample. Counts as in Node."""

    frame: CpuFrame
    own: int = 0
    total: int = 0
    workers: int = 0
    waiting: int = 0
    nearest: int = 0
    """The part of workers in which it is the user's method nearest to the leaf: the time is its own or that of
    framework code it called."""
    own_lines: Counter[SourceLine] = field(default_factory=Counter)
    """Samples with the method as the leaf, by source line (file, line, whether it is the line that ran)."""
    lines: Counter[SourceLine] = field(default_factory=Counter)
    """The same for samples with the method anywhere on the stack."""

    @property
    def place(self) -> SourceLine | None:
        """The source line with the most samples, from its own code if it was the leaf. None if unknown."""
        lines = self.own_lines or self.lines
        return max(lines, key=lambda k: (lines[k], k)) if lines else None

    def to_json(self, flame: CpuFlame) -> CpuMethodJson:
        file, line, exact = self.place or (None, None, None)
        return {
            "method": self.frame.method,
            "module": self.frame.module,
            "kind": self.frame.kind,
            "user": self.frame.user,
            "self": self.own,
            "total": self.total,
            "self_share": _share(self.own, flame.with_stack),
            "total_share": _share(self.total, flame.with_stack),
            "workers": self.workers,
            "workers_share": _share(self.workers, flame.workers),
            "waiting": self.waiting,
            "file": file,
            "line": line,
            "line_is": None if exact is None else "executed" if exact else "method_start",
        }


@dataclass(frozen=True)
class CpuFlame:
    """The target's samples inside the window of the capture."""

    samples: int
    with_stack: int
    """Samples in the tree. The others have no call chain."""
    workers: int
    """The part of with_stack on workers of the pool."""
    waiting: int
    """The part of with_stack while items waited in the queue."""
    user_mode_only: bool
    """True if the samples do not cover time inside the kernel (tier `switch`)."""
    nodes: list[Node]
    """Callers before their callees."""
    methods: list[MethodRow]
    """In descending order of own samples."""

    def to_json(self) -> CpuFlameJson:
        kept, least = self._kept()
        number = {node: i for i, node in enumerate(kept)}
        chosen = [self.nodes[i] for i in kept]
        frames = list(dict.fromkeys(node.frame for node in chosen))
        index = {frame: i for i, frame in enumerate(frames)}
        return {
            "samples": self.samples,
            "with_stack": self.with_stack,
            "workers": self.workers,
            "waiting": self.waiting,
            "user_mode_only": self.user_mode_only,
            "least": least,
            "frames": [{"method": f.method, "module": f.module, "kind": f.kind, "user": f.user} for f in frames],
            "nodes": {
                "parent": [number.get(node.parent, -1) for node in chosen],
                "frame": [index[node.frame] for node in chosen],
                "self": [node.own for node in chosen],
                "total": [node.total for node in chosen],
                "workers": [node.workers for node in chosen],
                "waiting": [node.waiting for node in chosen],
            },
        }

    def rows(self) -> list[CpuMethodJson]:
        """Returns the methods with the most own samples and the user's methods with the most total samples, in
        descending order of own samples."""
        users = sorted((m for m in self.methods if is_user_row(m)), key=lambda m: -m.total)[: ROWS_SHOWN // 2]
        leaves = [m for m in self.methods[: ROWS_SHOWN // 2] if m.own]
        shown = set(map(id, users + leaves))
        return [m.to_json(self) for m in self.methods if id(m) in shown]

    def _kept(self) -> tuple[list[int], int]:
        """Returns the nodes with at least the smallest number of samples that leaves few enough nodes, and that number.
        A parent never has fewer samples than its child."""
        totals = np.sort(np.array([node.total for node in self.nodes], dtype=np.int64))[::-1]
        least = 1 if len(totals) <= MOST_NODES else int(totals[MOST_NODES]) + 1
        return [i for i, node in enumerate(self.nodes) if node.total >= least], least


def is_user_row(row: MethodRow) -> bool:
    """Returns whether it is the user's code, or code that the user selected."""
    return row.frame.user


def build_flame(capture: DecodedCapture, attribution: Attribution) -> CpuFlame | None:
    """Builds the flame graph of CPU samples. Returns None if no samples were recorded, or if no table names their
    stacks."""
    if not capture.has("cpu_samples", "stacks", "frames"):
        return None
    start, stop = capture.window
    samples = capture.table("cpu_samples")
    time = samples["time"].to_numpy()
    own = (samples["pid"].to_numpy() == int(capture.manifest["target"]["pid"])) & (time >= start) & (time < stop)
    stack = samples["stack"].to_numpy()[own]
    known = stack >= 0
    stack = stack[known]
    worker = np.isin(samples["tid"].to_numpy()[own][known], capture.table("workers")["tid"].to_numpy())
    waiting = attribution.pool.queued.at((time[own][known] - start).astype(np.float64)) > 0

    unique, where = np.unique(stack, return_inverse=True)
    size = len(unique)
    counts = np.bincount(where, minlength=size).tolist()
    of_workers = np.bincount(where, worker, size).astype(np.int64).tolist()
    of_waiting = np.bincount(where, waiting, size).astype(np.int64).tolist()

    tree = _Tree()
    for path, number, workers, queued in zip(
        stack_paths(capture, unique.tolist()), counts, of_workers, of_waiting, strict=True
    ):
        tree.add(path, number, workers, queued)
    return CpuFlame(
        samples=int(own.sum()),
        with_stack=len(stack),
        workers=int(worker.sum()),
        waiting=int(waiting.sum()),
        user_mode_only=capture.kernel_tier == "switch",
        nodes=tree.nodes,
        methods=sorted(tree.methods.values(), key=lambda m: (-m.own, -m.total, m.frame.label)),
    )


class _Tree:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.methods: dict[CpuFrame, MethodRow] = {}
        self._child: dict[tuple[int, CpuFrame], int] = {}

    def add(self, path: list[Placed], samples: int, workers: int, waiting: int) -> None:
        """Adds a stack from the thread's start to its leaf, with the source line of each frame."""
        node = -1
        for frame, _ in path:
            key = (node, frame)
            child = self._child.get(key)
            if child is None:
                child = self._child[key] = len(self.nodes)
                self.nodes.append(Node(node, frame))
            node = child
            _count(self.nodes[node], samples, workers, waiting)
        self.nodes[node].own += samples
        for frame, line in dict(path).items():
            row = self.methods.get(frame)
            if row is None:
                row = self.methods[frame] = MethodRow(frame)
            _count(row, samples, workers, waiting)
            if line is not None:
                row.lines[line] += samples
        nearest = next((frame for frame, _ in reversed(path) if frame.user), None)
        if nearest is not None:
            self.methods[nearest].nearest += workers
        leaf, line = path[-1]
        self.methods[leaf].own += samples
        if line is not None:
            self.methods[leaf].own_lines[line] += samples


def _count(target: Node | MethodRow, samples: int, workers: int, waiting: int) -> None:
    target.total += samples
    target.workers += workers
    target.waiting += waiting


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0
