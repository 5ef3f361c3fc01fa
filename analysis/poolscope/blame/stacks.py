"""The methods of a capture's stacks."""

from __future__ import annotations

from poolscope.capture import Capture
from poolscope.capture.schema import enum


class StackNames:
    """Paths of method names, each computed once."""

    def __init__(self, capture: Capture) -> None:
        stacks, frames = capture.table("stacks"), capture.table("frames")
        self._parent = stacks["parent"].to_numpy()
        self._frame = stacks["frame"].to_numpy()
        resolved = frames["resolved"].to_numpy() == enum("frames", "resolved", "resolved")
        self._method = [str(name) if known else None for name, known in zip(frames["method"], resolved, strict=True)]
        self._paths: dict[int, list[str | None]] = {}
        self.nodes = len(stacks)
        """Frames in the tree of all stacks."""
        nameless = frames["resolved"].to_numpy() == enum("frames", "resolved", "unresolved")
        self.unresolved = 0 if stacks.empty else int(nameless[self._frame].sum())
        """Of these without a name."""

    def path(self, stack: int) -> list[str | None]:
        """The methods of a stack (`stacks.id`, 0 or more), leaf first; None: code without a name."""
        path = self._paths.get(stack)
        if path is None:
            path, node = [], stack
            while node >= 0:
                path.append(self._method[self._frame[node]])
                node = int(self._parent[node])
            self._paths[stack] = path
        return path
