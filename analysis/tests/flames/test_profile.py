"""Samples of the runtime's own profiler in another tool's file: the methods of threads, by thread and over time."""

import json

import pytest
from contract.keeps import breaches
from flame_captures import LOCK, Recorded, by_path
from poolscope.capture import open_capture
from poolscope.flames.profiled import build_profile
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from synthetic import MS, CaptureBuilder

POOL = (
    "System.Threading.ThreadPoolWorkQueue.Dispatch",
    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
)
IDLE = (
    "System.Threading.LowLevelLifoSemaphore.Wait",
    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
)


class Sampled(Recorded):
    """A capture of 100 ms converted from another tool's file."""

    def __init__(self, folder):
        self.builder = CaptureBuilder(folder, length=100 * MS, kernel=False)
        self.rows = self.builder.rows

    def write(self, made=True):
        self.builder.write()
        manifest = json.loads((self.builder.folder / "capture.json").read_text())
        source = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
        lack = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": "Record again"}
        manifest |= {"made_from": source, "refused": [lack]} if made else {}
        (self.builder.folder / "capture.json").write_text(json.dumps(manifest))
        return open_capture(self.builder.folder)


@pytest.fixture
def sampled(tmp_path):
    """Thread 7 belongs to the program and waits for a lock; worker 300 runs items in the first half and idles in the
    second."""
    made = Sampled(tmp_path / "capture")
    for ms in range(0, 100, 10):
        made.snapshot(ms, LOCK, "App.Main", tid=7)
        made.snapshot(ms, *(("App.Work", *POOL) if ms < 50 else IDLE), tid=300)
    return made


def test_threads_of_the_pool_come_first_with_where_they_stood_over_time(sampled):
    analysis = analyse(sampled.write()).to_json()
    profile = analysis["profile"]
    assert (profile["total"], profile["workers"], profile["no_stack"]) == (20, 10, 0)
    worker, main = profile["threads"]
    assert (worker["tid"], worker["pool"], worker["samples"], worker["idle"]) == (300, True, 10, 5)
    assert (worker["method"], worker["method_samples"]) == ("App.Work", 5)
    assert (main["tid"], main["pool"], main["method"], main["method_samples"]) == (7, False, "App.Main", 10)
    kinds = {(place["method"], place["kind"]): at for at, place in enumerate(profile["places"])}
    assert set(kinds) == {("App.Main", "wait"), ("App.Work", "code"), (None, "idle")}
    seen = [place for place in worker["places"] if place != -2]
    assert seen == [kinds["App.Work", "code"]] * 5 + [kinds[None, "idle"]] * 5
    assert worker["places"].count(-2) == 50 and len(worker["places"]) == 60


def test_the_tree_counts_samples(sampled):
    capture = sampled.write()

    class Flame:
        def to_json(self):
            return analyse(capture).to_json()["profile"]

    paths = by_path(Flame())
    dispatched = [path for path in paths if path[-1] == "App.Work"]
    assert paths["App.Main",] == paths["App.Main", LOCK] == 10
    assert [(len(path), paths[path]) for path in dispatched] == [(3, 5)]
    assert by_path(Flame(), "workers")["App.Main",] == 0


def test_the_page_says_what_a_sample_cannot_tell(sampled):
    analysis = analyse(sampled.write()).to_json()
    assert breaches(analysis) == []
    page = " ".join(render(analysis).split())
    assert "20 samples, 10 of them on threads of the pool." in page
    assert "A sample shows where a thread was, not whether it ran" in page
    assert page.index(">300 <") < page.index(">7<"), "threads of the pool first"
    redacted = redact(analysis)
    assert breaches(redacted) == [] and "App.Work" not in json.dumps(redacted) and "App.Work" not in render(redacted)


def test_without_names_the_runtime_tells_which_threads_are_the_pools(tmp_path):
    made = Sampled(tmp_path / "capture")
    made.builder.born[300] = 0
    made.snapshot(1, None, tid=300)
    made.snapshot(1, None, tid=7)
    profile = analyse(made.write()).to_json()["profile"]
    assert [(thread["tid"], thread["pool"]) for thread in profile["threads"]] == [(300, True), (7, False)]
    # No stack shows a thread waiting for an item, and no column claims that none did.
    page = render(analyse(open_capture(made.builder.folder)).to_json())
    assert "Waiting for an item" not in page and "Mostly in" in page


def test_snapshots_of_a_capture_of_our_own_are_no_profile(sampled):
    analysis = analyse(sampled.write(made=False))
    assert build_profile(analysis.capture, analysis.attribution) is None
    assert "profile" not in analysis.to_json() and 'id="profile"' not in render(analysis.to_json())


def test_a_thread_that_starts_workers_is_none(tmp_path):
    made = Sampled(tmp_path / "capture")
    made.snapshot(1, "System.Threading.PortableThreadPool+WorkerThread.TryCreateWorkerThread", "App.Main", tid=7)
    made.snapshot(1, "App.Work", *POOL, tid=300)
    profile = analyse(made.write()).to_json()["profile"]
    assert [(thread["tid"], thread["pool"]) for thread in profile["threads"]] == [(300, True), (7, False)]
