"""Grouping late items into incidents."""

import pytest
from poolscope.attribution import attribute
from poolscope.incidents import find_incidents, late_items
from synthetic import MS, CaptureBuilder

LENGTH = 20_000
"""Length of every window, ms."""


def items_of(folder, waits):
    """Builds items from `waits`: (enqueue, dequeue) in ms, each on a worker of its own. A dequeue of None: queued to
    the end."""
    builder = CaptureBuilder(folder, length=LENGTH * MS)
    for worker, (enqueue, dequeue) in enumerate(waits, start=200):
        if dequeue is None:
            builder.item(enqueue * MS)
        else:
            builder.item(enqueue * MS, dequeue * MS, (dequeue + 1) * MS, worker, [("running", MS)])
    return attribute(builder.write()).items


def found(folder, waits, limit_ms=50.0):
    """Returns (start ms, end ms, late items, items present) of each incident."""
    return [
        (i.start // MS, i.end // MS, len(i.late), i.items) for i in find_incidents(items_of(folder, waits), limit_ms)
    ]


@pytest.mark.parametrize(
    ("waits", "expected"),
    [
        pytest.param([], [], id="no items"),
        pytest.param([(0, 10), (100, 150)], [], id="at the limit is not late"),
        pytest.param([(0, 51)], [(0, 51, 1, 1)], id="1 ms beyond it is"),
        pytest.param([(0, 400), (300, 700)], [(0, 700, 2, 2)], id="overlap"),
        pytest.param([(0, 100), (1100, 1200)], [(0, 1200, 2, 2)], id="a second apart is one"),
        pytest.param([(0, 100), (1101, 1200)], [(0, 100, 1, 1), (1101, 1200, 1, 1)], id="more than a second is two"),
        # The gap is counted from the latest start so far, not from that of the item before.
        pytest.param([(0, 5000), (100, 200), (5900, 6000)], [(0, 6000, 3, 3)], id="the longest reaches farthest"),
        pytest.param([(0, None), (15_000, 15_100)], [(0, LENGTH, 2, 2)], id="never started: up to the end"),
        # Items present: those that came, waited or started meanwhile, late or not.
        pytest.param(
            [(0, 1), (400, 600), (450, 451), (599, 640), (700, 701)], [(400, 600, 1, 3)], id="the others are counted"
        ),
        pytest.param([(1000, 1200), (3000, 3300), (6000, 6400)], [(1000, 1200, 1, 1), (3000, 3300, 1, 1), (6000, 6400, 1, 1)],
                     id="in the order of time"),
    ],
)  # fmt: skip
def test_late_items_that_overlap_or_follow_within_a_second_are_one(waits, expected, tmp_path):
    assert found(tmp_path, waits) == expected


@pytest.mark.parametrize(("limit_ms", "late"), [(1.0, 3), (50.0, 2), (100.0, 2), (499.9, 1), (500.0, 0)])
def test_the_limit_decides_who_is_late(limit_ms, late, tmp_path):
    waits = [(0, 2), (0, 150), (0, 500)]
    assert int(late_items(items_of(tmp_path, waits), limit_ms).sum()) == late
    assert sum(n for *_, n, _ in found(tmp_path, waits, limit_ms)) == late


def test_a_wait_that_began_before_the_capture_counts_from_its_beginning(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH * MS, launched=False)
    builder.item(-1, 300 * MS, 301 * MS, 200, [("running", MS)])
    builder.item(100 * MS, 101 * MS, 102 * MS, 201, [("running", MS)])
    items = attribute(builder.write()).items
    (incident,) = find_incidents(items)
    assert (incident.start, incident.end) == (0, 300 * MS)
    assert items.censored_start[incident.late].tolist() == [True]


def test_nothing_is_counted_twice(tmp_path):
    waits = [(i * 37 % 1500 + 6000 * (i % 3), i * 37 % 1500 + 6000 * (i % 3) + i * 101 % 2000) for i in range(200)]
    items = items_of(tmp_path, waits)
    incidents = find_incidents(items)
    members = [int(i) for incident in incidents for i in incident.late]
    assert len(incidents) == 3 and sorted(members) == late_items(items).nonzero()[0].tolist()
    assert all(a.end + 1000 * MS < b.start for a, b in zip(incidents, incidents[1:]))
