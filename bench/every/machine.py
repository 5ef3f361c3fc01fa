"""The machine of the figures, and the load by other programs."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from seeds.pressure import cpu_pressure


def about() -> dict[str, Any]:
    """Returns the machine, the kernel and the peers' versions."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": _first(r"^model name\s*: (.+)$", "/proc/cpuinfo"),
        "memory_gib": round(int(_first(r"^MemTotal:\s+(\d+) kB", "/proc/meminfo") or 0) / 2**20, 1),
        "kernel": platform.release(),
        "perf": _said("perf", "--version"),
        "dotnet": _said("dotnet", "--version"),
        "cpu_pressure_percent": cpu_pressure(),
    }


def dated(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the day of measurement to the rows, because a part that runs alone has its own day."""
    return [{**row, "day": date.today().isoformat()} for row in rows]


def _first(pattern: str, file: str) -> str | None:
    found = re.search(pattern, Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else None


def _said(*command: str) -> str | None:
    """Returns the first line of a program's output, or None if there is no such program."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    return lines[0] if lines else None
