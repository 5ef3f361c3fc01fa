"""The recording reaches its size limit."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import collector, target

LIMITS_MB = (20, 100)


def run(count: int) -> list[Outcome]:
    return [_row(limit, kernel) for limit in LIMITS_MB for kernel in ("auto", "none")]


def _row(megabytes: int, kernel: str) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        tool = collector(
            *(
                "collect",
                "-o",
                place,
                "--kernel",
                kernel,
                "--max-size",
                f"{megabytes}MB",
                "--",
                *target("flood", 60_000),
            )
        )
        code = tool.finish(120)
        told = captures.manifest(place)
        tables = captures.size(place / "tables") / (1 << 20)
        whole = captures.size(place) / (1 << 20)
        return Outcome(
            f"--max-size {megabytes}MB while the target queues as fast as it can, --kernel {kernel}",
            "streams and tables together stay below it",
            f"{whole - tables:.1f} MB of streams and {tables:.1f} MB of tables, stop {told.get('stop')}, exit code {code}",
            whole <= megabytes and tables > 0 and told.get("stop") == "max-size",
        )
