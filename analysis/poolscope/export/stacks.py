"""The report's flame graphs as whole stacks with integer weights, for the stack formats.

The aggregation is that of the flame graphs (flames/, flames/cpu.py), but nothing is left out here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import percent
from poolscope.blame import assign_blame
from poolscope.export.formats import Source
from poolscope.flames import blocked_flame, ready_flame
from poolscope.flames.cpu import build_flame
from poolscope.flames.tree import NO_STACK, CpuFrame, FlameFrame
from poolscope.naming.choice import KIND_WORDS

UNSEEN = ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")
"""Unicode categories that are invisible, that reorder other characters, or that XML or UTF-8 cannot hold: controls,
format characters, unassigned code points, lone surrogates, line and paragraph separators."""


def plain(name: str) -> str:
    """Returns `name` as one line of visible characters, never empty. Other characters are escaped, such as \\u0000."""
    if name.isascii() and name.isprintable() and name.strip():
        return name
    blank = not name.strip()
    text = "".join(escaped(c) if blank or unicodedata.category(c) in UNSEEN else c for c in name)
    return text or "[no name]"


def escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


VIEWS = ("blame", "blocked", "cpu", "ready")
TITLES = {
    "blame": "Blocked while items waited",
    "blocked": "Blocked inside items",
    "cpu": "On a core",
    "ready": "Ready, without a core",
}
NEEDS = {
    "blame": "a kernel stream and stacks",
    "blocked": "a kernel stream and stacks",
    "cpu": "CPU samples with stacks",
    "ready": "a kernel stream and CPU samples with stacks",
}


@dataclass(frozen=True)
class StackFrame:
    """One box of a flame graph. Names in brackets are not methods."""

    name: str
    """At least one character; all are visible and on one line."""
    module: str | None
    """Escaped like `name`."""


@dataclass(frozen=True)
class WeightedStacks:
    """One view: its distinct stacks, heaviest first, and their weights."""

    view: str
    unit: str
    """"nanoseconds" of thread time, or "samples"."""
    stacks: list[tuple[StackFrame, ...]]
    """From the thread's start to the leaf; none is empty."""
    weights: list[int]
    """The weight of each stack, > 0. The sum is exactly the view's total."""
    measured: int | None = None
    """The part of the total that was measured, not estimated from other blocks of the same method. None if nothing is
    estimated."""

    @property
    def title(self) -> str:
        return TITLES[self.view]

    @property
    def total(self) -> int:
        return sum(self.weights)

    @property
    def notes(self) -> list[str]:
        """A sentence on the estimated share, if there is one."""
        estimated = 0.0 if self.measured is None or not self.weights else 1.0 - self.measured / self.total
        if estimated < 1e-6:  # rounding error
            return []
        return [
            f"\u201c{self.title}\u201d: {percent(estimated)} is estimated from snapshots of other blocks of the same method."
        ]


def weighted_stacks(source: Source, view: str) -> WeightedStacks | None:
    """Returns the stacks of a view with their weights.

    Returns None if the capture lacks what the view needs (NEEDS), and no stacks if the capture has no such time.
    """
    capture, attribution = source.capture, source.attribution
    if view == "cpu":
        cpu = build_flame(capture, attribution)
        if cpu is None:
            return None
        named = _named([n.frame for n in cpu.nodes], [n.parent for n in cpu.nodes], [n.own for n in cpu.nodes])
        bare = cpu.samples - cpu.with_stack
        if bare:
            named[frame_of(NO_STACK),] = bare
        return _sorted(view, "samples", list(named), list(named.values()))
    if view == "ready":
        ready = ready_flame(capture, attribution)
        if ready is None:
            return None
        tree, measured = ready.tree, None
    else:
        counted = Steps.constant(1.0) if view == "blocked" else source.blamed_moments
        blocked = blocked_flame(capture, assign_blame(capture, attribution, counted, owners=False))
        if blocked is None:
            return None
        tree, measured = blocked.tree, round(blocked.measured * NS_PER_MS)
    named = _named(tree.frames, tree.parents, tree.own[:, 0] * NS_PER_MS)
    stacks, weights = list(named), whole(list(named.values()))
    return _sorted(view, "nanoseconds", stacks, weights, measured)


def frame_of(frame: FlameFrame | CpuFrame) -> StackFrame:
    """Returns the frame in words."""
    if isinstance(frame, FlameFrame) and frame.wait is not None:
        return StackFrame(f"[wait: {KIND_WORDS.get(frame.wait, plain(frame.wait))}]", None)
    if frame == NO_STACK:
        return StackFrame("[no stack]", None)
    module = plain(frame.module) if frame.module else None
    if frame.method:
        return StackFrame(plain(frame.method), module)
    return StackFrame(f"[{module}]" if module else "[no name]", module)


def whole(weights: npt.ArrayLike) -> list[int]:
    """Rounds weights to integers that add up to the rounded total. Each changes by less than 1."""
    ends = np.rint(np.cumsum(np.asarray(weights, dtype=np.float64))).astype(np.int64)
    counts: list[int] = np.diff(ends, prepend=0).tolist()
    return counts


def _named(
    frames: Sequence[FlameFrame | CpuFrame], parents: Sequence[int], own: npt.ArrayLike
) -> dict[tuple[StackFrame, ...], float]:
    """Returns weights by stack, for the nodes with weight of their own. Stacks with equal text are merged."""
    name = {frame: frame_of(frame) for frame in dict.fromkeys(frames)}
    found: dict[tuple[StackFrame, ...], float] = {}
    for leaf, weight in enumerate(np.asarray(own).tolist()):
        if weight <= 0:
            continue
        path = []
        node = leaf
        while node >= 0:
            path.append(name[frames[node]])
            node = parents[node]
        stack = tuple(reversed(path))
        found[stack] = found.get(stack, 0) + weight
    return found


def _sorted(
    view: str, unit: str, stacks: list[tuple[StackFrame, ...]], weights: Sequence[float], measured: int | None = None
) -> WeightedStacks:
    kept = [(stack, int(weight)) for stack, weight in zip(stacks, weights, strict=True) if weight > 0]
    kept.sort(key=lambda pair: (-pair[1], [(frame.name, frame.module or "") for frame in pair[0]]))
    return WeightedStacks(view, unit, [stack for stack, _ in kept], [weight for _, weight in kept], measured)
