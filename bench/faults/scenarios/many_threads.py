"""The target starts a thousand threads a second, and every thread ends at once."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

SECONDS = 5


def run(count: int) -> list[Outcome]:
    return [_row(tier) for tier in ("tracepoint", "switch", "schedstat")]


def _row(tier: str) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        program = Program(target("churn", 60_000))
        wait_until(lambda: len(program.lines) > 100)
        tool = collector("collect", "-o", place, "--kernel", tier, "-p", program.pid, "--duration", SECONDS)
        wait_until(lambda: (place / "runtime.nettrace").exists())
        before = int(program.lines[-1])
        code = tool.finish(120)
        born = int(program.lines[-1]) - before
        goes_on = program.goes_on()
        program.kill()
        told = captures.manifest(place)
        return Outcome(
            f"threads born and dead all the time, tier {tier}",
            "the target goes on, the capture has its tables",
            f"{born:,} births while recorded, status {told.get('status')}, {captures.lost(place)} events lost, "
            f"exit code {code}{'' if code == 0 else f': `{tool.errors[-1]}`'}",
            goes_on and code == 0 and (place / "tables" / "work_items.npz").exists() and born > 200 * SECONDS,
        )
