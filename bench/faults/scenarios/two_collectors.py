"""Two collectors record one process at the same time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, sessions, target, wait_until


def run(count: int) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        program = Program(target("beat", 60_000))
        wait_until(lambda: bool(program.lines))
        places = [Path(folder) / name for name in ("one", "two")]
        tools = [collector("collect", "-o", place, "-p", program.pid, "--duration", "3") for place in places]
        codes = [tool.finish(120) for tool in tools]
        goes_on = program.goes_on()
        closed = wait_until(lambda: sessions(program.pid) == 0, 10)
        program.kill()
        status = [captures.manifest(place).get("status") for place in places]
        return [
            Outcome(
                "two collectors on one target",
                "two whole captures; afterwards no session is left",
                f"status {status[0]} and {status[1]}, exit codes {codes[0]} and {codes[1]}, target goes on: {goes_on}, "
                f"sessions closed: {closed}",
                goes_on and closed and codes == [0, 0] and set(status) == {"complete"},
            )
        ]
