"""Root in a container without CAP_IPC_LOCK gets rings as large as the kernel allows."""

import os
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.live

WITHOUT = ("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock", "prlimit", "--memlock=65536:65536")


def test_root_that_may_lock_little_memory_records_with_smaller_rings(captured):
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("prlimit") is None:
        pytest.skip("needs root, setpriv and prlimit")
    if subprocess.run([*WITHOUT, "true"], check=False).returncode != 0:
        pytest.skip("this root may not give up a capability")
    everything = captured("trickle-v3", "--count", "50", quiet=False)
    little = captured("trickle-v3", "--count", "50", user=WITHOUT, quiet=False)
    assert little.coverage.tier == everything.coverage.tier
    assert little.coverage.lost_scheduler == 0
