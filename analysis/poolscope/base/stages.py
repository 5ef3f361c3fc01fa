"""Runs the stages of an analysis: independent ones side by side, and each stage only once."""

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
"""The most threads: each has intermediate arrays as long as the capture."""
FEW_ROWS = 400_000
"""With fewer rows a second thread costs more than it gains. A stage with few rows mostly runs Python code, and the
threads wait for the interpreter's lock. Measured on 28 recordings of 27,000 to 414,000 rows: one thread takes 15 to 25
% less time, and a quarter less CPU time."""
_allowed = THREADS


def allow_threads(most: int) -> None:
    """Lets this process use up to `most` threads for stages, 1 to THREADS. Beside other analysing processes, more
    threads would take turns on the same cores, and wait for the interpreter's lock."""
    global _allowed
    _allowed = min(max(most, 1), THREADS)


def _threads(rows: int) -> int:
    return 1 if rows < FEW_ROWS else min(_allowed, os.cpu_count() or 1)


class _AtOnce(Executor):
    """An executor that runs each stage on the thread that submits it."""

    def submit(self, stage: Callable[Given, Result], /, *args: Given.args, **named: Given.kwargs) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            future.set_result(stage(*args, **named))
        except Exception as error:  # noqa: BLE001 - the future's result raises it
            future.set_exception(error)
        return future


@contextmanager
def side_by_side(rows: int) -> Iterator[Executor]:
    """Yields an executor for stages (`submit`), each with a result of its own type. Up to THREADS stages run at a time,
    in their order: NumPy and the native loop release the interpreter's lock while they compute. Returns when all have
    ended. The `result` of a stage raises the stage's error.

    `rows`: the number of rows that the stages read. With fewer than FEW_ROWS, or on one core, each stage runs on the
    thread that submits it.
    """
    threads = _threads(rows)
    with ThreadPoolExecutor(max_workers=threads) if threads > 1 else _AtOnce() as pool:
        yield pool


def together(rows: int, *tasks: Callable[[], Result]) -> list[Result]:
    """Returns the results of the parts of one stage, in their order. Each part runs once, as in `side_by_side`, and the
    parts begin in their order. Raises the error of the first part that failed."""
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
    """The results of the stages of one capture so far, keyed by stage: its function, or the name of a property. A
    second request returns the same object, so no caller may change it. A thread that asks during the computation waits
    for it."""

    def __init__(self, known: Mapping[Hashable, object] | None = None) -> None:
        self._futures: dict[Hashable, Future[object]] = {stage: Future() for stage in known or {}}
        self._lock = threading.Lock()
        for stage, result in (known or {}).items():
            self._futures[stage].set_result(result)

    def of(self, stage: Hashable, work: Callable[[], Result]) -> Result:
        """Returns the result of a stage; the first caller computes it. Raises the error of `work`, and keeps no
        failure."""
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
        """The results so far, keyed by stage."""
        with self._lock:
            return {stage: future.result() for stage, future in self._futures.items() if future.done()}

    def drop(self, stage: Hashable) -> None:
        """Frees a result that no later stage needs; the next caller computes it again."""
        with self._lock:
            self._futures.pop(stage, None)


def once(stage: Callable[Given, Result]) -> Callable[Given, Result]:
    """Marks a stage. Its result is computed once, and kept with the last argument, which has `Results` as `kept`."""

    @wraps(stage)
    def kept(*args: Given.args, **named: Given.kwargs) -> Result:
        keeper = cast(_Keeper, args[-1])
        return keeper.kept.of(kept, partial(stage, *args, **named))

    return kept


class once_property(Generic[Result]):  # noqa: N801 (used as a decorator, like cached_property)
    """Marks a property as a stage, on an object that has `Results` as `kept` and may share them with its copies."""

    def __init__(self, stage: Callable[[Any], Result]) -> None:
        self._stage = stage
        self.__doc__ = stage.__doc__

    def __get__(self, owner: _Keeper, kind: type) -> Result:
        return owner.kept.of(self._stage.__name__, partial(self._stage, owner))
