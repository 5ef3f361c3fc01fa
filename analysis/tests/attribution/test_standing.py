"""A pool that starves before the capture attaches: the workers inside items, and the items that wait, without any
event."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.executions.items import load_items
from poolscope.executions.running_at_attach import find_carried, standing_workers
from poolscope.product import analyse
from synthetic import BASE, MS, CaptureBuilder
from synthetic_stacks import Stacks

LENGTH = 10_000 * MS
START = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"
DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
SLEEP = "System.Threading.Thread.Sleep"
INSIDE = (SLEEP, "App.Poll", DISPATCH, START)
PARKED = ("System.Threading.LowLevelLifoSemaphore.WaitForSignal", START)


def late(folder, limits=(2, 32767)):
    builder = CaptureBuilder(folder, length=LENGTH, launched=False, limits=limits)
    return builder, Stacks(builder)


@pytest.mark.parametrize(
    ("stack", "stands"),
    [
        pytest.param(INSIDE, True, id="in an item"),
        pytest.param((SLEEP, "App.Poll", "System.Threading.Tasks.Task.Execute", DISPATCH, START), True, id="in a task"),
        pytest.param(PARKED, False, id="parked"),
        pytest.param((DISPATCH, START), False, id="in the loop itself"),
        pytest.param(("System.Threading.ThreadPoolWorkQueue.Dequeue", DISPATCH, START), False, id="takes the next item"),
        pytest.param(
            ("System.Threading.WorkStealingQueue.TrySteal", "System.Threading.ThreadPoolWorkQueue.Dequeue", DISPATCH, START),
            False,
            id="looks for it in others' queues",
        ),
        pytest.param((SLEEP, "App.Loop", "System.Threading.Thread.StartCallback"), False, id="no worker"),
    ],
)  # fmt: skip
def test_the_first_snapshot_tells_who_is_inside_an_item(stack, stands, tmp_path):
    builder, stacks = late(tmp_path)
    stacks.snapshot(200, 5 * MS, stacks.stack(*stack))
    stacks.snapshot(201, 5 * MS, -1)
    assert standing_workers(builder.write()).tolist() == ([200] if stands else [])


def item_before(builder):
    builder.item(MS, 2 * MS, 3 * MS, 200, [("running", MS)])


def item_after(builder):
    builder.item(MS, 7000 * MS, 7001 * MS, 200, [("running", MS)])


def park(time):
    return lambda builder: builder.rows["parked"].append({"tid": 200, "start": time, "end": time + MS})


@pytest.mark.parametrize(
    ("event", "until"),
    [
        pytest.param(lambda b: None, LENGTH, id="none ever"),
        pytest.param(item_before, None, id="took an item before"),
        pytest.param(park(2 * MS), None, id="parked before"),
        pytest.param(item_after, 7000 * MS, id="took one later"),
        pytest.param(park(4000 * MS), 4000 * MS, id="parked later"),
    ],
)
def test_it_holds_its_thread_from_the_start_to_its_first_event(event, until, tmp_path):
    builder, stacks = late(tmp_path)
    stacks.snapshot(200, 5 * MS, stacks.stack(*INSIDE))
    event(builder)
    capture = builder.write()
    carried = find_carried(capture, load_items(capture))
    expected = [] if until is None else [(200, 0, until)]
    assert list(zip(carried.worker, carried.start, carried.end, strict=True)) == expected


@pytest.mark.parametrize("seen", [pytest.param(True, id="in a snapshot"), pytest.param(False, id="by its next item")])
def test_an_item_that_is_told_at_the_windows_first_moment_is_counted_once(seen, tmp_path):
    builder, stacks = late(tmp_path)
    builder.item(-1, 0, 300 * MS, 200, [("running", 300 * MS)])
    builder.rows["work_items"][-1]["dequeue"] = -2 * MS
    builder.item(-1, 300 * MS, 600 * MS, 200, [("running", 300 * MS)])
    if seen:
        stacks.snapshot(200, 5 * MS, stacks.stack(*INSIDE))
    capture = builder.write()
    assert find_carried(capture, load_items(capture)).worker.tolist() == []
    assert attribute(capture).pool.busy.value.max() == 1


@pytest.mark.parametrize(
    ("born", "stands"),
    [
        pytest.param(4 * MS, True, id="between the two streams: it took its item unseen"),
        pytest.param(12 * MS, False, id="within both: its item would have been seen"),
    ],
)
def test_a_worker_that_is_born_before_the_runtime_stream_begins_is_older_than_the_capture(born, stands, tmp_path):
    builder, stacks = late(tmp_path)
    builder.rows["streams"][0]["start"] = 10 * MS
    builder.born[200] = born
    stacks.snapshot(200, 15 * MS, stacks.stack(*INSIDE))
    assert standing_workers(builder.write()).tolist() == ([200] if stands else [])


def test_a_later_snapshot_tells_nothing_of_the_start(tmp_path):
    builder, stacks = late(tmp_path)
    stacks.snapshot(200, 500 * MS, stacks.stack(*INSIDE))
    stacks.snapshot(200, 5 * MS, stacks.stack(*PARKED))
    assert standing_workers(builder.write()).tolist() == []


def test_a_program_that_we_launched_carries_nothing(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH)
    stacks = Stacks(builder)
    stacks.snapshot(200, 5 * MS, stacks.stack(*INSIDE))
    capture = builder.write()
    assert len(find_carried(capture, load_items(capture)).worker) == 0


@pytest.mark.parametrize(
    ("pid", "name", "known"),
    [(100, ".NET TP Worker", True), (101, ".NET TP Worker", False), (100, ".NET TP Gate", False)],
)
def test_the_kernel_s_name_of_a_thread_makes_it_a_worker(pid, name, known, tmp_path):
    builder, _ = late(tmp_path)
    builder.item(MS, 2 * MS, 3 * MS, 200, [("running", MS)])
    builder.thread(200, 100, ".NET TP Worker").thread(300, pid, name)
    workers = builder.write().table("workers")
    assert workers["tid"].tolist() == ([200, 300] if known else [200]), "each once"


@pytest.fixture
def starved(tmp_path):
    """Builds four workers that poll for ever, 30 queued items that only the runtime's counters show, and no event of
    the pool."""
    builder, stacks = late(tmp_path, limits=(4, 32767))
    inside = stacks.stack(*INSIDE)
    for tid in range(200, 204):
        builder.thread(tid, 100, ".NET TP Worker")
        builder.state(tid, 0, LENGTH, "blocked")
        for time in range(5 * MS, LENGTH, 200 * MS):
            stacks.snapshot(tid, time, inside)
    for at in range(20):
        queued = 30 if at < 10 else 40
        row = {"time": at * 500 * MS, "since": (at - 1) * 500 * MS, "queue_length": queued, "completed": 0}
        builder.rows["pool_counters"].append(row | {"threads": 4, "compiling": 0})
    return builder.write()


class TestNoItemEverTaken:
    def test_what_waits_is_what_the_counters_tell_from_below(self, starved):
        items = attribute(starved).items
        assert items.count == 40 and not items.started.any() and items.censored.all()
        assert np.bincount(items.censored_start).tolist() == [10, 30]
        assert sorted(set(items.wait // MS)) == [5000, 10_000]

    def test_the_workers_hold_their_threads_all_the_time(self, starved):
        attribution = attribute(starved)
        assert attribution.carried == 4
        assert attribution.pool.busy.integral(0, LENGTH) == pytest.approx(4 * LENGTH)

    def test_the_verdict_says_at_least_and_blame_names_the_method(self, starved):
        analysis = analyse(starved)
        assert (analysis.verdict.id, analysis.verdict.confidence) == ("injection-delay", "medium")
        assert analysis.verdict.text.startswith(
            "40 work items started at least 8.75 s late on average because the pool"
        )
        (incident,) = analysis.to_json()["incidents"]
        assert (incident["late"], incident["matters"], incident["at_least"]) == (40, True, True)
        (row,) = analysis.blame.rows
        assert (row.method, row.kind, row.thread_s) == ("App.Poll", "sleep", pytest.approx(40.0, rel=0.03))


def test_readings_of_the_counters_that_the_events_tell_of_add_nothing(tmp_path):
    builder, _ = late(tmp_path)
    builder.item(100 * MS, 4000 * MS, 4001 * MS, 200, [("running", MS)])
    builder.item(200 * MS, 4001 * MS, 4002 * MS, 200, [("running", MS)])
    for time, queued in ((0, 0), (500, 2), (3999, 2), (5000, 0), (9999, 1)):
        builder.rows["pool_counters"].append({"time": time * MS, "since": 0, "queue_length": queued, "completed": 0})
    table = builder.write().table("work_items")
    assert table["enqueue"].tolist() == [BASE + 100 * MS, BASE + 200 * MS], "one more may be a matter of moments"


def test_a_worker_that_took_its_newest_item_at_once_held_no_thread_before(tmp_path):
    """The second item had waited, but it was not its worker's first."""
    builder = CaptureBuilder(tmp_path, length=1000 * MS, launched=False)
    builder.item(100 * MS, 100 * MS, 200 * MS, 200, [("running", 100 * MS)])
    builder.item(10 * MS, 200 * MS, 300 * MS, 200, [("running", 100 * MS)])
    builder.item(10 * MS, 200 * MS, 300 * MS, 201, [("running", 100 * MS)])
    capture = builder.write()
    assert find_carried(capture, load_items(capture)).worker.tolist() == [201]


