"""The `demo` verb: a live capture of the scaled ticket, and its report."""

from __future__ import annotations

import shutil
import time

import dotnet
import repo
import steps

CAPTURE = repo.ROOT / "traces" / "demo"
PAGE = repo.ROOT / "reports" / "demo.html"


NO_VERDICT = 4
"""Exit code of `report` for the verdict cannot-tell (docs/exit-codes.md)."""


def _launcher(name: str) -> str:
    return str(repo.BIN / (f"{name}.cmd" if repo.WINDOWS else name))


def run() -> int:
    """Captures `poolscope-workloads run ticket`, reports on it, and prints the path of the page."""
    start = time.monotonic()
    shutil.rmtree(CAPTURE, ignore_errors=True)
    PAGE.parent.mkdir(exist_ok=True)
    # The workload's real executable: the collector watches the process that it starts, and a launcher begins as a
    # shell.
    target = [repo.WORKLOADS, "run", "ticket"]
    collect = [_launcher("poolscope-collect"), "collect", "-o", CAPTURE, "--", *target]
    report = [_launcher("poolscope"), "report", CAPTURE, "-o", PAGE]
    for command in (collect, report):
        code = steps.call(command, env=dotnet.environment())
        # A machine that records too little for a verdict still gets its page.
        if code != 0 and not (command is report and code == NO_VERDICT):
            raise repo.BuildError(f"exit code {code} from: {' '.join(str(part) for part in command)}")
    steps.say(f"demo: {PAGE.relative_to(repo.ROOT)} ({time.monotonic() - start:.0f} s); open {PAGE.as_uri()}")
    return 0
