"""Runs the stages of an analysis: independent ones side by side, and each result is worked out once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

Given = ParamSpec("Given")
Result = TypeVar("Result")

THREADS = 2
"""At most: each thread has intermediate arrays as long as the capture."""
FEW_ROWS = 400_000
"""Below, a second thread costs more than it gains: with few rows a stage is mostly Python's own work, and the threads wait for the
interpreter's lock. Measured on 28 recordings of 27,000 to 414,000 rows: on one thread they take 15 to 25 % less time, and a quarter less CPU time."""
_allowed = THREADS


def allow_threads(most: int) -> None:
    """Lets this process have `most` threads for stages, 1 to THREADS: where other processes analyse beside it, more would take turns on the
    same cores, and wait for the interpreter's lock."""
    global _allowed
    _allowed = min(max(most, 1), THREADS)


def _threads(rows: int) -> int:
    return 1 if rows < FEW_ROWS else min(_allowed, os.cpu_count() or 1)


class _AtOnce(Executor):
    """Runs each stage on the thread that begins it."""

    def submit(self, stage: Callable[Given, Result], /, *args: Given.args, **named: Given.kwargs) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            future.set_result(stage(*args, **named))
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)
        return future


@contextmanager
def side_by_side(rows: int) -> Iterator[Executor]:
    """Yields where stages can be begun (`submit`), each with a result of its own type. Up to THREADS run at a time, in their
    order: NumPy and the native loop give up the interpreter's lock while they compute. Ends when all have ended; what a stage
    raised, its `result` raises.

    `rows`: how many the stages go through. With fewer than FEW_ROWS, and on one core, each runs on the thread that begins it.
    """
    threads = _threads(rows)
    with ThreadPoolExecutor(max_workers=threads) if threads > 1 else _AtOnce() as pool:
        yield pool


def together(rows: int, *tasks: Callable[[], Result]) -> list[Result]:
    """Returns the results of parts of one stage, in their order. Each runs once, as in `side_by_side`; they begin in their order.
    Raises what the first of them that failed has raised."""
    threads = min(_threads(rows), len(tasks))
    if threads < 2:
        return [task() for task in tasks]
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


class _Keeper(Protocol):
    @property
    def kept(self) -> Results:
        ...


class Results:
    """What the stages of one capture have given so far, by the stage: its function, or the name of a property. A second request gets the same object, so no
    caller may change it; a thread that asks meanwhile waits for the first."""

    def __init__(self, known: Mapping[Hashable, object] | None = None) -> None:
        self._futures: dict[Hashable, Future[object]] = {stage: Future() for stage in known or {}}
        self._lock = threading.Lock()
        for stage, result in (known or {}).items():
            self._futures[stage].set_result(result)

    def of(self, stage: Hashable, work: Callable[[], Result]) -> Result:
        """Returns the result of a stage; the first caller works it out. Raises what `work` raises, and keeps no failure."""
        with self._lock:
            future = self._futures.get(stage)
            first = future is None
            if future is None:
                future = self._futures[stage] = Future()
        if first:
            try:
                future.set_result(work())
            except BaseException as error:
                self.drop(stage)
                future.set_exception(error)
                raise
        return cast(Result, future.result())

    @property
    def known(self) -> dict[Hashable, object]:
        """What has been worked out so far, by the stage."""
        with self._lock:
            return {stage: future.result() for stage, future in self._futures.items() if future.done()}

    def drop(self, stage: Hashable) -> None:
        """Gives back the memory of a result that no later stage needs; the next caller works it out again."""
        with self._lock:
            self._futures.pop(stage, None)


def once(stage: Callable[Given, Result]) -> Callable[Given, Result]:
    """Marks a stage: its result is worked out once, and kept with the last argument, which has `Results` as `kept`."""

    @wraps(stage)
    def kept(*args: Given.args, **named: Given.kwargs) -> Result:
        keeper = cast(_Keeper, args[-1])
        return keeper.kept.of(kept, partial(stage, *args, **named))

    return kept


class once_property(Generic[Result]):  # noqa: N801 (used as a decorator, like cached_property)
    """The same for a property of an object that has `Results` as `kept`, and may share them with its copies."""

    def __init__(self, stage: Callable[[Any], Result]) -> None:
        self._stage = stage
        self.__doc__ = stage.__doc__

    def __get__(self, owner: _Keeper, kind: type) -> Result:
        return owner.kept.of(self._stage.__name__, partial(self._stage, owner))
