"""Every supported runtime, launched and attached: items joined, stacks named, and no table wrongly empty."""

import subprocess
import time

import numpy as np
import pytest
from conftest import COLLECT, RUNTIMES, published
from live.kernel import with_sockets
from poolscope.attribution import attribute
from poolscope.capture import open_capture
from poolscope.capture.schema import enum
from poolscope.measures.requests import measure_requests, split_requests

pytestmark = [pytest.mark.live, pytest.mark.paired]

BLOCKS = {"sleep": "Work.Sleep", "web": "Work.Blocked"}
SECONDS = 2


OF_THE_NEWEST = {("attached", "sleep"), ("launched", "web"), ("launched", "locks"), ("attached", "locks")}
"""Recordings on the newest runtime: each program once, and both ways for locks, whose owners only this runtime names by
managed ids."""
CASES = [
    (runtime, way, program)
    for runtime in RUNTIMES
    for way in ("launched", "attached")
    for program in ("sleep", "spin", "web", "locks")
    if ((way, program) in OF_THE_NEWEST if runtime == RUNTIMES[-1] else program != "locks")
]


@pytest.fixture(scope="session", params=CASES, ids="-".join)
def recorded(request, tmp_path_factory, undisturbed):
    runtime, way, chosen = request.param
    program = published(runtime)
    folder = undisturbed(lambda: record(program, way, chosen, tmp_path_factory.mktemp("runtimes") / "capture"))
    return runtime, way, chosen, open_capture(folder)


def record(program, way, chosen, folder):
    collect = [str(COLLECT), "collect", "-o", str(folder), "--duration", f"00:00:00:0{SECONDS}"]
    # A program with a web server runs on after the recording, and the collector waits for its end.
    arguments = [str(program), chosen, str(SECONDS + 1) if way == "launched" else "30"]
    if way == "launched":
        done = subprocess.run([*collect, "--", *arguments], capture_output=True, text=True, timeout=60)
    else:
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout.readline() == "ready\n"
                time.sleep(0.5)
                done = subprocess.run([*collect, "-p", str(process.pid)], capture_output=True, text=True, timeout=60)
            finally:
                process.kill()
    assert done.returncode == 0, done.stderr
    return folder


def test_items_are_joined_and_the_pool_is_known(recorded):
    _, way, program, capture = recorded
    items = capture.table("work_items")
    seen = items[items["dequeue_known"] == enum("work_items", "dequeue_known", "event")]
    assert len(seen) > 10
    if way == "launched":
        assert (seen["enqueue"] >= 0).all()
    assert (capture.table("workers")["tid"] > 0).all() and len(capture.table("workers")) > 1
    assert len(capture.table("pool_limits")) >= 1
    assert not capture.table("streams")["lost"].clip(lower=0).any()
    if program != "spin":
        assert len(capture.table("pool_changes")) > 0
    if program == "sleep":
        assert (capture.table("tasks")["started"] > 0).sum() > 10
    if program == "web":
        waits = capture.table("task_waits")
        assert (waits["behavior"] == enum("task_waits", "behavior", "synchronous")).sum() > 5


def test_stacks_have_names(recorded):
    *_, program, capture = recorded
    if program not in BLOCKS:
        return
    frames, stacks, snapshots = (capture.table(name) for name in ("frames", "stacks", "snapshots"))
    method = frames["method"].astype(str).to_numpy()
    wanted = set(frames.index[[BLOCKS[program] in name for name in method]])
    parent = dict(zip(stacks["id"], stacks["parent"], strict=True))
    frame = dict(zip(stacks["id"], stacks["frame"], strict=True))

    def inside(node):
        while node >= 0:
            if frame[node] in wanted:
                return True
            node = parent[node]
        return False

    hit = {node: inside(node) for node in set(snapshots["stack"])}
    assert sum(hit[node] for node in snapshots["stack"]) > 5


