"""The launch guard is killed, alone or together with its collector."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import TARGET, Program, children, collector, end, status, suspended, target, thread_names, wait_until

NAME = "startup-guard"


def run(count: int) -> list[Outcome]:
    return [_alone(), _both()]


def _guard(tool: Program) -> int | None:
    return next((pid for pid in children(tool.pid) if NAME in thread_names(pid)), None)


def _alone() -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        script = f"dotnet '{TARGET}' beat 3000; dotnet '{TARGET}' exit 5"
        tool = collector("collect", "-o", Path(folder) / "capture", "--", "sh", "-c", script)
        wait_until(lambda: bool(tool.lines))
        guard = _guard(tool)
        memory = status(guard, "VmRSS") if guard is not None else "?"
        if guard is not None:
            end(guard)
        code = tool.finish(60)
        return Outcome(
            "launch guard killed (SIGKILL) while a shell's first .NET program is recorded",
            "the collector takes its place: the collector releases the shell's second .NET program as well",
            f"guard found: {guard is not None} (resident memory {memory}), exit code {code}",
            guard is not None and code == 5,
        )


def _both() -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        first = collector("collect", "-o", Path(folder) / "first", "--", *target("beat", 60_000))
        waiting: list[int] = []

        def waits() -> bool:
            waiting[:] = [pid for pid in children(first.pid) if suspended(pid)]
            return bool(waiting)

        guard = _guard(first) if wait_until(waits) else None
        if guard is None:
            first.kill()
            return Outcome(
                "launch guard and collector killed together", "", "not tried: the program never waited", None
            )
        end(guard)
        first.kill()
        pid = waiting[0]
        waits_still = not wait_until(lambda: not suspended(pid), 2)
        tool = collector("collect", "-o", place, "-p", pid, "--duration", "2")
        code = tool.finish(60)
        resumed = first.goes_on()
        end(pid)
        said = tool.errors[0] if tool.errors else ""
        return Outcome(
            "launch guard and collector killed together while the program waits",
            "the program waits; attaching to it resumes it, says so, and records it",
            f"waits: {waits_still}; afterwards `{said}`, exit code {code}, runs: {resumed}, "
            f"status {captures.manifest(place).get('status')}",
            waits_still and resumed and code == 0,
        )
