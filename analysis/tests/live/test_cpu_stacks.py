"""CPU samples and source lines of workloads with a known hot line and a known blocking line."""

from pathlib import Path

import pytest
from conftest import FROM_THE_START
from live.kernel import with_kernel
from poolscope.capture.schema import enum

pytestmark = pytest.mark.live

EXPERIMENTS = Path(__file__).resolve().parents[3] / "workloads" / "Poolscope.Workloads" / "Experiments"
HOG = ("spin", "--count", "24", "--work-ms", "150")


def line_of(file, text):
    """Returns the number of the only line in a workload's source that contains this text."""
    lines = (EXPERIMENTS / file).read_text("utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if text in line)
    return number


def hog_under(captured, tier):
    analysis = captured(*HOG, kernel="auto" if tier == "tracepoint" else tier)
    if tier == "tracepoint":
        return with_kernel(analysis)
    assert analysis.coverage.tier == tier
    return analysis


@pytest.mark.parametrize("tier", ["tracepoint", "switch"])
def test_a_cpu_hog_is_first_and_has_nearly_all_samples_of_the_workers(captured, tier):
    analysis = hog_under(captured, tier)
    content = analysis.to_json()
    hog = content["cpu_methods"][0]
    assert hog["method"] == "Poolscope.Workloads.Experiments.SpinWork.Spin"
    assert hog["workers_share"] >= 0.9
    assert content["cpu_flame"]["workers"] >= 100  # 3.6 s of work, 99 samples a second
    assert hog["file"].endswith("/SpinWork.cs") and hog["line_is"] == "executed"
    assert line_of("SpinWork.cs", "for (var i = 0L; i < iterations") <= hog["line"]
    assert hog["line"] <= line_of("SpinWork.cs", "value = (value *") + 1
    nodes = content["cpu_flame"]["nodes"]
    assert sum(nodes["self"]) == content["cpu_flame"]["with_stack"]


@pytest.mark.parametrize("tier", ["tracepoint", "switch"])
def test_the_samples_agree_with_the_scheduler_on_how_long_the_workers_ran(captured, tier):
    analysis = hog_under(captured, tier)
    states = analysis.capture.table("thread_states")
    workers = analysis.capture.table("workers")["tid"]
    ran = states[(states["state"] == enum("thread_states", "state", "running")) & states["tid"].isin(workers)]
    seconds = (ran["end"] - ran["start"]).sum() / 1e9
    assert analysis.cpu.workers == pytest.approx(99 * seconds, rel=0.1)


def test_without_privilege_there_are_samples_too(captured, nobody):
    content = captured(*HOG, user=nobody).to_json()
    assert content["cpu_methods"][0]["method"].endswith("SpinWork.Spin")
    assert content["cpu_methods"][0]["workers_share"] >= 0.9


def test_the_line_that_blocks_is_named(captured):
    frames = captured(*FROM_THE_START).capture.table("frames")
    sleeps = frames[frames["method"].astype(str).str.endswith("TrickleV1.Sleep")]
    assert set(sleeps["file"].map(lambda f: Path(f).name)) == {"TrickleV1.cs"}
    assert line_of("TrickleV1.cs", "=> Thread.Sleep(work)") in set(sleeps["line"])
