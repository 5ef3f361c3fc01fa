"""The time of activities, followed back from their ends, exact to the nanosecond."""

import numpy as np
from poolscope.attribution import attribute
from poolscope.measures.activities import ACTIVITY_PARTS, measure_activities
from synthetic import MS, CaptureBuilder

WORKER, OTHER, OWN = 200, 201, 300


def builder(folder, **more):
    return CaptureBuilder(folder, length=1000 * MS, **more)


def measured(made):
    capture = made.write()
    activities = measure_activities(capture, attribute(capture))
    assert tuple(activities.part) == ACTIVITY_PARTS
    assert np.array_equal(sum(activities.part.values()), activities.duration[activities.whole])
    assert all((part >= 0).all() for part in activities.part.values())
    if activities.cause:
        assert np.array_equal(sum(activities.cause.values()), activities.part["queued"])
    return activities


def parts(activities, row=0):
    """Returns the parts in ms that are not 0."""
    return {name: int(part[row]) / MS for name, part in activities.part.items() if part[row]}


def test_a_capture_without_activities_has_none(tmp_path):
    capture = builder(tmp_path).item(0, MS, 2 * MS, WORKER, [("running", MS)]).write()
    assert not capture.has("activities")
    assert measure_activities(capture, attribute(capture)) is None


def test_within_one_item_it_is_what_its_thread_did(tmp_path):
    states = [("running", 10 * MS), ("ready", 5 * MS), ("blocked", 20 * MS), ("running", 65 * MS)]
    made = builder(tmp_path).item(0, 0, 100 * MS, WORKER, states)
    activities = measured(made.activity(4 * MS, 50 * MS, WORKER))
    assert parts(activities) == {"cpu": 6 + 15, "ready": 5, "blocked": 20}
    assert activities.item.tolist() == activities.end_item.tolist() == [0]


def test_from_item_to_item_the_queue_is_told(tmp_path):
    first = builder(tmp_path).item(0, 0, 30 * MS, WORKER, [("running", 30 * MS)])
    # It queues its continuation at 20 ms; a worker takes that at 50 ms.
    both = first.item(20 * MS, 50 * MS, 90 * MS, OTHER, [("running", 40 * MS)], enqueue_tid=WORKER)
    activities = measured(both.activity(5 * MS, 60 * MS, WORKER, OTHER, left=21 * MS))
    assert parts(activities) == {"cpu": 15 + 10, "queued": 30}
    assert (activities.item[0], activities.end_item[0]) == (0, 1)


def test_a_delay_ends_with_a_timer(tmp_path):
    first = builder(tmp_path).thread(7, 100, ".NET Timer").item(0, 0, 10 * MS, WORKER, [("running", 10 * MS)])
    both = first.item(70 * MS, 72 * MS, 90 * MS, OTHER, [("running", 18 * MS)], enqueue_tid=7)
    activities = measured(both.activity(4 * MS, 80 * MS, WORKER, OTHER))
    assert parts(activities) == {"cpu": 6 + 8, "queued": 2, "timer": 60}


def test_what_its_thread_did_after_leaving_it_is_not_its_own(tmp_path):
    first = builder(tmp_path).item(0, 0, 50 * MS, WORKER, [("running", 50 * MS)])
    both = first.item(70 * MS, 72 * MS, 90 * MS, OTHER, [("running", 18 * MS)], enqueue_tid=7)
    activities = measured(both.activity(4 * MS, 80 * MS, WORKER, OTHER, left=10 * MS))
    assert parts(activities) == {"cpu": 6 + 8, "queued": 2, "thread": 60}


def test_a_thread_outside_the_pool_is_told_where_it_was_never_left(tmp_path):
    made = builder(tmp_path).item(0, 0, MS, WORKER, [("running", MS)])
    made.state(OWN, 0, 40 * MS, "running").state(OWN, 40 * MS, 90 * MS, "blocked")
    activities = measured(made.activity(30 * MS, 80 * MS, OWN).activity(35 * MS, 50 * MS, OWN))
    assert parts(activities, 0) == {"cpu": 10, "blocked": 40}
    assert parts(activities, 1) == {"cpu": 5, "blocked": 10}
    assert activities.item.tolist() == [-1, -1]


