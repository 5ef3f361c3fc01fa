"""Weighted stacks as one tree from the thread's start to the leaf, bounded for analysis.json. Frames are by method, not
by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.contract.analysis_json import FlameFrameJson
from poolscope.naming import OwnCode, is_user, written

SourceLine = tuple[str, int, bool]
"""File, line, and whether it is the line that ran (otherwise the line where the method starts)."""

IMAGES = (".dll", ".exe")
"""Extensions of .NET modules. An address in one that no method covers is code compiled ahead of time, whose names were
not reported."""

MOST_NODES = 2000
"""The most nodes in analysis.json. The rarest branches beyond it are left out."""


class CpuFrame(NamedTuple):
    """A method or function. Code without a symbol has only a module; unknown code has neither.

    It is a tuple because it is the key of every step of every stack.
    """

    method: str | None
    """The name of .NET code as its author wrote it: what the compiler made of one method, such as its state machine,
    has that method's name."""
    module: str | None
    kind: str
    """managed, native or unknown."""
    user: bool = False
    """True for the application's own code."""

    @property
    def merges(self) -> bool:
        """True if consecutive frames become one: several frames of one module, or of unknown code, say no more than
        one."""
        return self.method is None

    @property
    def label(self) -> str:
        return f"{self.module or ''}!{self.method or ''}"


Placed = tuple[CpuFrame, SourceLine | None]
"""A frame and its source line."""
_read: WeakKeyDictionary[DecodedCapture, list[Placed]] = WeakKeyDictionary()
"""The frames of open captures: every flame graph needs them."""


def read_frames(capture: DecodedCapture) -> list[Placed]:
    """Returns the frame and the source line of each row of table `frames`. Callers must not change the list."""
    if capture not in _read:
        _read[capture] = list(_frames(capture))
    return _read[capture]


def _frames(capture: DecodedCapture) -> Iterator[Placed]:
    table = capture.table("frames")
    kinds = {
        enum("frames", "resolved", "resolved"): "managed",
        enum("frames", "resolved", "native_symbol"): "native",
        enum("frames", "resolved", "native_offset"): "module",
    }
    executed = enum("frames", "line_is", "executed")
    own = OwnCode.of(capture.manifest)
    for row in table.itertuples():
        kind = kinds.get(int(row.resolved), "unknown")
        module = row.module if isinstance(row.module, str) else None
        method = row.method if isinstance(row.method, str) and kind in ("managed", "native") else None
        if kind == "module":
            kind = "managed" if module is not None and module.endswith(IMAGES) else "native"
        user = False
        if method is not None and kind == "managed":
            user, method = is_user(own.name(method, module)), written(method)
        line = (row.file, int(row.line), int(row.line_is) == executed) if isinstance(row.file, str) else None
        yield CpuFrame(method, module, kind, user), line


def stack_paths(capture: DecodedCapture, stacks: list[int]) -> Iterator[list[Placed]]:
    """Yields each stack from the thread's start to the leaf. Consecutive frames of one native module without symbols
    are merged."""
    frames = read_frames(capture)
    return ([frames[row] for row in path] for path in _frame_rows(capture, stacks))


def _frame_rows(capture: DecodedCapture, stacks: list[int]) -> Iterator[list[int]]:
    """Yields the rows of table `frames` for each stack of `stack_paths`."""
    parent = capture.table("stacks")["parent"].to_numpy().tolist()
    frame = capture.table("stacks")["frame"].to_numpy().tolist()
    frames = [found for found, _ in read_frames(capture)]
    merges = [found.merges for found in frames]
    for stack in stacks:
        path: list[int] = []
        node = stack
        while node >= 0:
            row = frame[node]
            if not (merges[row] and path and frames[path[-1]] == frames[row]):
                path.append(row)
            node = parent[node]
        path.reverse()
        yield path


DIGITS = 3
"""Decimal places of weights in ms: to the microsecond."""


class FlameFrame(NamedTuple):
    """The meaning of a node of the tree."""

    method: str | None
    module: str | None
    kind: str
    """managed, native or unknown, as in CpuFrame; wait, for the way a thread waits (`wait`), below the waiting method;
    none, if no stack is known."""
    wait: str | None = None
    """A key of naming.choice.KIND_WORDS, only for kind wait."""
    user: bool = False
    """True for the application's own code."""

    @staticmethod
    def of(frame: CpuFrame) -> FlameFrame:
        return FlameFrame(frame.method, frame.module, frame.kind, user=frame.user)

    def to_json(self) -> FlameFrameJson:
        content: FlameFrameJson = {"method": self.method, "module": self.module, "kind": self.kind, "user": self.user}
        if self.wait is not None:
            content["wait"] = self.wait
        return content


NO_STACK = FlameFrame(None, None, "none")


def flame_paths(capture: DecodedCapture, stacks: list[int]) -> dict[int, list[FlameFrame]]:
    """Returns the path of each stack (`stacks.id`) from the thread's start to the leaf; -1, for no stack, is absent."""
    frames = [FlameFrame.of(frame) for frame, _ in read_frames(capture)]
    named = [stack for stack in stacks if stack >= 0]
    return {
        stack: [frames[row] for row in path] for stack, path in zip(named, _frame_rows(capture, named), strict=True)
    }


@dataclass(frozen=True)
class Kept:
    """The part of a tree that is in analysis.json, as lists of equal length, callers before their callees. Times are
    ms."""

    least: float
    """The smallest node kept. 0 if all are."""
    frames: list[FlameFrameJson]
    parent: list[int]
    """-1 for the thread's start."""
    frame: list[int]
    """Index into frames."""
    own: list[float]
    """Own time by the first weight."""
    total: dict[str, list[float]]
    """Total time by the name of each weight."""


class FlameTree:
    """Stacks with several weights each, such as the whole time and the time while items waited."""

    def __init__(self, *weights: str) -> None:
        self.weights = weights
        """Names of the weights. The first is at least as large as the others and decides which nodes are left out as
        too small."""
        self.frames: list[FlameFrame] = []
        self.parents: list[int] = []
        self._total: list[list[float]] = []
        self._own: list[list[float]] = []
        self._child: dict[tuple[int, FlameFrame], int] = {}

    def add(self, path: Sequence[FlameFrame], *weights: float) -> None:
        """Adds a stack from the thread's start to its leaf, which must not be empty. Weights are ms, in the order of
        `weights`."""
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
        """Returns the MOST_NODES largest nodes at most."""
        total = np.array(self._total, dtype=np.float64).reshape(len(self.frames), len(self.weights))
        own = self.own
        least = 0.0
        kept = np.arange(len(total))
        if len(total) > MOST_NODES:
            # A parent weighs at least as much as its child. At equal weight callers come first, so kept nodes keep
            # their callers.
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
