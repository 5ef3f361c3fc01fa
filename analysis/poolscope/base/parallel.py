"""Independent work on both of two cores: NumPy and the compiled loop give up the interpreter's lock while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

Result = TypeVar("Result")
Other = TypeVar("Other")

THREADS = 2
"""At most: each thread has intermediate arrays as long as the capture."""


def together(*tasks: Callable[[], Result]) -> list[Result]:
    """The results of the tasks, in their order. Each runs once, up to THREADS at a time, on one thread where there is one
    core; they begin in their order. Raises what the first of them that failed has raised."""
    threads = min(THREADS, os.cpu_count() or 1, len(tasks))
    if threads < 2:
        return [task() for task in tasks]
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def both(one: Callable[[], Result], other: Callable[[], Other]) -> tuple[Result, Other]:
    """The same of two tasks with results of different types."""
    first, second = together(cast(Callable[[], object], one), cast(Callable[[], object], other))
    return cast(Result, first), cast(Other, second)
