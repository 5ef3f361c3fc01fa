"""Looks at a process that allocates, collects, starts threads, queues items and resizes its pool as fast as it can."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from seeds.pressure import pressure_now

from .targets import COLLECT, TARGET, running

LIMITS = ((2, 3), (50, 60))
"""The minimum and maximum that the program sets in turn, one after the other."""
LONGEST_S = 60.0


def run(looks: int) -> Iterator[dict[str, Any]]:
    """Yields the result of each look: seconds, exit code, and the limits that it read."""
    with running([str(TARGET), "restless", "600000"]) as target:
        for _ in range(looks):
            pressure = pressure_now(0.2)
            begun = time.monotonic()
            done = subprocess.run(
                [str(COLLECT), "look", "-p", str(target.pid), "--json"],
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=False,
            )
            seconds = time.monotonic() - begun
            pool = json.loads(done.stdout)["pool"] if done.returncode == 0 else {}
            yield {
                "seconds": round(seconds, 3),
                "pressure": round(pressure, 1),
                "exit": done.returncode,
                "said": done.stderr.strip(),
                "minimum": pool.get("minimum"),
                "maximum": pool.get("maximum"),
                "target_lives": target.poll() is None,
            }


def is_wrong(row: dict[str, Any]) -> bool:
    """Returns whether a look reported a limit that the pool never had."""
    return row["exit"] == 0 and (row["minimum"] not in LIMITS[0] or row["maximum"] not in LIMITS[1])


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns counts and times over looks."""
    times = sorted(row["seconds"] for row in rows)
    return {
        "looks": len(rows),
        "answered": sum(row["exit"] == 0 for row in rows),
        "refused_in_one_line": sum(row["exit"] == 3 and len(row["said"].splitlines()) == 1 for row in rows),
        "wrong_limits": sum(is_wrong(row) for row in rows),
        "target_ended": sum(not row["target_lives"] for row in rows),
        "seconds_median": times[len(times) // 2] if times else None,
        "seconds_max": times[-1] if times else None,
        "over_2_s": sum(value > 2 for value in times),
    }
