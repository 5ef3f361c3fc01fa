"""The recorded program is killed."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, end, target, wait_until

RECORD_S = 2.0


def run(count: int) -> list[Outcome]:
    return [_row(launched) for launched in (False, True)]


def _row(launched: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        if launched:
            tool = collector("collect", "-o", place, "--", *target("beat", 60_000))
            wait_until(lambda: bool(tool.lines))
            pid = int(tool.lines[0])
        else:
            program = Program(target("beat", 60_000))
            wait_until(lambda: bool(program.lines))
            pid = program.pid
            tool = collector("collect", "-o", place, "-p", pid)
            wait_until(lambda: (place / "runtime.nettrace").exists())
        time.sleep(RECORD_S)
        end(pid)
        code = tool.finish()
        told = captures.manifest(place)
        rows = sum(1 for _ in (place / "tables").glob("*.npz"))
        expected = 128 + 9 if launched else 0
        return Outcome(
            f"target killed (SIGKILL), {'launched' if launched else 'attached'}",
            "the capture is `cut`, stop `target-killed`, and has its tables; a launched target's exit code is passed on",
            f"status {told.get('status')}, stop {told.get('stop')}, {rows} tables, exit code {code}",
            told.get("status") == "cut" and told.get("stop") == "target-killed" and rows > 5 and code == expected,
        )
