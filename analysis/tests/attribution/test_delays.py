"""A delay that an item began ends at its set time after that begin, in every world. Times are ms."""

import numpy as np
import pytest
from causal import causal
from poolscope.base.series import Steps
from poolscope.replay import World, simulate
from poolscope.replay.policies import Allowed
from synthetic import MS, CaptureBuilder

FREE = World.constant(Allowed(Steps.constant(np.inf)), cores=np.inf)
TIMERS, QUEUE = 160, 9
FIRST, SECOND, LOOKS_AFTER, OWN = 0, 1, 2, 3
"""Rows: two items that begin a delay each, the item that runs due timers, and the item of the second delay's
callback."""


def two_delays(folder, waits=False, sent_tid=201, period=-1):
    """Builds two items queued at 0: one starts at once, the other at 500 for lack of a thread. Each begins a delay of
    100. The item that runs due timers is queued at 110 and gets a thread at 900; it runs the first callback itself and
    queues the other one. If `waits`, the second item blocks until its own callback has run."""
    builder = CaptureBuilder(folder, length=4000 * MS).thread(TIMERS, 100, ".NET Timer")
    end = 910 if waits else 520
    states = [("running", 12 * MS), ("blocked", 394 * MS), ("running", 4 * MS)] if waits else [("running", 20 * MS)]
    builder.item(0, 0, 20 * MS, 200, [("running", 20 * MS)])
    builder.item(0, 500 * MS, end * MS, 201, states)
    builder.item(110 * MS, 900 * MS, 904 * MS, 200, [("running", 4 * MS)], enqueue_tid=TIMERS, work_id=QUEUE)
    builder.item(
        901 * MS, 905 * MS, 909 * MS, 202, [("running", 4 * MS)], enqueue_tid=200, work_id=52, parent=LOOKS_AFTER
    )
    builder.timer(110 * MS, 902 * MS, timer_id=51, item=LOOKS_AFTER, due_in=100, sent_tid=200)
    builder.timer(610 * MS, 905 * MS, timer_id=52, item=OWN, due_in=100, sent_tid=sent_tid, period=period)
    if waits:
        builder.wakeup(906 * MS, 202, 201)
    return causal(builder)


def test_a_delay_is_over_so_long_after_it_began_whoever_began_it_sooner(tmp_path):
    free = simulate(two_delays(tmp_path).workload, FREE)
    assert free.arrival[[LOOKS_AFTER, OWN]] / MS == pytest.approx([110, 110], abs=1)


def test_the_capture_replayed_is_the_capture(tmp_path):
    one_at_a_time = Steps(np.array([0, 500, 900]) * float(MS), np.array([1.0, 1, 3]))
    as_it_was = simulate(two_delays(tmp_path).workload, World.constant(Allowed(one_at_a_time), cores=np.inf))
    assert as_it_was.arrival[LOOKS_AFTER] == 110 * MS


def test_a_wait_for_its_end_is_no_need_of_the_item(tmp_path):
    found = two_delays(tmp_path, waits=True)
    free = simulate(found.workload, FREE)
    # 12 before the wait, which is over at 110, and 5 to go on.
    assert free.end[SECOND] / MS == pytest.approx(118, abs=6)
    assert found.workload.demand[SECOND] / MS == pytest.approx(16, abs=1)


@pytest.mark.parametrize("other", [{"sent_tid": -1}, {"period": 100}])
def test_a_delay_of_which_nobody_knows_who_began_it_keeps_its_time(tmp_path, other):
    free = simulate(two_delays(tmp_path, **other).workload, FREE)
    assert free.arrival[OWN] / MS == pytest.approx(610, abs=1)


def test_timers_that_a_periodic_one_led_keep_their_time(tmp_path):
    builder = CaptureBuilder(tmp_path, length=4000 * MS).thread(TIMERS, 100, ".NET Timer")
    builder.item(0, 0, 20 * MS, 200, [("running", 20 * MS)])
    builder.item(110 * MS, 900 * MS, 904 * MS, 200, [("running", 4 * MS)], enqueue_tid=TIMERS, work_id=QUEUE)
    builder.timer(110 * MS, 902 * MS, timer_id=51, item=1, due_in=100, period=100, sent_tid=200)
    found = causal(builder)
    assert len(found.causes.answers.to) == 0
    assert simulate(found.workload, FREE).arrival[1] == 110 * MS
