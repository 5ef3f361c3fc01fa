"""A target that has its own /tmp but shares pids with the collector: a systemd service with PrivateTmp."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import COLLECT, ROOT, WORKLOADS
from live.test_containers import OWN_TMP

pytestmark = pytest.mark.built


def test_a_private_tmp_hides_no_runtime(tmp_path):
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare, to make a mount namespace")
    command = ["unshare", "--mount", "sh", "-c", OWN_TMP, ROOT, WORKLOADS, "run", "ticket", "--count", "100"]
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL) as target:
        try:
            until = time.monotonic() + 20
            while not list(Path(f"/proc/{target.pid}/root/tmp").glob("dotnet-diagnostic-*")):
                assert time.monotonic() < until and target.poll() is None, "the target did not start"
                time.sleep(0.05)
            collect = [
                COLLECT,
                "collect",
                "--kernel",
                "none",
                "-p",
                target.pid,
                "--duration",
                "2",
                "-o",
                tmp_path / "c",
            ]
            done = subprocess.run([str(part) for part in collect], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and "eventpipe" not in done.stderr, done.stderr
            doctor = [str(COLLECT), "doctor", "--json", "-p", str(target.pid)]
            checks = json.loads(subprocess.run(doctor, capture_output=True, text=True, timeout=60).stdout)
        finally:
            target.kill()
    streams = json.loads((tmp_path / "c" / "capture.json").read_text())["streams"]
    assert {"runtime.nettrace", "symbols.nettrace"} <= {stream["file"] for stream in streams if stream["bytes"] > 1000}
    assert [check for check in checks if check["stream"] == "runtime"][0]["available"]