def test_who_takes_an_item_in_the_first_nanosecond_was_in_none_before_and_in_the_second_one_was(tmp_path):
    """Both items had been queued before the recording."""
    builder, _ = late(tmp_path)
    builder.item(-1, 0, MS, 200, [("running", MS)]).item(-1, 1, MS, 201, [("running", MS - 1)])
    capture = builder.write()
    carried = find_carried(capture, load_items(capture))
    assert (carried.worker.tolist(), carried.end.tolist()) == ([201], [1])


@pytest.mark.parametrize("parked", [True, False])
def test_a_worker_that_was_seen_parked_comes_from_no_item_however_late_it_takes_its_first(parked, tmp_path):
    """The worker was woken for a burst and waits for a core. It parked before the capture, so no event shows that."""
    builder, stacks = late(tmp_path)
    builder.item(1000 * MS, 1300 * MS, 1400 * MS, 200, [("running", 100 * MS)])
    if parked:
        stacks.snapshot(200, 150 * MS, stacks.stack(*PARKED))
    capture = builder.write()
    assert find_carried(capture, load_items(capture)).worker.tolist() == ([] if parked else [200])


@pytest.mark.parametrize(
    ("readings", "waits"),
    [
        pytest.param({0: 0, 500: 0, 1000: 0}, [0, 0, 0], id="the queue was empty until just before"),
        pytest.param({0: 3, 500: 3, 1000: 3}, [1200, 1201, 1202], id="all were queued before"),
        pytest.param(
            {0: 1, 500: 1, 1000: 3}, [1200, 201, 202], id="the first was, the others came between two readings"
        ),
        pytest.param({0: 3, 500: 0, 1000: 3}, [200, 201, 202], id="other items had been there before"),
        pytest.param({}, [1200, 1201, 1202], id="nobody counted"),
    ],
)
def test_an_unseen_enqueue_is_no_older_than_the_counters_tell(readings, waits, tmp_path):
    """The runtime logs enqueues from a worker's next dispatch on. A process with nothing to do was not starved since
    the attach."""
    builder = CaptureBuilder(tmp_path, length=2000 * MS, launched=False)
    for number in range(3):
        at = (1200 + number) * MS
        builder.item(-1, at, at + MS, 200, [("running", MS)])
    for time, queued in readings.items():
        builder.rows["pool_counters"].append({"time": time * MS, "since": 0, "queue_length": queued, "completed": 0})
    items = attribute(builder.write()).items
    assert (items.wait // MS).tolist() == waits
    assert items.censored_start.all()
