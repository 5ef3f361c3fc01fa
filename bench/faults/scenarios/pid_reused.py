"""The target ends, and another process gets its pid at once."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ..outcome import Outcome

SITUATION = "target's pid given to another .NET process right after its end"
INSIDE = "faults.scenarios.pid_reused"


def run(count: int) -> list[Outcome]:
    # In its own pid namespace the next pid can be chosen without affecting the machine.
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, "-m", INSIDE],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode != 0 or "|" not in done.stdout:
        why = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return [Outcome(SITUATION, "", f"not tried: {why}", None)]
    measured, held = done.stdout.strip().rsplit("|", 1)
    return [
        Outcome(
            SITUATION, "recording ends with the first process; the second one is not touched", measured, held == "True"
        )
    ]


def _inside() -> None:
    from .. import captures
    from ..processes import Program, collector, sessions, target, wait_until

    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        first = Program(target("beat", 60_000))
        wait_until(lambda: bool(first.lines))
        pid = first.pid
        tool = collector("collect", "-o", place, "-p", pid)
        wait_until(lambda: (place / "runtime.nettrace").exists() and (place / "runtime.nettrace").stat().st_size > 2000)
        first.kill()
        second = None
        for _ in range(50):
            Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
            second = Program(target("beat", 60_000))
            if second.pid == pid:
                break
            second.kill()
        code = tool.finish(60)
        assert second is not None
        same = second.pid == pid
        goes_on = second.goes_on()
        told = captures.manifest(place)
        open_sessions = sessions(second.pid)
        second.kill()
        held = same and goes_on and told.get("stop") == "target-killed" and open_sessions == 0 and code == 0
        print(
            f"pid {'reused' if same else 'not reused'}, stop {told.get('stop')}, second goes on: {goes_on}, "
            f"{open_sessions} sessions in it, exit code {code}|{held}"
        )


if __name__ == "__main__":
    _inside()
