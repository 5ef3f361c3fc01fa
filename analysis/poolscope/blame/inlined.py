"""Stacks from which a method has vanished: once it is hot the JIT inlines it, or turns its last call into a jump.

Such a stack is that of a known method, without the method's own frame. Where exactly one method of the user's is found in
the same place, between the same frames of the framework, the stack is taken for one of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from poolscope.blame.stacks import StackNames
from poolscope.naming import is_user
from poolscope.naming.calls import DISPATCH

Place = tuple[str | None, ...]


def own_stack_of(stacks: Sequence[int], names: StackNames) -> dict[int, int]:
    """Finds for each of these distinct stacks (`stacks.id`, ascending) without a frame of the user's a stack with one:
    that of the only method found between the same frames. Stacks without such a method are absent."""
    methods: dict[Place, set[str]] = defaultdict(set)
    example: dict[Place, int] = {}
    bare: dict[int, Place] = {}
    for stack in stacks:
        path = _from_dispatch(names.path(stack))
        own = [method for method in path if method is not None and is_user(method)]
        # An overload that calls another one is inlined into the user's method, or with it: Monitor.Enter on .NET 11.
        place = tuple(
            method for method, _ in groupby(method for method in path if method is None or not is_user(method))
        )
        if own:
            methods[place].add(own[0])
            example.setdefault(place, stack)
        else:
            bare[stack] = place
    return {stack: example[place] for stack, place in bare.items() if len(methods.get(place, ())) == 1}


def _from_dispatch(path: Sequence[str | None]) -> Sequence[str | None]:
    """Cuts a path at the pool's dispatch: how a worker got there says nothing about the item, and the JIT inlines that,
    too."""
    at = next((at for at, method in enumerate(path) if method is not None and method.startswith(DISPATCH)), len(path))
    return path[: at + 1]
