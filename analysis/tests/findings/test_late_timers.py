"""Timers that fired late because their callbacks waited for a thread, and timers that were late or early for other
reasons."""

import pytest
from poolscope.capture import open_capture
from poolscope.measures.timers import measure_timers
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

QUEUE = 7
"""Work id of the item that runs all timers of a queue."""


def starved(folder, length=12_000 * MS):
    """Builds two threads that sleep for 10 s, three more items, and behind them, as row 5, the item that runs the
    timers."""
    builder = CaptureBuilder(folder, length=length, limits=(2, 32767))
    for i in range(2):
        builder.item(0, MS // 10, 10_000 * MS, 200 + i, [("blocked", 9_999 * MS)])
    for i in range(3):
        start = (2000 + 1000 * i) * MS
        builder.change(start, 3 + i)
        builder.item(MS, start, 10_000 * MS, 202 + i, [("blocked", 10_000 * MS - start)])
    builder.change(6000 * MS, 6)
    return builder.item(1000 * MS, 6000 * MS, 6010 * MS, 205, [("running", 10 * MS)], work_id=QUEUE)


def idle(folder):
    """Builds a pool that starts each of twenty items at once: rows 0 to 19, one every 100 ms."""
    builder = CaptureBuilder(folder, length=2_100 * MS)
    for i in range(20):
        begin = i * 100 * MS
        builder.item(begin, begin + MS // 10, begin + 2 * MS, 200, [("running", MS)], work_id=QUEUE)
    return builder


def finding(analysis):
    return next((f for f in analysis.findings if f.id == "late-timers"), None)


def status(analysis):
    return {r.id: r.status for r in analysis.rules}["late-timers"]


@pytest.mark.fires("late-timers")
def test_a_timer_behind_blocked_threads_is_late_and_the_cause_stays_the_verdict(tmp_path):
    analysis = analyse(starved(tmp_path).timer(1000 * MS, 6001 * MS, item=5).write())
    late = finding(analysis)
    assert analysis.verdict.id == "injection-delay"
    assert late.severity == "high"
    assert late.number == "the one timer callback 5 s late"
    assert late.item_seconds == pytest.approx(5.0, rel=0.001)
    assert late.evidence[0].startswith("over 99 % of that lateness")
    assert "set to 1 s, due 1 s into the capture, and ran 5 s after that" in late.evidence[1]


def test_even_where_nearly_all_that_waited_were_timers_they_are_not_the_reason(tmp_path):
    builder = starved(tmp_path)
    for i in range(100):
        builder.timer(1000 * MS, 6001 * MS + i * MS // 20, item=5, timer_id=i)
    analysis = analyse(builder.write())
    costliest = max(analysis.findings, key=lambda f: f.item_seconds)
    assert costliest.id == "late-timers"
    assert analysis.verdict.id == "injection-delay"
    assert analysis.findings[0].id == "injection-delay"


@pytest.mark.quiet("late-timers")
def test_timers_on_a_pool_with_threads_to_spare_are_not_late(tmp_path):
    builder = idle(tmp_path)
    for i in range(20):
        # The runtime's clock counts in ticks, so some timers fire up to 4 ms early and some late.
        builder.timer((i * 100 + (2 if i % 2 else -3)) * MS, i * 100 * MS + MS // 5, item=i, due_in=100, period=100)
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "healthy"
    assert status(analysis) == "passed"


def test_a_timer_that_was_late_before_its_item_was_queued_did_not_wait_for_a_thread(tmp_path):
    builder = starved(tmp_path).item(8000 * MS, 8000 * MS + MS, 8005 * MS, 205, [("running", 4 * MS)], work_id=QUEUE)
    analysis = analyse(builder.timer(3000 * MS, 8002 * MS, item=6).write())
    assert status(analysis) == "passed"


@pytest.mark.parametrize("due_in, expected", [(1_000, "fired"), (8_000, "passed"), (3_600_000, "passed")])
def test_late_is_measured_by_what_the_timer_was_set_to(tmp_path, due_in, expected):
    # 700 ms late: beyond a tenth of a second, but below a tenth of 8 s.
    assert status(analyse(starved(tmp_path).timer(5301 * MS, 6001 * MS, item=5, due_in=due_in).write())) == expected


@pytest.mark.parametrize("late, expected", [(99, "passed"), (101, "fired")])
def test_a_tenth_of_a_second_is_late_for_a_short_timer_and_less_is_the_machine(tmp_path, late, expected):
    builder = starved(tmp_path)
    for n in range(20):  # enough of them for their cost to be worth a finding
        builder.timer((6001 - late) * MS, 6001 * MS, item=5, due_in=100, timer_id=50 + n)
    assert status(analyse(builder.write())) == expected


def test_a_second_is_late_for_a_timer_of_an_hour_too(tmp_path):
    analysis = analyse(starved(tmp_path).timer(4000 * MS, 6001 * MS, item=5, due_in=3_600_000).write())
    assert status(analysis) == "fired"


def test_of_a_callback_with_its_own_item_the_wait_of_the_one_that_queued_it_counts_too(tmp_path):
    builder = starved(tmp_path)
    builder.item(6001 * MS, 6501 * MS, 6510 * MS, 205, [("running", 9 * MS)], work_id=42, parent=5)
    builder.item(6001 * MS, 6600 * MS, 6610 * MS, 205, [("running", 9 * MS)], work_id=43, parent=5)
    builder.timer(3000 * MS, 6502 * MS, item=6, timer_id=42)
    builder.timer(3000 * MS, 6602 * MS, item=7, timer_id=99)  # an item of another object: no event shows what queued it
    measured = measure_timers(builder.write())
    assert list(measured.late / MS) == [3502, 3602]
    assert list(measured.waited / MS) == [3000 + 500, 599]


def test_what_waited_before_the_timer_was_due_made_it_no_later(tmp_path):
    measured = measure_timers(starved(tmp_path).timer(5990 * MS, 6000 * MS, item=5).write())
    assert (measured.late[0] / MS, measured.waited[0] / MS) == (10, 10)


def test_an_early_callback_is_late_by_nothing(tmp_path):
    measured = measure_timers(idle(tmp_path).timer(104 * MS, 100 * MS + MS // 2, item=1).write())
    assert (measured.late[0], measured.waited[0]) == (0, 0)


def test_timers_from_before_the_capture_are_counted_and_not_judged(tmp_path):
    builder = starved(tmp_path).timer(1000 * MS, 6001 * MS, item=5).timer(0, 6002 * MS, item=5, known=False)
    late = finding(analyse(builder.write()))
    assert late.number == "the one timer callback 5 s late"
    assert "when 1 more callback was due" in late.evidence[-1]


def test_with_such_timers_alone_it_is_not_applicable(tmp_path):
    analysis = analyse(starved(tmp_path).timer(0, 6002 * MS, item=5, known=False).write())
    assert status(analysis) == "not-applicable"


def test_without_timers_or_their_table_it_is_not_applicable(tmp_path):
    assert status(analyse(starved(tmp_path).write())) == "not-applicable"
    (tmp_path / "tables" / "timers.npz").unlink()
    assert status(analyse(open_capture(tmp_path))) == "not-applicable"
