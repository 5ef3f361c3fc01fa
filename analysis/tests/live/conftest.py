"""Live captures of the bundled workloads, one per session and set of arguments, on a quiet machine."""

import subprocess
import time
from pathlib import Path

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse

ROOT = Path(__file__).resolve().parents[3]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = RELEASE / "Poolscope.Workloads" / "release" / "poolscope-workloads"

QUIET_PSI = 5.0
"""cpu `some avg10`, percent: above it, other work on the machine shows in the figures."""
PATIENCE_S = 60


def pressure():
    """The share of the last 10 s in which some task waited for a CPU, percent; 0 where the kernel has no PSI."""
    try:
        words = Path("/proc/pressure/cpu").read_text().split()
    except OSError:
        return 0.0
    return float(next(w for w in words if w.startswith("avg10=")).removeprefix("avg10="))


def wait_until_quiet():
    until = time.monotonic() + PATIENCE_S
    while pressure() >= QUIET_PSI:
        if time.monotonic() > until:
            pytest.skip(f"noisy: cpu pressure {pressure()} % for {PATIENCE_S} s, so causes are not shown")
        time.sleep(1)


@pytest.fixture(scope="session")
def captured(tmp_path_factory):
    """captured("trickle-v1", "--count", "100") -> the analysis of a live capture of that workload.

    `snapshots`: from one to the next, s.
    """
    done = {}

    def capture(*arguments, snapshots=1):
        if (arguments, snapshots) not in done:
            wait_until_quiet()
            folder = tmp_path_factory.mktemp("live") / arguments[0]
            command = [COLLECT, "collect", "-o", folder, "--snapshots", snapshots, "--", WORKLOADS, "run", *arguments]
            result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=400)
            assert result.returncode == 0, result.stderr
            done[arguments, snapshots] = analyse(open_capture(folder))
        return done[arguments, snapshots]

    return capture
