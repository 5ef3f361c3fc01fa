"""The methods of a capture's stacks, including stacks from which a method has vanished.

Once a method is hot, the JIT inlines it, or turns its last call into a jump. Its stack then lacks the method's own
frame. If exactly one method of the user's appears in the same place, between the same frames of the framework, the
stack counts as one of that method. The framework's frames that call it may have vanished with it, up to the last of
their class, as in Parallel's loops. A frame without a name matches any. If the body of such a loop has vanished on the
pool's threads, the stack counts as one of the method that began a loop: the thread of that method also runs the body.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.stages import once
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.naming import OwnCode, is_user, own_index, written
from poolscope.naming.calls import DISPATCH

Place = tuple[str, int, bool]
"""The file as its PDB names it, the line, and whether that line ran (otherwise the method starts there)."""


class StackNames:
    """Paths of method names, each computed once."""

    def __init__(self, capture: DecodedCapture) -> None:
        stacks, frames = capture.table("stacks"), capture.table("frames")
        self._parent = stacks["parent"].to_numpy()
        self._frame = stacks["frame"].to_numpy()
        resolved = frames["resolved"].to_numpy() == enum("frames", "resolved", "resolved")
        own = OwnCode.of(capture.manifest)
        self._method = [
            own.name(str(name), module) if known else None
            for name, module, known in zip(frames["method"], frames["module"], resolved, strict=True)
        ]
        executed = enum("frames", "line_is", "executed")
        columns = (frames[name] for name in ("file", "line", "line_is"))
        self._place: list[Place | None] = [
            (file, int(line), int(how) == executed) if isinstance(file, str) and line > 0 else None
            for file, line, how in zip(*columns, strict=True)
        ]
        self._paths: dict[int, list[str | None]] = {}
        self._begun_by: dict[int, int] = {}
        self._framed: dict[int, tuple[str | None, Frames]] = {}
        self._sampled = np.unique(capture.table("snapshots")["stack"]).tolist() if capture.has("snapshots") else []
        self.nodes = len(stacks)
        """The number of frames in the tree of all stacks."""
        nameless = frames["resolved"].to_numpy() == enum("frames", "resolved", "unresolved")
        self.unresolved = 0 if stacks.empty else int(nameless[self._frame].sum())
        """The number of frames without a name."""

    def path(self, stack: int) -> list[str | None]:
        """Returns the methods of a stack (`stacks.id`, 0 or more), leaf first; None: code without a name."""
        path = self._paths.get(stack)
        if path is None:
            path = self._walked(stack)
            if REPLICA in path and not any(map(is_user, path)):
                found = self._loops.get(_place(_body(path)), {})
                if len(found) == 1:
                    ((method, self._begun_by[stack]),) = found.items()
                    path = [*_body(path), method]
            self._paths[stack] = path
        return path

    def _walked(self, stack: int) -> list[str | None]:
        path, node = [], stack
        while node >= 0:
            path.append(self._method[self._frame[node]])
            node = int(self._parent[node])
        return path

    @cached_property
    def _loops(self) -> dict[Frames, dict[str, int]]:
        """The methods that began a loop of Parallel, by place in its body, each with a stack of its thread. The pool's
        threads share the loop, and none of their frames names that method."""
        begun: dict[Frames, dict[str, int]] = defaultdict(dict)
        for stack in self._sampled:
            path = self._walked(stack)
            own = next((at for at, method in enumerate(path) if is_user(method)), 0)
            if REPLICA in path[:own]:
                begun[_place(_body(path))].setdefault(str(path[own]), stack)
        return begun

    def shown(self, stack: int) -> list[str | None]:
        """Returns the methods of a stack as their authors wrote them."""
        return [None if method is None else written(method) for method in self.path(stack)]

    def own(self, stack: int) -> list[int]:
        """Returns the indices of the stack's frames that are the application's own code."""
        return [at for at, method in enumerate(self.path(stack)) if is_user(method)]

    @cached_property
    def constructing(self) -> dict[str, list[int]]:
        """The stacks of snapshots with a static constructor, by the method that it ran for."""
        found: dict[str, list[int]] = defaultdict(list)
        for stack in self._sampled:
            path = self.path(stack)
            at = next(
                (at for at, method in enumerate(path) if method is not None and method.endswith("..cctor")), len(path)
            )
            if at + 1 < len(path) and (needs := path[at + 1]):
                found[needs].append(stack)
        return found

    def framed(self, stack: int) -> tuple[str | None, Frames]:
        """Returns the user's method nearest to the leaf, and the stack's place in the framework. The frames outside the
        pool's dispatch do not count."""
        if stack not in self._framed:
            path = _from_dispatch(self.path(stack))
            own = next((method for method in path if is_user(method)), None)
            # An overload that calls another one is inlined into the user's method, or together with it: Monitor.Enter
            # on .NET 11.
            self._framed[stack] = own, _place([method for method in path if not is_user(method)])
        return self._framed[stack]

    def place(self, stack: int) -> Place | None:
        """Returns the source line of the frame that names a stack (naming.own_index); None: not known."""
        at, node = own_index(self.path(stack)), stack
        if stack in self._begun_by:
            return self.place(self._begun_by[stack])
        if at < 0:
            return None
        for _ in range(at):
            node = int(self._parent[node])
        return self._place[int(self._frame[node])]


