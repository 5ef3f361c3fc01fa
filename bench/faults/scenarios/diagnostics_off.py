"""The target is configured to answer no diagnostic commands."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..outcome import Outcome
from ..processes import Program, collector, target, wait_until

VARIABLE = "DOTNET_EnableDiagnostics"
# docs/exit-codes.md
UNREADABLE = 3
COULD_NOT = 125


def run(count: int) -> list[Outcome]:
    return [
        _row("attached", UNREADABLE, attach=True),
        _row("set where the collector is started, which launches", COULD_NOT, environment={VARIABLE: "0"}),
        _row("set by the launched command itself", COULD_NOT, command=["env", f"{VARIABLE}=0", *target("beat", 4_000)]),
    ]


def _row(
    how: str,
    expected: int,
    attach: bool = False,
    environment: dict[str, str] | None = None,
    command: list[str] | None = None,
) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        program = Program(target("beat", 60_000), {VARIABLE: "0"}) if attach else None
        if program is not None:
            wait_until(lambda: program is not None and bool(program.lines))
        what = ["-p", program.pid] if program is not None else ["--", *(command or target("beat", 4_000))]
        tool = collector("collect", "-o", place, *what, environment=environment)
        code = tool.finish(60)
        unharmed = program is None or program.goes_on()
        if program is not None:
            program.kill()
        last = tool.errors[-1] if tool.errors else ""
        return Outcome(
            f"{VARIABLE}=0, {how}",
            "one line names the variable and says what to do; a program that runs goes on",
            f"exit code {code}, `{last}`",
            code == expected
            and VARIABLE in last
            and "without the variable" in last + " " + last.replace("unset", "without the variable")
            and unharmed
            and not place.exists(),
        )
