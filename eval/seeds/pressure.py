"""The machine's load by the kernel's pressure (PSI): runs need a quiet machine."""

from __future__ import annotations

import time
from pathlib import Path

PRESSURE = Path("/proc/pressure/cpu")


def cpu_pressure() -> float:
    """Returns the share of the last 10 s in which some task waited for a CPU (`some avg10`), percent; 0 if the kernel
    has no PSI."""
    try:
        words = PRESSURE.read_text().split()
    except OSError:
        return 0.0
    return float(next(w for w in words if w.startswith("avg10=")).removeprefix("avg10="))


def pressure_now(seconds: float = 1.0) -> float:
    """Waits for `seconds` and returns the share of that time. avg10 still shows the caller's own programs half a minute
    later."""
    begun, before = time.monotonic(), _stalled_s()
    time.sleep(seconds)
    return 100 * (_stalled_s() - before) / (time.monotonic() - begun)


def _stalled_s() -> float:
    """Returns the time since boot in which some task waited for a CPU, s; 0 if the kernel has no PSI."""
    try:
        words = PRESSURE.read_text().split("\n")[0].split()
    except OSError:
        return 0.0
    return int(next(w for w in words if w.startswith("total=")).removeprefix("total=")) / 1e6
