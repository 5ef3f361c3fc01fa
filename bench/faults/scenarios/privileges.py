"""The collector's root rights after the recording has begun."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from .. import captures
from ..outcome import Outcome
from ..processes import Program, collector, status, target, wait_until

SITUATION = "`sudo poolscope-collect collect -p PID` for a process of the user who types it"
USER = 1000


def run(count: int) -> list[Outcome]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return [Outcome(SITUATION, "", "not tried: it needs root and setpriv", None)]
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        os.chmod(folder, 0o755)
        place = Path(folder) / "capture"
        as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        program = Program([*as_user, *target("beat", 60_000)])
        wait_until(lambda: bool(program.lines))
        sudo = {"SUDO_UID": str(USER), "SUDO_GID": str(USER)}
        tool = collector("collect", "-o", place, "-p", program.pid, "--duration", "4", environment=sudo)
        dropped = wait_until(lambda: set(status(tool.pid, "Uid").split()) == {str(USER)}, 20)
        capabilities = status(tool.pid, "CapEff")
        code = tool.finish(60)
        program.kill()
        told = captures.manifest(place)
        tiers = [stream["tier"] for stream in told.get("streams", [])]
        owners = {path.stat().st_uid for path in place.rglob("*")}
        return [
            Outcome(
                SITUATION,
                "it becomes that user once the kernel's descriptors are open; the capture is that user's",
                f"user {USER}: {dropped}, capabilities {capabilities}, tiers {', '.join(sorted(set(tiers)))}, files of user "
                f"{', '.join(map(str, owners))}, status {told.get('status')}, exit code {code}",
                dropped and set(capabilities) == {"0"} and owners == {USER} and "tracepoint" in tiers and code == 0,
            )
        ]
