"""The recipe of perf and dotnet-trace, run as it is printed: all items joined, on one clock, with the verdict of our own recording."""

import json
import os
import shutil
import subprocess
import time

import pytest
from conftest import COLLECT, published
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = pytest.mark.live

SECONDS = 6


@pytest.fixture(scope="session")
def recorded(dotnet_trace, tmp_path_factory):
    """The folder in which the recipe's line left its two files."""
    if os.geteuid() != 0 or shutil.which("perf") is None:
        pytest.skip("needs root and perf")
    folder = tmp_path_factory.mktemp("recorded")
    program = subprocess.Popen([published("net10.0"), "sleep", "60"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(3)
        recipe = [COLLECT, "recipe", "perf", "-p", str(program.pid), "--duration", str(SECONDS)]
        text = subprocess.run([str(word) for word in recipe], capture_output=True, text=True, check=True).stdout
        line = next(line for line in text.splitlines() if line.startswith("perf record"))
        path = f"{dotnet_trace}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            line.split(), capture_output=True, text=True, timeout=120, cwd=folder, env={**os.environ, "PATH": path}
        )
        assert done.returncode == 0, done.stderr + done.stdout
    finally:
        program.kill()
        program.wait()
    return folder


def decoded(folder, *options):
    words = [str(COLLECT), "decode", "trace.nettrace", "-o", f"capture{len(options)}", *options]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr
    return analyse(open_capture(folder / f"capture{len(options)}")).to_json()


def test_the_recipe_gives_the_whole_split(recorded):
    analysis = decoded(recorded, "--scheduler", "sched.perf.data")
    coverage = analysis["coverage"]
    seen = coverage["joined"] + coverage["censored_start"] + coverage["queued_at_end"]
    assert coverage["tier"] == "tracepoint" and coverage["items"] > 50 and seen == coverage["items"]
    assert coverage["lost"] == 0
    assert coverage["unknown_execution_ms"] < 0.05 * coverage["execution_ms"]
    # Each item sleeps.
    assert coverage["blocked_ms"] > 0.9 * coverage["execution_ms"]
    assert analysis["verdict"]["id"] != "healthy"
    assert json.dumps(analysis["capture"]["made_from"]).count("from") == 2


def test_without_perf_the_items_are_the_same_and_causes_are_not_known(recorded):
    analysis = decoded(recorded)
    assert analysis["coverage"]["items"] == decoded(recorded, "--scheduler", "sched.perf.data")["coverage"]["items"]
    assert analysis["coverage"]["tier"] == "none" and analysis["verdict"]["id"] == "cannot-tell"
