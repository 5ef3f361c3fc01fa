"""The launched command starts other programs, becomes another program, or ends at once."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import TARGET, collector

COULD_NOT = 125
"""Exit code if nothing was recorded (docs/exit-codes.md)."""
EXIT = f"dotnet '{TARGET}' exit"

# By description: the command, its exit code, and whether there is anything to record.
COMMANDS = {
    "a shell starts two .NET programs, one in the background": (f"{EXIT} 0 & {EXIT} 6", 6, True),
    "a shell becomes the .NET program (exec)": (f"exec {EXIT} 4", 4, True),
    "a .NET program starts another": (f"dotnet '{TARGET}' spawn 5", 5, True),
    "a .NET program that ends as soon as it has begun": (f"{EXIT} 7", 7, True),
    "no .NET program: it ends within 50 ms": ("sleep 0.03", COULD_NOT, False),
    "killed by a signal before it is a .NET program": ("kill -9 $$", COULD_NOT, False),
}


def run(count: int) -> list[Outcome]:
    return [_row(situation, *expected) for situation, expected in COMMANDS.items()]


def _row(situation: str, script: str, expected: int, recorded: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        begin = time.monotonic()
        tool = collector("collect", "-o", place, "--", "sh", "-c", script)
        code = tool.finish(60)
        took = time.monotonic() - begin
        status = captures.manifest(place).get("status", "none")
        return Outcome(
            f"launched: {situation}",
            "its exit code is passed on, and nothing of it is left waiting"
            if recorded
            else "one plain line, and no capture is left",
            f"exit code {code} after {took:.1f} s, capture: {status}",
            code == expected and (status == "complete" if recorded else not place.exists() and len(tool.errors) == 1),
        )
