"""The disk under a capture fills up, or its folder is removed during the recording."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

# docs/exit-codes.md: the output cannot be written; with a command, recording failed.
USAGE = 2
COULD_NOT = 125


def run(count: int) -> list[Outcome]:
    return [_disk_full(), *(_removed(launched) for launched in (False, True))]


def _disk_full() -> Outcome:
    situation = "disk full (a tmpfs of 32 MB), attached"
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], capture_output=True)
        if mounted.returncode != 0:
            return Outcome(situation, "", "not tried: a tmpfs needs root", None)
        try:
            program = Program(target("flood", 60_000))
            wait_until(lambda: bool(program.lines))
            tool = collector("collect", "-o", Path(folder) / "capture", "-p", program.pid, "--duration", "20")
            code = tool.finish(60)
            runs = not program.ended
            program.kill()
            told = captures.manifest(Path(folder) / "capture")
            said = (tool.errors[-1] if tool.errors else "").replace(folder, "DISK")
            return Outcome(
                situation,
                "one plain line at once, and the target goes on; where recording had begun, what was written stays",
                f"exit code {code}, `{said}`, target runs: {runs}, status {told.get('status', 'none')}",
                captures.plain_end(code, tool.errors, (USAGE,)) and runs,
            )
        finally:
            subprocess.run(["umount", folder], capture_output=True)


def _removed(launched: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        runs: Callable[[], bool]
        if launched:
            tool = collector("collect", "-o", place, "--", *target("beat", 8_000))
            wait_until(lambda: bool(tool.lines))
            program = tool
        else:
            program = Program(target("beat", 60_000))
            wait_until(lambda: bool(program.lines))
            tool = collector("collect", "-o", place, "-p", program.pid)
        wait_until(lambda: (place / "runtime.nettrace").exists())
        time.sleep(1)
        wait_until(lambda: _is_removed(place))
        goes_on = program.goes_on()
        code = tool.finish(60)
        if not launched:
            program.kill()
        return Outcome(
            f"capture's folder removed while recording, {'launched' if launched else 'attached'}",
            "recording ends with one plain line; a launched program runs to its own end",
            f"exit code {code}, `{tool.errors[-1] if tool.errors else ''}`, target goes on: {goes_on}",
            captures.plain_end(code, tool.errors, (COULD_NOT if launched else USAGE,)) and goes_on,
        )


def _is_removed(place: Path) -> bool:
    # A stream that is opened meanwhile prevents the removal of the folder at the first try.
    shutil.rmtree(place, ignore_errors=True)
    return not place.exists()
