"""A .NET worker's samples, its numbering of items' objects, and the end of surplus threads."""

from dataclasses import replace

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World
from poolscope.replay.loop.events import climb
from poolscope.replay.loop.state import MS, State
from poolscope.replay.policies import Net, Net11
from poolscope.replay.simulate import lay_out, plain_loop, simulate_by


@pytest.mark.parametrize(
    ("now", "elapsed", "sampled"),
    [(99, 100, False), (100, 100, True), (101, 100, True), (100, 49, False), (100, 50, True), (100, 51, True)],
)
def test_a_sample_is_due_at_the_end_of_its_interval_unless_less_than_half_of_it_was_measured(now, elapsed, sampled):
    """ShouldAdjustMaxWorkersActive and AdjustMaxWorkersActive of dotnet/runtime: the ends of the interval and of its
    half both count. The interval is from 0 to 100 ms."""
    workload = Workload.single_stretch(np.zeros(1), np.full(1, MS), on_cpu=True)
    s = State.of(lay_out(workload, World.constant(Net(2, 100, 2), 2.0)))
    s.prior_sample, s.next_sample, s.now, s.sample_start = 0.0, 100.0, 1000.0 * MS, (1000.0 - elapsed) * MS
    s.limit_min, s.limit_max, s.goal, s.completions = 2.0, 100.0, 2, 7
    climb(s, float(now))
    assert (s.completions == 0) == sampled
    assert s.prior_sample == (now if sampled else 0.0)


def test_threads_that_a_lower_maximum_makes_too_many_rest_and_are_gone_20_s_later():
    """Three items sleep until 2 s; from 1 s on one thread is allowed. A fourth item sleeps from 10 s on the remaining
    thread."""
    limits = Steps(np.array([0.0, 1000.0]) * MS, np.array([3.0, 1.0]))
    items = Workload.in_turn(np.array([0, 0, 0, 10_000]) * MS, Program.of([[(Op.BLOCKED, 2000 * MS)]] * 4))
    outcome = simulate_by(plain_loop, items, World.constant(Net(Steps(limits.time, limits.value), limits, 2), 2.0))
    assert (outcome.start / MS).tolist() == pytest.approx([0, 0, 0, 10_000], abs=5)
    late = Workload.in_turn(np.array([0, 0, 0, 10_000, 30_000]) * MS, Program.of([[(Op.BLOCKED, 2000 * MS)]] * 5))
    outcome = simulate_by(plain_loop, late, World.constant(Net(limits, limits, 2), 2.0))
    assert outcome.threads.at(np.array([1.9, 21.9, 22.1, 29.0]) * 1000 * MS).tolist() == [3, 3, 1, 1]


def waiting_for_the_last(count):
    """Returns items that all wait for the last one."""
    return Workload.in_turn(np.zeros(count), Program.of([[(Op.WAIT, 0)]] * (count - 1) + [[(Op.MARK, 0)]]), marks=1)


@pytest.mark.parametrize(("most", "stands_still"), [(3, True), (4, False), (100, False)])
def test_a_pool_of_net_1_helps_items_that_wait_for_a_queued_one_unless_it_is_at_its_maximum(most, stands_still):
    pool = replace(Net11.on(2), max_threads=most)
    outcome = simulate_by(plain_loop, waiting_for_the_last(4), World.constant(pool, 2.0))
    assert outcome.deadlock == stands_still


def test_who_waits_for_a_lock_in_an_asynchronous_world_gives_its_thread_back():
    """One thread. The first item holds the lock for 100 ms, the second wants it, and the third computes meanwhile."""
    items: list[list[tuple[int, float]]] = [
        [(Op.ACQUIRE, 0), (Op.BLOCKED, 100 * MS), (Op.RELEASE, 0)],
        [(Op.ACQUIRE, 0), (Op.RELEASE, 0)],
        [(Op.CPU, MS)],
    ]
    workload = Workload.in_turn(np.zeros(3), Program.of(items), locks=1)
    outcome = simulate_by(plain_loop, workload, World.constant(Net11.on(1, holding=False), 1.0))
    assert outcome.end[2] / MS == pytest.approx(1, abs=0.5)
    assert outcome.context_switches >= 2, "both left the core for a while"