def test_a_lock_s_owner_is_its_os_thread(recorded):
    *_, program, capture = recorded
    if program != "locks":
        return
    waits, threads = capture.table("waits"), capture.table("threads")
    owner = waits["owner_tid"][waits["kind"] == enum("waits", "kind", "contention")]
    (holder,) = threads["tid"][threads["name"] == "holder"]
    assert len(owner) > 10
    assert (owner == holder).mean() > 0.8
    # An item may hold the lock for an instant; no other thread asks for it.
    assert set(owner) <= {holder, -1, *capture.table("workers")["tid"]}


def test_snapshots_have_their_moments(recorded):
    _, way, program, capture = recorded
    moments, snapshots = capture.table("snapshot_moments"), capture.table("snapshots")
    assert moments["threads"].clip(lower=0).sum() == len(snapshots)
    taken = moments[moments["threads"] > 0]
    start, end = (enum("snapshot_moments", "why", name) for name in ("start", "end"))
    assert (moments["why"] == start).sum() == (way == "attached")
    # Threads that never leave their loops may prevent a snapshot, and so may a moment without a core; its row then says
    # threads: 0.
    assert program == "spin" or (taken["why"] == start).sum() == (way == "attached")
    assert moments["why"].iloc[-1] == end
    failed = (moments["threads"] <= 0) & (moments["why"] != enum("snapshot_moments", "why", "gap"))
    assert program == "spin" or failed.sum() <= 1
    # After a session of over 0.3 s, the next one is at least ten times as far away.
    close = moments["gap"] < 1_000_000_000
    assert (moments["gap"][~close] >= 3_000_000_000).all()
    assert len(taken) > (4 if close.all() else 1)
    first = taken["threads"].iloc[0]
    assert (snapshots["time"].iloc[:first] < taken["time"].iloc[1]).all()


def test_counters_agree_with_the_items(recorded):
    _, way, _, capture = recorded
    counters, items = capture.table("pool_counters"), capture.table("work_items")
    start, end = capture.window
    inside = counters[(counters["since"] >= start) & (counters["time"] <= end)]
    assert len(inside) >= SECONDS
    told = inside[["queue_length", "completed", "threads", "methods_compiled", "compiling"]]
    # While a launched runtime creates its counters, its first reading lacks those that it creates last.
    making = 1 if way == "launched" else 0
    assert (told[making:] >= 0).all(axis=None)
    assert (told[:making] >= -1).all(axis=None)
    ended = items["end"].between(inside["since"].iloc[0], inside["time"].iloc[-1]).sum()
    assert inside["completed"].sum() == pytest.approx(ended, rel=0.2, abs=5)
    if way == "attached":
        assert counters["time"].iloc[0] < start


def test_what_a_runtime_cannot_tell_is_said(recorded):
    runtime, *_, capture = recorded
    limits = capture.manifest["target"]["limits"]
    assert limits == (["stacks-on-every-event", "no-wait-handle-events"] if runtime == "net8.0" else [])
    assert capture.manifest["target"]["runtime"].startswith(f".NET {runtime.removeprefix('net').removesuffix('.0')}.")
    assert capture.manifest["target"]["process_start_ns"] < capture.window[0]


def test_requests_are_followed_from_the_wire_on_every_runtime(recorded):
    _, _, program, capture = recorded
    if program != "web":
        return
    attribution = attribute(capture)
    requests = measure_requests(capture, attribution)
    assert requests.count > 10
    with_sockets(capture)
    # A request that began before the kernel's stream, or ended after it, has no bytes or no answer. On an attach that
    # stream begins some tenths of a second later, which is as long as a request takes here.
    streams = capture.table("streams").set_index("file")
    kernel = streams.loc["sched.perf.data", "start"] - capture.window[0]
    since = requests.begun > kernel + 500e6
    assert since.sum() > 10
    assert (requests.whole & since).sum() >= 0.8 * since.sum()
    parts = split_requests(requests, attribution)
    assert np.array_equal(parts.latency, (requests.answered - requests.arrived)[requests.whole])
    # The program is its own client, so the bytes of a request are not those of an answer.
    connected = enum("sockets", "role", "connected")
    assert (capture.table("sockets")["role"].to_numpy()[requests.socket[requests.tied]] != connected).all()
