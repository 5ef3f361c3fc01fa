"""Independent work on both of two cores: NumPy and the native loop give up the interpreter's lock while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

THREADS = 2
"""At most: each thread has intermediate arrays as long as the capture."""


@contextmanager
def side_by_side() -> Iterator[Executor]:
    """Yields where tasks of different kinds can be begun (`submit`), each with a result of its own type: up to THREADS run at a
    time, in their order, on one thread if there is one core. Ends when all have ended; what a task raised, its `result`
    raises."""
    with ThreadPoolExecutor(max_workers=min(THREADS, os.cpu_count() or 1)) as pool:
        yield pool


def together(*tasks: Callable[[], Result]) -> list[Result]:
    """Returns the results of the tasks, in their order. Each runs once, up to THREADS at a time, on one thread if there is one
    core; they begin in their order. Raises what the first of them that failed has raised."""
    threads = min(THREADS, os.cpu_count() or 1, len(tasks))
    if threads < 2:
        return [task() for task in tasks]
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]
