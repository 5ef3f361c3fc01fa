"""Measures of the whole capture, computed once however many incidents are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class of_capture(Generic[T]):  # noqa: N801 (used as a decorator, like cached_property)
    """A property that all evidence of one capture shares, in the dictionary `shared` of its owner."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> of_capture[T]:
        ...

    @overload
    def __get__(self, owner: object, kind: type) -> T:
        ...

    def __get__(self, owner: Any, kind: type) -> of_capture[T] | T:
        if owner is None:
            return self
        shared: dict[str, Any] = owner.shared
        if self._name not in shared:
            shared[self._name] = self._compute(owner)
        found: T = shared[self._name]
        return found
