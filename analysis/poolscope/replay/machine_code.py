"""The loop as machine code that was made beforehand: nothing is compiled, and numba is not imported."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from poolscope.base import prepared

FUNCTION = "poolscope_replay"
DONE = (0, -2)
"""What numba's functions return when no error was raised in them: RETCODE_OK, RETCODE_NONE (numba/core/callconv.py)."""

PACKAGED = Path(__file__).parent / "machine_code"
"""Where a wheel for Linux x64 carries it."""
BUILT = prepared.BUILT / "replay"
"""Where the build puts it in the source tree."""


@cache
def prepared_loop() -> Callable[..., None] | None:
    """Returns the loop from a file that was made of these very sources; None if there is none for this machine.

    Runs without the interpreter's lock. Takes a float64, an int64 and a float64 array, each contiguous.
    """
    if (code := prepared.load(file_name(), (PACKAGED, BUILT))) is None:
        return None
    function = getattr(code, FUNCTION)
    function.argtypes = [ctypes.c_void_p, ctypes.c_int64] * 3
    function.restype = ctypes.c_int32
    return _on_arrays(function)


def file_name() -> str:
    """Returns the name for the loop's sources: after a change of any of them another file is searched for."""
    here = Path(__file__).parent
    return prepared.file_name("loop", (*(here / "loop").glob("*.py"), here / "hill_climbing.py"))


def _on_arrays(function: Callable[..., int]) -> Callable[..., None]:
    def run(f: Any, i: Any, hill: Any) -> None:
        passed = []
        for array, kind in ((f, np.float64), (i, np.int64), (hill, np.float64)):
            if array.dtype != kind or not array.flags.c_contiguous or not array.flags.writeable:
                raise TypeError(f"the loop takes contiguous arrays of {kind.__name__}")
            passed += [array.ctypes.data, array.size]
        if (code := function(*passed)) not in DONE:
            raise RuntimeError(f"the replay loop ended with code {code}")

    return run
