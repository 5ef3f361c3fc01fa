"""How busy the machine is, as the kernel tells (PSI): runs are to be made on a quiet one."""

from __future__ import annotations

from pathlib import Path


def cpu_pressure() -> float:
    """The share of the last 10 s in which some task waited for a CPU (`some avg10`), percent; 0 where the kernel has no
    PSI."""
    try:
        words = Path("/proc/pressure/cpu").read_text().split()
    except OSError:
        return 0.0
    return float(next(w for w in words if w.startswith("avg10=")).removeprefix("avg10="))
