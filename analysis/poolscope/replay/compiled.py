"""The loop as machine code: made beforehand, or compiled by numba where that pays, with a cache on disk."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from poolscope.replay import hill_climbing
from poolscope.replay.loop import answers, events, gate, gathered, heaps, items, state, threads, workers
from poolscope.replay.machine_code import prepared_loop

MODULES = (heaps, state, answers, gathered, threads, items, hill_climbing, workers, gate, events)
"""Whose functions the loop is made of."""
SIGNATURE = "void(f8[::1], i8[::1], f8[::1])"


LOADING_S = 0.5
"""What the loop takes from the cache on disk, s, with numba itself."""
COMPILING_S = 20.0
"""What it takes to compile it, s."""

_one_at_a_time = Lock()


def compiles() -> bool:
    """Returns whether `compiled_loop` gives machine code here."""
    return prepared_loop() is not None or find_spec("numba") is not None


def compiling_takes_s() -> float:
    """Returns what the first call of `compiled_loop` takes here, s: infinite where numba is not installed, 0 if the loop was made
    beforehand and once it was called."""
    if prepared_loop() is not None or numba_loop.cache_info().currsize:
        return 0.0
    if find_spec("numba") is None:
        return inf
    folder = _cache_folder()
    return LOADING_S if folder is not None and any(folder.rglob("*.nbc")) else COMPILING_S


def compiled_loop() -> Callable[..., Any]:
    """Returns the loop as machine code; the plain one where numba is not installed, which gives the same numbers, only later.

    If it was not made beforehand, compiles for some 20 s if the cache on disk has nothing. Runs without the interpreter's
    lock: two threads can run two worlds.
    """
    if prepared := prepared_loop():
        return prepared
    with _one_at_a_time:  # not compiled twice by two threads
        return numba_loop()


@cache
def numba_loop() -> Callable[..., Any]:
    """Returns what numba makes of it; the plain loop if it is not installed."""
    try:
        import numba
    except ImportError:
        return events.run
    register_functions()
    folder = _cache_folder()
    if folder is None:
        return numba.njit(SIGNATURE, nogil=True)(events.run)  # type: ignore[no-any-return]
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        return numba.njit(SIGNATURE, cache=True, nogil=True)(events.run)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def register_functions() -> None:
    """Lets numba compile what the loop calls. ImportError where it is not installed."""
    from numba.extending import register_jitable

    for function in _functions():
        register_jitable(function)


def _functions() -> Iterator[Callable[..., Any]]:
    for module in MODULES:
        for _, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and function is not events.run:
                yield function


@cache
def _sources() -> str:
    """Returns the state of the sources, where they lie, and the Python that reads them: numba keeps what it compiled apart by these."""
    digest = hashlib.sha256(f"{Path(__file__).parent}\0{sys.version}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Returns the folder for this state of the sources, or None if no folder can be written. numba looks at the
    outermost function's file alone, and would run old code after a change of any other."""
    base = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "poolscope"
    )
    folder = Path(base) / f"replay-{_sources()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # What lies here is run: nothing else may put anything in, and what something else made is not used.
        folder.chmod(0o700)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None
