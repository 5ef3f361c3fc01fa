"""Requests that arrived while the socket engine, or a queue behind it, waited for a thread."""

import numpy as np
import pytest
from causal import causal
from synthetic import MS, CaptureBuilder

SOCKETS = 150
ENGINE, CONNECTION = 7, 8


@pytest.fixture
def builder(tmp_path):
    made = CaptureBuilder(tmp_path, length=2000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    for k in range(3):  # earlier items of the same two objects, which start at once
        made.item((k + 1) * MS, (k + 1) * MS, (k + 1) * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
        made.item((k + 5) * MS, (k + 5) * MS, (k + 5) * MS + 1000, 199, work_id=CONNECTION)
    return made


def engine(builder, enqueue, dequeue, enqueue_tid=SOCKETS, work_id=ENGINE, worker=200):
    """Adds one item of 10 ms, as row 6."""
    return builder.item(
        enqueue * MS,
        dequeue * MS,
        (dequeue + 10) * MS,
        worker,
        [("running", 10 * MS)],
        enqueue_tid=enqueue_tid,
        work_id=work_id,
    )


def requests(builder, at, by, count, tid=200):
    for k in range(count):
        start = at * MS + k * 1000
        builder.item(start, start, start + MS, 210 + k, [("running", MS)], enqueue_tid=tid, parent=by, work_id=100 + k)


def came(found, first):
    return (found.causes.not_before / MS)[first:].tolist()


def test_what_the_engine_hands_on_had_come_while_it_waited(builder):
    engine(builder, 100, 600)
    requests(builder, 605, by=6, count=20)
    times = came(causal(builder), 7)
    assert times[0] == 100, "the first one is why the engine was queued"
    assert times == sorted(times), "in the order in which it handed them on"
    assert 100 < times[1] and times[-1] < 600
    assert np.mean(times) == pytest.approx(350, abs=100), "at any moment of its wait"


def test_each_arrives_by_itself_where_the_engine_runs_at_once(builder):
    engine(builder, 100, 600)
    requests(builder, 605, by=6, count=20)
    found = causal(builder)
    program = found.workload.program
    handed = program.value[program.first[6] : program.first[7]][program.op[program.first[6] : program.first[7]] == 6]
    assert (handed / MS).tolist() == came(found, 7)


def test_a_queue_behind_the_engine_has_gathered_since_the_engine_waited(builder):
    engine(builder, 100, 300)
    engine(builder, 305, 600, enqueue_tid=200, work_id=CONNECTION, worker=201)
    builder.rows["work_items"][-1]["parent"] = 6
    requests(builder, 605, by=7, count=10, tid=201)
    times = came(causal(builder), 8)
    assert times[0] == 100 and 300 < times[-1] < 600


def test_the_engine_that_queues_itself_gathers_anew(builder):
    engine(builder, 100, 300)
    engine(builder, 302, 600, enqueue_tid=200, worker=201)
    builder.rows["work_items"][-1]["parent"] = 6
    requests(builder, 605, by=7, count=10, tid=201)
    found = causal(builder)
    assert found.causes.not_before[7] == 0
    assert came(found, 8)[0] == 302


@pytest.mark.parametrize(("enqueue_tid", "work_id"), [(100, ENGINE), (SOCKETS, 99)])
def test_items_that_other_items_fan_out_are_their_doing(builder, enqueue_tid, work_id):
    """Another thread queued it, or it is an object that is queued only once, so the items it queues did not exist
    before."""
    engine(builder, 100, 600, enqueue_tid=enqueue_tid, work_id=work_id)
    requests(builder, 605, by=6, count=10)
    assert came(causal(builder), 7) == [0] * 10


def test_the_first_item_of_a_capture_may_be_the_engine(tmp_path):
    """The analysis follows a queue behind that engine like any other."""
    builder = CaptureBuilder(tmp_path, length=2000 * MS).thread(SOCKETS, 100, ".NET Sockets")
    engine(builder, 100, 300)
    engine(builder, 305, 600, enqueue_tid=200, work_id=CONNECTION, worker=201)
    builder.rows["work_items"][-1]["parent"] = 0
    requests(builder, 605, by=1, count=3, tid=201)
    for k in range(2):  # later items of the same two objects, which start at once
        builder.item((700 + k) * MS, (700 + k) * MS, (700 + k) * MS + 1000, 199, work_id=ENGINE, enqueue_tid=SOCKETS)
        builder.item((705 + k) * MS, (705 + k) * MS, (705 + k) * MS + 1000, 199, work_id=CONNECTION)
    times = came(causal(builder), 2)[:3]
    assert times[0] == 100 and times == sorted(times) and times[-1] < 600