@once
def stack_names(capture: DecodedCapture, attribution: Attribution) -> StackNames:
    """Returns the paths of this capture's stacks, for every caller that has its attribution."""
    return StackNames(capture)


Frames = tuple[str | None, ...]
"""The innermost method of the framework, and the classes of the methods that follow it; None: code without a name."""
REPLICA = "System.Threading.Tasks.TaskReplicator+Replica.Execute"
"""A thread's share in a loop of Parallel; on the thread that began the loop, its caller is further out."""
ARGUMENTS = re.compile(r"`\d+|\[.*?\]")
"""Generic arguments in a name."""


def own_stack_of(stacks: Sequence[int], names: StackNames) -> dict[int, int]:
    """Finds a stack with a user frame for each of these distinct stacks (`stacks.id`, ascending) without one: a stack
    of the only method found between the same frames. Stacks without such a method are absent."""
    methods: dict[Frames, set[str]] = defaultdict(set)
    example: dict[Frames, int] = {}
    bare: dict[int, Frames] = {}
    for stack in stacks:
        own, place = names.framed(stack)
        if own is not None:
            methods[place].add(own)
            example.setdefault(place, stack)
        else:
            bare[stack] = place
    taken: dict[int, int] = {}
    for place in set(bare.values()):
        alike = [other for other in methods if _may_be(other, place)]
        if len(set().union(*(methods[other] for other in alike))) == 1:
            same = example[place if place in example else alike[0]]
            taken |= {stack: same for stack, of in bare.items() if of == place}
    return taken


def _body(path: Sequence[str | None]) -> Sequence[str | None]:
    return path[: path.index(REPLICA) + 1]


def _place(path: Sequence[str | None]) -> Frames:
    """Returns the place of a stack in the framework."""
    if not path:
        return ()
    classes = [None if method is None else _class(method) for method in path]
    at = next((at for at, method in enumerate(path) if method != path[0]), len(path))
    return (path[0], *(kind for kind, _ in groupby(classes[at:])))


def _class(method: str) -> str:
    """Returns the class of a method; for a closure, the class that it was written in."""
    name, closure, _ = ARGUMENTS.sub("", method).partition("+<")
    return name if closure else name.rpartition(".")[0]


def _may_be(own: Frames, bare: Frames) -> bool:
    """Returns whether the places are the same in all frames of the own stack that have names."""
    return len(own) == len(bare) and all(one is None or one == other for one, other in zip(own, bare, strict=True))


def _from_dispatch(path: Sequence[str | None]) -> Sequence[str | None]:
    """Returns the path up to the pool's dispatch. The frames outside it say nothing about the item, and the JIT inlines
    them, too."""
    at = next((at for at, method in enumerate(path) if method is not None and method.startswith(DISPATCH)), len(path))
    return path[: at + 1]
