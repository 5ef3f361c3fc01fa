"""A change of the world takes effect at its very time."""

import numpy as np
import pytest
from poolscope import native
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World
from poolscope.replay.policies import Allowed, Instant, Net11, Net35, Rotor
from poolscope.replay.simulate import native_loop, plain_loop, simulate_by

MS = 1e6


def run(workload, world):
    return simulate_by(plain_loop, workload, world)


def sleepers(arrival, ms):
    return Workload.in_turn(np.array(arrival) * MS, Program.of([[(Op.BLOCKED, ms * MS)]] * len(arrival)))


def test_a_thread_more_is_used_at_the_moment_at_which_it_comes():
    threads = Steps(np.array([0.0, 1000.0, 2500.0]) * MS, np.array([1.0, 2.0, 4.0]))
    outcome = run(sleepers([0, 0, 0, 0], 10_000), World.constant(Allowed(threads), 1.0))
    assert (outcome.start / MS).tolist() == [0, 1000, 2500, 2500]
    assert outcome.peak_threads == 4


def test_a_thread_less_ends_nothing_that_runs_and_starts_nothing_new():
    threads = Steps(np.array([0.0, 100.0]) * MS, np.array([2.0, 1.0]))
    outcome = run(sleepers([0, 0, 200], 1000), World.constant(Allowed(threads), 1.0))
    assert (outcome.start / MS).tolist() == [0, 0, 1000]
    late = run(sleepers([0, 50, 200], 1000), World.constant(Allowed(threads), 1.0))
    assert (late.start / MS).tolist() == [0, 50, 1050], "both must end before one thread is free"


def test_cores_and_competitors_count_from_the_moment_at_which_they_change():
    workload = Workload.single_stretch(np.zeros(2), np.full(2, 100.0) * MS, on_cpu=True)
    cores = Steps(np.array([0.0, 50.0]) * MS, np.array([2.0, 1.0]))
    policy = Allowed(Steps.constant(2.0))
    outcome = run(workload, World(cores, Steps.constant(0.0), policy))
    assert (outcome.end / MS).tolist() == [150, 150]  # 50 each at full speed, then 50 each at half
    others = Steps(np.array([0.0, 50.0, 150.0]) * MS, np.array([0.0, 2.0, 0.0]))
    outcome = run(workload, World(Steps.constant(2.0), others, policy))
    assert (outcome.end / MS).tolist() == [150, 150]


@pytest.mark.parametrize(
    "make", [Net11.on, Net35.on, Rotor.on, lambda _: Instant(100)], ids=["net11", "net35", "rotor", "instant"]
)
def test_a_thread_that_was_woken_is_idle_no_more_once_it_runs(make):
    """The only thread is woken for the second item. One of the two later items wakes it, and the other needs a new
    thread."""
    workload = Workload.in_turn(
        np.array([0.0, 100.0, 200.0, 200.0]) * MS,
        Program.of([[(Op.CPU, MS)], [(Op.CPU, MS)], [(Op.BLOCKED, 3000 * MS)], [(Op.BLOCKED, 3000 * MS)]]),
    )
    outcome = run(workload, World.constant(make(2), 2.0))
    assert (outcome.start - workload.arrival).max() <= 5 * MS
    assert outcome.peak_threads == 2


@pytest.mark.parametrize("loop", [plain_loop, native_loop])
def test_switches_grow_with_the_threads_that_wait_for_a_core(loop):
    """Two items of 400 ms on two cores. A competitor of 1e-9 threads is a rounding error, and may not count as one."""
    if loop is native_loop and native.extension is None:
        pytest.skip("no native extension here")
    workload = Workload.single_stretch(np.zeros(2), np.full(2, 400.0) * MS, on_cpu=True)

    def switches(others):
        world = World(Steps.constant(2.0), Steps.constant(others), Allowed(Steps.constant(2.0)))
        return simulate_by(loop, workload, world).context_switches

    alone = switches(0.0)
    slices = 2 * 400 / 4
    assert [switches(others) - alone for others in (1e-9, 0.5, 1.0, 2.0)] == pytest.approx(
        [0.0, slices / 2, slices, slices], abs=1e-3
    )