def test_a_thread_outside_the_pool_is_told_up_to_where_it_was_left(tmp_path):
    made = builder(tmp_path).item(0, 0, MS, WORKER, [("running", MS)])
    made.state(OWN, 0, 90 * MS, "running")
    made.activity(30 * MS, 80 * MS, OWN, left=40 * MS).activity(31 * MS, 80 * MS, OWN, OTHER, left=40 * MS)
    # If no event shows how long the time was the activity's own, none of it is attributed.
    activities = measured(made.activity(32 * MS, 80 * MS, OWN, OTHER))
    assert [parts(activities, row) for row in range(3)] == [
        {"cpu": 10, "other": 40},
        {"cpu": 9, "other": 40},
        {"other": 48},
    ]


def test_from_a_thread_outside_the_pool_into_the_pool(tmp_path):
    made = builder(tmp_path).item(40 * MS, 45 * MS, 90 * MS, WORKER, [("running", 45 * MS)], enqueue_tid=OWN)
    made.state(OWN, 0, 90 * MS, "running")
    activities = measured(made.activity(30 * MS, 60 * MS, OWN, WORKER, left=38 * MS))
    assert parts(activities) == {"cpu": 8 + 15, "thread": 2, "queued": 5}


def test_an_answer_of_a_service_is_told_by_its_bytes(tmp_path):
    first = builder(tmp_path).item(0, 0, 20 * MS, WORKER, [("running", 20 * MS)])
    first.connection(
        (10 * MS, "sent", 10, WORKER), (60 * MS, "arrived", 10), (72 * MS, "read", 10, OTHER), role="connected"
    )
    both = first.item(61 * MS, 70 * MS, 90 * MS, OTHER, [("running", 20 * MS)], enqueue_tid=7)
    activities = measured(both.activity(4 * MS, 80 * MS, WORKER, OTHER))
    assert parts(activities) == {"cpu": 6 + 2 + 8, "services": 50, "queued": 9, "other": 1}


def test_without_a_kernel_stream_the_queue_is_told_and_what_items_did_is_not(tmp_path):
    first = builder(tmp_path, kernel=False).item(0, 0, 30 * MS, WORKER)
    both = first.item(20 * MS, 50 * MS, 90 * MS, OTHER, enqueue_tid=WORKER)
    activities = measured(both.activity(5 * MS, 60 * MS, WORKER, OTHER))
    assert parts(activities) == {"unseen": 15 + 10, "queued": 30}
    assert activities.cause == {}


def test_ends_that_were_not_seen_make_lower_bounds_or_nothing(tmp_path):
    made = builder(tmp_path).item(0, 0, 100 * MS, WORKER, [("running", 100 * MS)])
    made.activity(-1, 20 * MS, WORKER).activity(30 * MS, -1, WORKER).activity(40 * MS, 50 * MS, WORKER)
    activities = measured(made)
    assert activities.carried.tolist() == [True, False, False] and activities.open.tolist() == [False, True, False]
    assert activities.duration.tolist() == [-1, 970 * MS, 10 * MS]
    assert activities.whole.tolist() == [2]


def test_a_program_without_work_items_has_activities_all_the_same(tmp_path):
    made = builder(tmp_path).state(OWN, 0, 90 * MS, "running")
    assert parts(measured(made.activity(30 * MS, 80 * MS, OWN))) == {"cpu": 50}


def test_many_at_once_are_told_apart(tmp_path):
    made = builder(tmp_path)
    for n in range(40):
        at = 20 * n * MS
        made.item(at, at + MS, at + 5 * MS, WORKER, [("running", 4 * MS)])
        made.item(at + 4 * MS, at + (6 + n % 3) * MS, at + 15 * MS, OTHER, [("blocked", (9 - n % 3) * MS)], WORKER)
        made.activity(at + 2 * MS, at + 10 * MS, WORKER, OTHER, name=f"pack {n}")
    activities = measured(made)
    queued = np.array([2 + n % 3 for n in range(40)])
    assert (activities.part["cpu"] == 2 * MS).all()
    assert np.array_equal(activities.part["queued"], queued * MS)
    assert np.array_equal(activities.part["blocked"], (6 - queued) * MS)


def test_what_was_told_before_the_window_has_no_length_in_it(tmp_path):
    made = builder(tmp_path).item(20 * MS, 20 * MS, 100 * MS, WORKER, [("running", 80 * MS)])
    made.rows["streams"][0]["start"] = 10 * MS
    made.activity(2 * MS, 6 * MS, WORKER).activity(4 * MS, 30 * MS, WORKER).activity(40 * MS, 50 * MS, WORKER)
    activities = measured(made)
    assert activities.id.tolist() == [1, 2], "what had ended before has no row"
    assert activities.carried.tolist() == [True, False]
    assert activities.end.tolist() == [20 * MS, 40 * MS]
    assert activities.duration[activities.whole].tolist() == [10 * MS]
