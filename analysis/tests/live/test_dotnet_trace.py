"""The recipe of perf and dotnet-trace, run as printed, joins all items on one clock and gives the verdict of a
Poolscope recording."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import COLLECT, published
from poolscope.capture import open_capture
from poolscope.product import analyse

pytestmark = pytest.mark.live

SECONDS = 6
PLUGINS = Path("/usr/lib/traceevent/plugins")
"""With these plugins perf prints context switches in another form, like a perf built with libtraceevent plugins."""
PRINTED = {
    "printed as the recipe says": [
        "--ns",
        "--header",
        "-F",
        "+pid",
        "--show-task-events",
        "--show-switch-events",
        "--show-lost-events",
    ],
    "to the microsecond, without a header": ["-F", "+pid", "--show-task-events", "--show-switch-events"],
    "in the form of the plug-in": ["--ns", "-F", "+pid", "--show-task-events", "--show-switch-events"],
}


@pytest.fixture(scope="session")
def recorded(dotnet_trace, tmp_path_factory, undisturbed):
    """Returns the folder in which the recipe's command left its two files."""
    if os.geteuid() != 0 or shutil.which("perf") is None:
        pytest.skip("needs root and perf")
    target = published("net10.0")
    return undisturbed(lambda: record(target, dotnet_trace, tmp_path_factory.mktemp("recorded")))


def record(target, dotnet_trace, folder):
    program = subprocess.Popen([target, "sleep", "60"], stdout=subprocess.DEVNULL)
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


def decoded(folder, *options, into=None):
    made = into or f"capture{len(options)}"
    words = [str(COLLECT), "decode", "trace.nettrace", "-o", made, *options]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr
    return analyse(open_capture(folder / made)).to_json()


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


@pytest.mark.parametrize("how", PRINTED)
def test_the_text_of_perf_script_gives_what_its_perf_data_gives(how, recorded):
    in_other_form = how.endswith("plug-in")
    if in_other_form and not PLUGINS.is_dir():
        pytest.skip(f"needs {PLUGINS}")
    environment = {**os.environ, "TRACEEVENT_PLUGIN_DIR": str(PLUGINS) if in_other_form else ""}
    name = f"{list(PRINTED).index(how)}.txt"
    with open(recorded / name, "wb") as text:
        line = ["perf", "script", "-i", "sched.perf.data", *PRINTED[how]]
        subprocess.run(line, stdout=text, stderr=subprocess.DEVNULL, cwd=recorded, env=environment, check=True)
    assert (b" ==> next_comm=" in (recorded / name).read_bytes()) != in_other_form

    expected = decoded(recorded, "--scheduler", "sched.perf.data")
    analysis = decoded(recorded, "--scheduler", name, into=name + ".poolscope")
    assert analysis["verdict"]["id"] == expected["verdict"]["id"]
    for kind in ("wait_ms", "execution_ms"):
        split, other = (part["attribution"][kind] for part in (expected, analysis))
        assert {key: round(value, 1) for key, value in split.items()} == pytest.approx(other, rel=0.01, abs=0.2)

    within = 0 if "--ns" in PRINTED[how] else 1000
    before, after = (open_capture(recorded / folder) for folder in ("capture2", name + ".poolscope"))
    compared: Any = (
        ("switches", ["time"], ["cpu", "prev_tid", "next_tid"]),
        ("wakeups", ["time"], ["cpu", "wakee_tid", "target_cpu"]),
        ("thread_states", ["start", "end"], ["tid", "state"]),
    )
    for table, times, same in compared:
        # Two events on two CPUs with one time stamp may come in either order.
        ours, theirs = (c.table(table).sort_values(same[0], kind="stable") for c in (before, after))
        assert len(ours) == len(theirs) > 0, table
        for column in (*times, *same):
            apart = np.abs(ours[column].to_numpy().astype(np.int64) - theirs[column].to_numpy().astype(np.int64))
            assert apart.max() <= (within if column in times else 0), f"{table}.{column}"


def test_without_perf_the_items_are_the_same_and_causes_are_not_known(recorded):
    analysis = decoded(recorded)
    assert analysis["coverage"]["items"] == decoded(recorded, "--scheduler", "sched.perf.data")["coverage"]["items"]
    assert analysis["coverage"]["tier"] == "none" and analysis["verdict"]["id"] == "cannot-tell"
