"""Losses with a time range: the items they touch, and the floors above which the analysis gives no verdict."""

import pytest
from poolscope.coverage.gaps import find_losses
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def blocked_at_cap(folder, count=200):
    """Builds items of 10 ms, all queued at once, that run one after the other on one thread: the last one waits for 2
    s."""
    builder = CaptureBuilder(folder, length=3000 * MS, limits=(1, 1))
    for i in range(count):
        start = i * 10 * MS
        builder.item(0, start, start + 10 * MS, 200, [("blocked", 9 * MS), ("running", MS)])
    return builder


def test_an_item_is_touched_where_any_gap_meets_its_life(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    for enqueue, dequeue, end in [(0, 10, 20), (30, 90, 100), (100, 110, 200), (300, 300, 310), (500, 510, 520)]:
        builder.item(enqueue * MS, dequeue * MS, end * MS, 200, [("running", (end - dequeue) * MS)])
    builder.loss(40 * MS, 50 * MS, 3).loss(45 * MS, 60 * MS, 2).loss(510 * MS, 515 * MS, 1)
    analysis = analyse(builder.write())
    (loss,) = find_losses(analysis.capture, analysis.attribution.items)
    assert (loss.stream, loss.what, loss.count, loss.gaps, loss.items) == (
        "runtime.nettrace",
        "eventpipe_lost",
        6,
        3,
        2,
    )
    assert (loss.first_s, loss.last_s) == (0.04, 0.515)
    assert loss.length_s == pytest.approx(0.025)
    assert loss.wait_share == pytest.approx(70 / 90)


def test_a_gap_that_nothing_bounds_may_be_anywhere(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS).item(0, 10 * MS, 20 * MS, 200, [("running", 10 * MS)])
    builder.loss(-1, -1, -1, what="cut")
    analysis = analyse(builder.write())
    (loss,) = find_losses(analysis.capture, analysis.attribution.items)
    assert (loss.count, loss.items, loss.first_s, loss.last_s) == (None, 1, 0.0, 1.0)


@pytest.mark.parametrize(
    ("start", "end", "count", "verdict"),
    [
        (0, 1, 0, "blocked-at-cap"),
        (100, 200, 3, "blocked-at-cap"),  # under both floors
        (100, 200, 9, "cannot-tell"),  # few among 10,000 events, but 9 among the 391 of items that waited
        (2500, 2600, 9, "blocked-at-cap"),  # no item lived then
        (2500, 2600, 12, "cannot-tell"),  # over a thousandth of all events
    ],
)
def test_the_floors(tmp_path, start, end, count, verdict):
    builder = blocked_at_cap(tmp_path)
    if count:
        builder.loss(start * MS, end * MS, count)
    analysis = analyse(builder.write())
    assert analysis.verdict.id == verdict
    if verdict == "cannot-tell":
        assert f"from {start / 1000:.3f} s to {end / 1000:.3f} s" in analysis.verdict.text
        assert "--buffersize" in analysis.verdict.text
        # The analysis offers no other cause.
        assert [f.id for f in analysis.findings] == ["coverage-low"]
        assert {r.id: r.status for r in analysis.rules}["injection-delay"] == "not-applicable"
    elif count:
        assert analysis.verdict.confidence != "high"
        assert any(f"from {start / 1000:.3f} s" in reason for reason in analysis.verdict.reasons)


def test_over_the_scheduler_floor_the_rings_are_named(tmp_path):
    builder = blocked_at_cap(tmp_path).loss(100 * MS, 200 * MS, 500, "sched.perf.data", "perf_lost")
    verdict = analyse(builder.write()).verdict
    assert verdict.id == "cannot-tell"
    assert "from 0.100 s to 0.200 s" in verdict.text and "POOLSCOPE_RING_BYTES" in verdict.text


def test_scheduler_events_lost_when_no_item_lived_forbid_nothing(tmp_path):
    builder = blocked_at_cap(tmp_path).loss(2500 * MS, 2600 * MS, 500, "sched.perf.data", "perf_lost")
    verdict = analyse(builder.write()).verdict
    assert verdict.id == "blocked-at-cap"
    assert any("500 of" in reason for reason in verdict.reasons), "but it is said"


@pytest.mark.parametrize(
    ("stream", "what", "count", "says"),
    [
        ("waits.nettrace", "eventpipe_lost", 5000, "waits.nettrace lost 5,000 events"),
        ("sched.perf.data", "throttled", -1, "took no CPU samples"),
    ],
)
def test_what_the_verdict_does_not_rest_on_is_said_and_forbids_nothing(tmp_path, stream, what, count, says):
    analysis = analyse(blocked_at_cap(tmp_path).loss(100 * MS, 200 * MS, count, stream, what).write())
    assert analysis.verdict.id == "blocked-at-cap"
    assert any(says in reason for reason in analysis.verdict.reasons)
    (loss,) = analysis.to_json()["coverage"]["losses"]
    assert (loss["stream"], loss["what"], loss["items"]) == (stream, what, 191)
