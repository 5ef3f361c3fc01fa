"""The rows of each table that belong to a part, and the treatment of rows that reach beyond it."""

import numpy as np
import pytest
from poolscope.base.sketch import EMPTY
from poolscope.capture import load_schema
from poolscope.capture.in_pieces import CutCapture
from poolscope.capture.part import Part, Recorded, is_cut
from poolscope.capture.schema import enum
from synthetic import BASE, MS, CaptureBuilder

FROM, UNTIL, END = 1000 * MS, 2000 * MS, 3000 * MS
WHOLE = (
    "streams",
    "pool_limits",
    "stacks",
    "frames",
    "sockets",
    "losses",
    "item_parts",
    "request_parts",
    "event_counts",
)
"""Tables that cover the whole recording or that no capture has."""


def part_of(builder):
    recorded = Recorded(BASE, BASE + END, EMPTY, 0, 0, None)
    return CutCapture(builder.write(), Part(BASE + FROM, BASE + UNTIL, True, None, recorded))


@pytest.fixture
def builder(tmp_path):
    return CaptureBuilder(tmp_path / "capture", length=END)


def test_every_table_has_a_rule():
    """A new table with times needs a rule for a part."""
    assert {name for name in load_schema().tables if not is_cut(name)} == set(WHOLE)


def times(frame, *columns):
    return [
        tuple((t - BASE) // MS if t >= 0 else -1 for t in row) for row in frame[list(columns)].itertuples(index=False)
    ]


def test_items(builder):
    for enqueue, dequeue, end in (
        (100, 200, 300),  # over before the part
        (400, 500, 1500),  # runs as the part begins
        (600, 1500, 1600),  # queued before the part
        (1100, 1600, 1700),
        (1200, 1800, 2500),  # runs beyond the part
        (1300, 2500, 2600),  # queued at the end of the part
        (700, -1, -1),  # queued before, during and after
        (2100, 2600, 2700),  # after the part
    ):
        ns = [t * MS if t >= 0 else -1 for t in (enqueue, dequeue, end)]
        builder.item(*ns, worker=200 + enqueue if dequeue >= 0 else -1)
    capture = part_of(builder)
    items = capture.table("work_items")
    assert sorted(times(items, "enqueue", "dequeue", "end")) == [
        (-1, -1, -1),
        (-1, 1500, 1600),
        (1100, 1600, 1700),
        (1200, 1800, -1),
        (1300, -1, -1),
    ]
    assert items["id"].tolist() == list(range(5))
    running = capture.running_before
    assert running.worker.tolist() == [600] and (running.end - BASE).tolist() == [1500 * MS]


def test_references_to_items_follow_them_or_are_lost(builder):
    builder.item(100 * MS, 200 * MS, 300 * MS, 200)
    builder.item(1100 * MS, 1200 * MS, 1900 * MS, 201)
    builder.item(1300 * MS, 1400 * MS, 1500 * MS, 202, parent=1)
    builder.item(1600 * MS, 1700 * MS, 1800 * MS, 203, parent=0)
    builder.timer(1400 * MS, 1410 * MS, item=2)
    capture = part_of(builder)
    assert capture.table("work_items")["parent"].tolist() == [-1, 0, -1]
    assert capture.table("timers")["item"].tolist() == [1]


def test_states_begin_and_end_with_the_part(builder):
    for tid, start, end in ((1, 0, 900), (2, 500, 1500), (3, 500, 2500), (4, 1200, 1300), (5, 2100, 2200)):
        builder.state(tid, start * MS, end * MS, "blocked")
    states = part_of(builder).table("thread_states")
    assert states["tid"].tolist() == [2, 3, 4]
    assert times(states, "start", "end") == [(1000, 1500), (1000, 2000), (1200, 1300)]


def test_the_goal_is_known_from_the_beginning_and_is_no_act_of_the_pool(builder):
    for at, goal in ((100, 3), (900, 7), (1500, 8), (2500, 9)):
        builder.change(at * MS, goal)
    changes = part_of(builder).table("pool_changes")
    assert times(changes, "time") == [(1000,), (1500,)] and changes["goal"].tolist() == [7, 8]
    starvation = enum("pool_changes", "reason", "Starvation")
    assert (changes["reason"] == starvation).tolist() == [False, True]


@pytest.mark.parametrize(
    ("looks", "cores"),
    [
        ([(0, 4), (900, 2), (1500, 1)], [2, 1]),
        ([(1500, 1)], [1, 1]),
        ([(900, 4), (1000, 2)], [2]),
        ([(1000, 2), (1100, 1)], [2, 1]),
    ],
)
def test_the_cores_are_known_from_the_beginning(builder, looks, cores):
    for at, count in looks:
        builder.cores(at * MS, count)
    table = part_of(builder).table("capacity")
    assert table["cores"].tolist() == cores and times(table, "time")[0] == (1000,)


def test_requests_and_calls_of_the_part_that_ended_later_are_open(builder):
    for start, left in ((500, 1500), (1100, 1200), (1300, 2500), (2100, 2200)):
        builder.request(start * MS, tid=1, left=left * MS, left_tid=1)
        builder.call(start * MS, left * MS)
    capture = part_of(builder)
    requests, calls = capture.table("requests"), capture.table("calls")
    assert times(requests, "start", "end") == times(calls, "start", "end") == [(1100, 1200), (1300, -1)]
    assert requests["end_tid"].tolist() == calls["end_tid"].tolist() == [1, -1]
    assert calls["status"].tolist() == [200, -1]
    assert (calls["outcome"] == enum("calls", "outcome", "open")).tolist() == [False, True]


def test_activities_that_began_before_are_those_of_a_late_recording(builder):
    for start, end in ((500, 700), (500, 1500), (500, 2500), (1100, 2500), (600, -1)):
        builder.activity(start * MS, end * MS if end >= 0 else -1)
    activities = part_of(builder).table("activities")
    assert sorted(times(activities, "start", "end")) == [(-1, 1500), (1100, -1)]
    assert activities["id"].tolist() == [0, 1]


def test_awaits_are_those_of_the_part_and_blocked_threads_all(builder):
    for start, behavior in ((500, "synchronous"), (600, "asynchronous"), (1500, "asynchronous")):
        builder.task_wait(start, start * MS, behavior=behavior)
    assert part_of(builder).table("task_waits")["tid"].tolist() == [500, 1500]


def test_streams_cover_the_part_and_losses_stay(builder):
    builder.item(1100 * MS, 1200 * MS, 1300 * MS, 200)
    builder.loss(100 * MS, 200 * MS, 5)
    capture = part_of(builder)
    assert capture.window == (BASE + FROM, BASE + UNTIL)
    assert set(times(capture.table("streams"), "start", "end")) == {(1000, 2000)}
    assert len(capture.table("losses")) == 1


def test_a_part_without_rows_has_the_columns(builder):
    builder.item(100 * MS, 200 * MS, 300 * MS, 200)
    table = part_of(builder).table("work_items")
    assert len(table) == 0
    assert table.dtypes.map(np.dtype).tolist() == [c.dtype for c in load_schema().tables["work_items"].columns]
