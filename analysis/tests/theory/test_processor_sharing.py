"""Processor sharing, compared with a brute-force simulation in small steps, and invariants of every world."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from poolscope.base.series import Steps
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.policies import Allowed


def run(workload, threads, cores, competitors=0.0, holding=True):
    """Runs the workload with this many items holding a thread and this many cores throughout."""
    return simulate(workload, World.constant(Allowed(Steps.constant(threads), holding), cores, competitors))


def items_strategy(max_stretches):
    stretch = st.tuples(st.booleans(), st.integers(50, 4000))
    return st.lists(
        st.tuples(st.integers(0, 8000), st.lists(stretch, min_size=1, max_size=max_stretches)), min_size=1, max_size=7
    )


def as_workload(items):
    """Returns a workload of alternating kinds: neighbours of one kind would be one stretch."""
    first, on_cpu, duration = [0], [], []
    for _, stretches in items:
        kind = stretches[0][0]
        for _, ns in stretches:
            on_cpu.append(kind)
            duration.append(float(ns))
            kind = not kind
        first.append(len(duration))
    arrival = np.array([float(a) for a, _ in items])
    rank = np.argsort(np.argsort(arrival, kind="stable"), kind="stable").astype(np.int64)
    return Workload(arrival, rank, Program.of_stretches(np.array(first), on_cpu, duration))


def brute_force(workload, threads, cores, competitors, holding, step):
    """Advances every item by small steps, without queue theory and without an event list."""
    program = workload.program
    count = workload.count
    position = program.first[:-1].copy()
    left = program.value[position].copy()
    # Plain lists: a step of a few items takes less time than NumPy's overhead.
    lasts, ends_at, is_cpu = program.value.tolist(), program.first[1:].tolist(), (program.op == Op.CPU).tolist()
    rank, arrival = workload.rank.tolist(), workload.arrival.tolist()
    position, left = position.tolist(), left.tolist()
    absent = list(range(count))
    queued: list[int] = []
    running: list[int] = []
    blocked: list[int] = []
    end = np.full(count, np.inf)
    now = 0.0
    while absent or queued or running or blocked:
        queued += [i for i in absent if arrival[i] <= now + 1e-9]
        absent = [i for i in absent if arrival[i] > now + 1e-9]
        for i in sorted(queued, key=rank.__getitem__):
            if len(running) + (len(blocked) if holding else 0) >= threads:
                break
            queued.remove(i)
            (running if is_cpu[position[i]] else blocked).append(i)
        rate = min(1.0, cores / (len(running) + competitors)) if running else 1.0
        for on_core, speed in ((running, step * rate), (blocked, step)):
            for i in on_core:
                left[i] -= speed
        for i in [i for i in (*running, *blocked) if left[i] <= 1e-9]:
            was_running = i in running
            (running if was_running else blocked).remove(i)
            position[i] += 1
            if position[i] == ends_at[i]:
                end[i] = now + step
                continue
            left[i] = lasts[position[i]]
            if not is_cpu[position[i]]:
                blocked.append(i)
            else:
                (running if holding or was_running else queued).append(i)
        now += step
    return end


STEP = 0.25


def slack(workload, cores, competitors):
    """Returns the tolerance: each stretch may end a step late at the slowest rate, and delays add up over stretches
    that interact."""
    return STEP * (len(workload.program.op) + 1) / min(1.0, cores / (workload.count + competitors))


@settings(max_examples=40)
@given(
    items=items_strategy(4),
    cores=st.sampled_from([1.0, 2.0, 0.5]),
    competitors=st.sampled_from([0.0, 1.0, 2.5]),
    holding=st.booleans(),
)
def test_completions_match_small_steps(items, cores, competitors, holding):
    workload = as_workload(items)
    outcome = run(workload, np.inf, cores, competitors, holding)
    expected = brute_force(workload, np.inf, cores, competitors, holding, STEP)
    assert np.abs(outcome.end - expected).max() <= slack(workload, cores, competitors)


@pytest.mark.parametrize("holding", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_completions_match_small_steps_with_few_threads(seed, holding):
    """The seeds are fixed: with few threads, the small steps may take two events within one step of each other in the
    other order, which swaps items. These runs have no events that close."""
    random = np.random.default_rng(seed)
    items = [
        (int(random.integers(0, 8000)), [(bool(random.integers(2)), int(d)) for d in random.integers(50, 4000, k)])
        for k in random.integers(1, 4, 8)
    ]
    workload = as_workload(items)
    threads, cores = 1 + seed % 3, (1.0, 2.0, 1.5)[seed % 3]
    outcome = run(workload, threads, cores, 0.5, holding)
    expected = brute_force(workload, threads, cores, 0.5, holding, STEP)
    assert np.abs(outcome.end - expected).max() <= slack(workload, cores, 0.5)


def test_three_equal_items_on_two_cores_by_hand():
    workload = Workload.single_stretch(np.zeros(3), np.full(3, 600.0), on_cpu=True)
    outcome = run(workload, threads=np.inf, cores=2)
    assert outcome.end.tolist() == [900.0, 900.0, 900.0]


def test_a_competitor_takes_its_share_and_no_core():
    workload = Workload.single_stretch(np.zeros(1), np.full(1, 600.0), on_cpu=True)
    assert run(workload, 1, 2, competitors=1).end[0] == 600.0
    assert run(workload, 1, 2, competitors=3).end[0] == 1200.0


def test_suspension_stops_cpu_time_but_not_sleep():
    workload = as_workload([(0, [(True, 100)]), (0, [(False, 100)])])
    cores = Steps(np.array([0.0, 50.0, 250.0]), np.array([2.0, 0.0, 2.0]))
    world = World(cores, Steps.constant(0.0), Allowed(Steps.constant(10.0)))
    assert simulate(workload, world).end.tolist() == [300.0, 100.0]


def test_a_blocked_item_gives_its_thread_back_when_not_holding():
    workload = as_workload([(0, [(True, 10), (False, 100), (True, 10)]), (0, [(True, 50)])])
    holding = run(workload, threads=1, cores=1, holding=True)
    free = run(workload, threads=1, cores=1, holding=False)
    assert holding.start.tolist() == [0.0, 120.0]
    assert free.start.tolist() == [0.0, 10.0]
    assert free.end.tolist() == [120.0, 60.0]


def test_an_item_that_finds_no_thread_for_ever_never_ends():
    workload = Workload.single_stretch(np.zeros(1), np.ones(1), on_cpu=True)
    outcome = run(workload, threads=0, cores=1)
    assert outcome.start[0] == np.inf and outcome.end[0] == np.inf


@settings(max_examples=150)
@given(items=items_strategy(1), threads=st.integers(1, 5), cores=st.integers(1, 4), more=st.integers(1, 4))
def test_more_cores_never_raise_the_total_delay_of_single_stretch_items(items, threads, cores, more):
    arrival = np.array([float(a) for a, _ in items])
    duration = np.array([float(s[0][1]) for _, s in items])
    workload = Workload.single_stretch(arrival, duration, on_cpu=True)
    fewer = run(workload, threads, cores).delay(workload).sum()
    greater = run(workload, threads, cores + more).delay(workload).sum()
    assert greater <= fewer + 1e-6
