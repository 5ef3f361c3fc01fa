"""Measures of the whole capture, computed once however many incidents are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar, cast, overload


class Sharing(Protocol):
    """What has a dictionary that all evidence of one capture shares."""

    @property
    def shared(self) -> dict[str, object]:
        ...


S = TypeVar("S", bound=Sharing)
T = TypeVar("T")


class of_capture(Generic[S, T]):  # noqa: N801 (used as a decorator, like cached_property)
    """A property that all evidence of one capture shares, in the dictionary `shared` of its owner."""

    def __init__(self, compute: Callable[[S], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> of_capture[S, T]:
        ...

    @overload
    def __get__(self, owner: S, kind: type) -> T:
        ...

    def __get__(self, owner: S | None, kind: type) -> of_capture[S, T] | T:
        if owner is None:
            return self
        if self._name not in owner.shared:
            owner.shared[self._name] = self._compute(owner)
        return cast(T, owner.shared[self._name])
