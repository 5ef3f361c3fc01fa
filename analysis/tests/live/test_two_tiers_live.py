"""Two collectors on one process, one with tracepoints and one that polls: the exact values lie within the polled
bounds."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import COLLECT, FROM_THE_START, WORKLOADS
from live.kernel import with_kernel
from poolscope.capture import open_capture
from poolscope.executions.segments import BLOCKED, READY, RUNNING
from poolscope.product import analyse

pytestmark = pytest.mark.live

SAME_ITEM_NS = 2_000_000
"""Each session stamps an event on its own, and the thread may lose its core in between. The items of one worker are at
least 150 ms apart."""
STEP_ERROR_NS = 50_000
"""Maximum error at the ends of a step: its sums are read from /proc one thread after another but stamped once."""


def stolen_ns():
    """Returns the core time since boot that went to interrupts and, on a virtual machine, to its host. No counter of a
    thread includes it: to a poll, a thread that computes meanwhile seems blocked (docs/event-semantics.md)."""
    irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[6:9])
    return (irq + softirq + steal) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@pytest.fixture
def both(undisturbed, tmp_path_factory):
    """both("spin", "--count", "24") returns the analyses of one run, with tracepoints and polled, and the stolen time
    in ns."""

    def record(arguments):
        stolen = stolen_ns()
        parent = tmp_path_factory.mktemp("tiers")
        folders = {tier: parent / tier for tier in ("tracepoint", "schedstat")}
        with subprocess.Popen([str(WORKLOADS), "run", *arguments], stdout=subprocess.DEVNULL) as target:
            try:
                collectors = []
                for tier, folder in folders.items():
                    options = ["--kernel", tier, "--snapshots", "0", "-o", folder]
                    command = [str(c) for c in (COLLECT, "collect", "-p", target.pid, *options)]
                    collectors.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
                for collector in collectors:
                    _, said = collector.communicate(timeout=120)
                    assert collector.returncode == 0, said
            finally:
                target.kill()
        return folders, stolen_ns() - stolen

    def analysed(*arguments):
        folders, stolen = undisturbed(lambda: record(arguments))
        return *(analyse(open_capture(folder)) for folder in folders.values()), stolen

    return analysed


def items(analysis):
    """Returns a row for each item whose states are known throughout: its worker, begin and row number, in ns of the
    machine's clock. Items that began before the recording have states only from its start on."""
    of, segments = analysis.attribution.items, analysis.attribution.segments
    known = sum(segments.total(state, of.count) for state in (RUNNING, READY, BLOCKED))
    start = analysis.capture.window[0]
    rows = pd.DataFrame(
        {"worker": of.worker, "begun": of.dequeue + start, "end": of.end + start, "row": np.arange(of.count)}
    )
    whole = of.started & ~of.running_at_end & (of.end > of.dequeue) & (known >= of.end - of.dequeue - STEP_ERROR_NS)
    return rows[whole].sort_values("begun")


@pytest.mark.parametrize(
    "scenario",
    [("spin", "--count", "120", "--work-ms", "150"), FROM_THE_START],
    ids=["spin", "trickle-v1"],
)
def test_exact_states_lie_between_the_polled_bounds_of_the_same_run(both, scenario):
    full, polled, stolen = both(*scenario)
    with_kernel(full)
    assert polled.coverage.tier == "schedstat"
    left, right = items(full), items(polled)
    same = pd.merge_asof(
        left, right, on="begun", by="worker", direction="nearest", tolerance=SAME_ITEM_NS, suffixes=("", "_polled")
    ).dropna()
    assert len(same) >= 0.9 * min(len(left), len(right)) and len(same) >= 20
    # No event shows the end of an item, so a poll may count the worker's next wait as the item's. That is not under
    # test here.
    same = same[(same["end"] - same["end_polled"]).abs() <= SAME_ITEM_NS]
    assert len(same) >= 10
    segments, bounds = full.attribution.segments, polled.attribution.bounds
    rows, polled_rows = same["row"].to_numpy(), same["row_polled"].to_numpy(dtype=np.int64)
    of_state = {RUNNING: bounds.cpu, READY: bounds.ready, BLOCKED: bounds.blocked}
    room = STEP_ERROR_NS + stolen
    for state, (least, most) in of_state.items():
        exact = segments.total(state, full.attribution.items.count)[rows]
        outside = np.maximum(least[polled_rows] - exact, exact - most[polled_rows])
        assert outside.max() <= room, (state, same[outside > room], outside[outside > room])
