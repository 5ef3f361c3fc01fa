"""Weighted stacks as one tree from the thread's start to the leaf, bounded for analysis.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.contract.analysis_json import FlameFrameJson
from poolscope.flames.cpu import MOST_NODES
from poolscope.flames.frames import CpuFrame

DIGITS = 3
"""Weights are ms: to the microsecond."""


class FlameFrame(NamedTuple):
    """The meaning of a node of the tree."""

    method: str | None
    module: str | None
    kind: str
    """managed, native, unknown as of CpuFrame; wait: how a thread waits (`wait`), below the method that does; none: no
    stack is known."""
    wait: str | None = None
    """A key of blame.kinds.KIND_WORDS; only of kind wait."""
    user: bool = False
    """Whether it is the application's own code."""

    @staticmethod
    def of(frame: CpuFrame) -> FlameFrame:
        return FlameFrame(frame.method, frame.module, frame.kind, user=frame.user)

    def to_json(self) -> FlameFrameJson:
        content: FlameFrameJson = {"method": self.method, "module": self.module, "kind": self.kind, "user": self.user}
        if self.wait is not None:
            content["wait"] = self.wait
        return content


NO_STACK = FlameFrame(None, None, "none")


@dataclass(frozen=True)
class Kept:
    """The part of a tree that analysis.json has. Lists of one length; callers before what they call. ms."""

    least: float
    """The smallest node that is kept; 0: all are."""
    frames: list[FlameFrameJson]
    parent: list[int]
    """-1: the thread's start."""
    frame: list[int]
    """Index into frames."""
    own: list[float]
    """By the first weight."""
    total: dict[str, list[float]]
    """By the name of each weight."""


class FlameTree:
    """Stacks with several weights each (such as all of it, and of it while items waited)."""

    def __init__(self, *weights: str) -> None:
        self.weights = weights
        """Their names; by the first, which is at least as much as the others, the smallest nodes are left out."""
        self.frames: list[FlameFrame] = []
        self.parents: list[int] = []
        self._total: list[list[float]] = []
        self._own: list[list[float]] = []
        self._child: dict[tuple[int, FlameFrame], int] = {}

    def add(self, path: Sequence[FlameFrame], *weights: float) -> None:
        """Adds a stack from the thread's start to its leaf, not empty. Weights are in ms, in the order of `weights`."""
        node = -1
        for frame in path:
            key = (node, frame)
            child = self._child.get(key)
            if child is None:
                child = self._child[key] = len(self.frames)
                self.frames.append(frame)
                self.parents.append(node)
                self._total.append([0.0] * len(weights))
                self._own.append([0.0] * len(weights))
            node = child
            total = self._total[node]
            for at, weight in enumerate(weights):
                total[at] += weight
        own = self._own[node]
        for at, weight in enumerate(weights):
            own[at] += weight

    @property
    def own(self) -> FloatArray:
        """Shape (frames, weights): ms with each node as the leaf."""
        return np.array(self._own, dtype=np.float64).reshape(len(self.frames), len(self.weights))

    def kept(self) -> Kept:
        """Returns at most MOST_NODES nodes, the largest."""
        total = np.array(self._total, dtype=np.float64).reshape(len(self.frames), len(self.weights))
        own = self.own
        least = 0.0
        kept = np.arange(len(total))
        if len(total) > MOST_NODES:
            # A parent has no less than its child. At equal weights callers came first, so they stay with their callees.
            kept = np.sort(np.argsort(-total[:, 0], kind="stable")[:MOST_NODES])
            least = float(total[kept, 0].min())
        number = {node: i for i, node in enumerate(kept.tolist())}
        frames = list(dict.fromkeys(self.frames[node] for node in number))
        index = {frame: i for i, frame in enumerate(frames)}
        return Kept(
            least=round(least, DIGITS),
            frames=[frame.to_json() for frame in frames],
            parent=[number.get(self.parents[node], -1) for node in number],
            frame=[index[self.frames[node]] for node in number],
            own=_rounded(own[kept, 0]),
            total={name: _rounded(total[kept, i]) for i, name in enumerate(self.weights)},
        )


def _rounded(values: FloatArray) -> list[float]:
    return [round(value, DIGITS) for value in values.tolist()]
