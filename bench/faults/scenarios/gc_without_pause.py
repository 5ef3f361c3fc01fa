"""A process collects garbage all the time: it answers late, or refuses sessions."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import ROOT, Program, collector, wait_until

ZOO = ROOT / "artifacts" / "zoo" / "net10.0" / "zoo"
TIMES = 3


def run(count: int) -> list[Outcome]:
    if not ZOO.exists():
        return [
            Outcome(
                "attach to a process that collects garbage without a pause", "", "not tried: the zoo is not built", None
            )
        ]
    return [_row(i + 1) for i in range(count or TIMES)]


def _row(number: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        program = Program([str(ZOO), "cohort-analytics", "--seconds", "60"])
        wait_until(lambda: bool(program.lines) or program.ended, 5)
        tool = collector("collect", "-o", place, "-p", program.pid, "--duration", "5")
        code = tool.finish(150)
        runs = not program.ended
        program.kill()
        told = captures.manifest(place)
        streams = [stream["file"] for stream in told.get("streams", [])]
        refused = [f"{refusal['stream']} ({refusal['why']})" for refusal in told.get("refused", [])]
        return Outcome(
            f"attach to a process that collects garbage without a pause ({number})",
            "tried again after pauses; where the runtime's session is refused all the same, the scheduler's stream alone "
            "is recorded, with the reason, and the status is `incomplete`",
            f"exit code {code}, status {told.get('status')}, streams {', '.join(streams) or 'none'}, refused "
            f"{', '.join(refused) or 'none'}, target runs: {runs}",
            code == 0 and runs and (("runtime.nettrace" in streams) or told.get("status") == "incomplete"),
        )
