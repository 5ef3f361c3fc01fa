"""The native loop, compared with the plain Python version."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from poolscope.replay import Op, Program, Workload, World, simulate
from poolscope.replay.hill_climbing import HillClimbingKnobs
from poolscope.replay.policies import Net, Net4x, NetKnobs
from poolscope.replay.simulate import lay_out, native_loop, plain_loop, simulate_by
from random_worlds import POLICIES, random_workload, world_of
from ways import NATIVE


def the_bytes(outcome):
    changes = outcome.goal_changes
    arrays = (outcome.arrival, outcome.start, outcome.end, outcome.threads.time, outcome.threads.value)
    return [a.tobytes() for a in (*arrays, changes.time, changes.goal, changes.reason)] + [
        outcome.most_at_once,
        outcome.context_switches,
    ]


@NATIVE
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_native_and_plain_loop_give_the_same_bytes(policy, seed):
    workload = random_workload(seed, 400, answers=seed >= 2)
    if seed == 3:
        workload = replace(workload, queue=gathering(400), stand_ins=True, first_come=True)
    world = world_of(policy, seed)
    outcome = simulate_by(native_loop, workload, world)
    assert the_bytes(outcome) == the_bytes(simulate_by(plain_loop, workload, world))
    assert np.isfinite(outcome.start).any()


@NATIVE
@given(st.sampled_from(sorted(POLICIES)), st.integers(0, 2**32 - 1), st.tuples(*[st.booleans()] * 5))
@settings(max_examples=80)
def test_the_same_bytes_for_any_workload(policy, seed, chosen):
    waits, answers, stand_ins, first_come, gathers = chosen
    workload = random_workload(seed, 150, waits=waits, answers=answers)
    queue = gathering(150) if gathers else None
    workload = replace(workload, queue=queue, stand_ins=stand_ins, first_come=first_come)
    world = world_of(policy, seed)
    assert the_bytes(simulate_by(native_loop, workload, world)) == the_bytes(simulate_by(plain_loop, workload, world))


def busy_services():
    """Many short items of an async or a blocking service, and settings of every .NET pool: hill climbing, the gate and
    the reaction to blocked tasks all have work to do."""
    knobs = st.builds(
        HillClimbingKnobs,
        wave_period=st.integers(2, 6),
        wave_history_size=st.integers(1, 8),
        max_wave_magnitude=st.integers(0, 20),
        wave_magnitude_multiplier=st.integers(0, 300),
        bias=st.integers(0, 50),
        target_signal_to_noise_ratio=st.integers(1, 400),
        max_change_per_second=st.integers(0, 100),
        max_change_per_sample=st.integers(0, 30),
        sample_interval_high=st.integers(10, 200),
        error_smoothing_factor=st.integers(0, 100),
        gain_exponent=st.integers(0, 300),
        max_sample_error_percent=st.integers(1, 100),
        floor_interval_at_least_tenfold=st.booleans(),
    )
    runtime = st.builds(
        NetKnobs,
        disable_starvation_detection=st.booleans(),
        cooperative_blocking=st.booleans(),
        thread_timeout_ms=st.sampled_from([-1.0, 5.0, 300.0, 20_000.0]),
        threads_to_keep_alive=st.integers(-1, 4),
        cpu_utilization_interval_ms=st.integers(0, 1),
        threads_to_add_without_delay=st.floats(0, 3),
        threads_per_delay_step=st.floats(0.1, 3),
        delay_step_ms=st.floats(0, 50),
        hill_climbing=knobs,
        jiffy_ms=st.sampled_from([1.0, 4.0, 15.6]),
    )
    pool = st.builds(
        Net,
        min_threads=st.integers(1, 4),
        max_threads=st.integers(4, 60),
        processors=st.integers(1, 8),
        holding=st.booleans(),
        knobs=runtime,
        warm_threads=st.integers(0, 6),
    )
    return pool | st.builds(
        Net4x, st.integers(1, 4), st.integers(4, 60), st.integers(1, 8), st.booleans(), runtime, st.booleans()
    )


@NATIVE
@given(busy_services(), st.integers(0, 2**32 - 1), st.floats(0.5, 8), st.floats(0, 4))
@settings(max_examples=60)
def test_the_same_bytes_for_any_settings_of_a_pool(policy, seed, cores, competitors):
    random = np.random.default_rng(seed)
    count = 700
    arrival = np.sort(random.integers(0, count * int(random.choice([300_000, 1_500_000])), count)).astype(float)
    blocked = random.choice([Op.BLOCKED, Op.TASK_BLOCKED], count)
    programs = [
        [(Op.CPU, int(on_cpu)), (int(op), int(wait)), (Op.CPU, 10_000)]
        for op, on_cpu, wait in zip(
            blocked, random.integers(1, 400_000, count), random.integers(1, 9_000_000, count), strict=True
        )
    ]
    workload, world = Workload.in_turn(arrival, Program.of(programs)), World.constant(policy, cores, competitors, seed)
    assert the_bytes(simulate_by(native_loop, workload, world)) == the_bytes(simulate_by(plain_loop, workload, world))


@NATIVE
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("different", [3, 10**6])
def test_the_same_bytes_if_many_items_run_block_and_queue_at_once(policy, different):
    random = np.random.default_rng(different)
    count = 600
    longs = random.integers(1, different + 1, (count, 3)) * 10_000.0
    programs = [[(Op.BLOCKED, a), (Op.CPU, b), (Op.BLOCKED, c), (Op.CPU, 1.0)] for a, b, c in longs]
    workload = Workload.in_turn(random.integers(0, 3, count) * 1e6, Program.of(programs))
    workload = replace(workload, rank=random.permutation(count))
    world = world_of(policy)
    assert the_bytes(simulate_by(native_loop, workload, world)) == the_bytes(simulate_by(plain_loop, workload, world))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("loop", [plain_loop, pytest.param(native_loop, marks=NATIVE)])
def test_most_at_once_is_the_most_at_any_start(policy, loop):
    """An item that ends when another one starts is over."""
    workload = replace(random_workload(9, 200, answers=True), queue=gathering(200), first_come=True)
    outcome = simulate_by(loop, workload, world_of(policy), counted=150)
    start, end = outcome.start[:150], outcome.end[:150]
    most = max(int(((start <= t) & (t < end)).sum()) for t in start[np.isfinite(start)])
    assert outcome.most_at_once == most
    assert simulate_by(loop, workload, world_of(policy)).most_at_once >= most


def gathering(count):
    """Returns the queue of each item: every fourth works off one of two queues unless it queues others."""
    number = np.arange(count)
    return np.where((number % 4 == 1) & (number % 7 != 3), 1 + number // 4 % 2, -1)


@pytest.mark.parametrize("policy", POLICIES)
def test_items_that_gather_end_with_the_one_that_works_off_their_queue(policy):
    workload = replace(random_workload(6, 300, waits=False), queue=gathering(300), first_come=True)
    outcome = simulate(workload, world_of(policy))
    assert not outcome.deadlock
    assert (outcome.start >= outcome.arrival).all() and (outcome.end >= outcome.start).all()
    alone = workload.queue < 0
    assert (outcome.delay(workload)[alone] >= -1e-3).all()


@pytest.mark.parametrize("policy", POLICIES)
def test_every_item_ends_and_none_before_its_demand_is_met(policy):
    workload = random_workload(3, 300, waits=False)
    outcome = simulate(workload, world_of(policy))
    assert not outcome.deadlock
    assert (outcome.start >= outcome.arrival).all()
    assert (outcome.delay(workload) >= -1e-3).all()  # rounding by processor sharing
    assert (outcome.threads.value >= 0).all()


@NATIVE
def test_two_threads_run_two_worlds_at_once():
    workload = random_workload(4, 3000)
    worlds = [world_of("net", 1), world_of("net11")]
    alone = [the_bytes(simulate_by(native_loop, workload, world)) for world in worlds]
    with ThreadPoolExecutor(2) as executor:
        together = list(executor.map(lambda world: the_bytes(simulate_by(native_loop, workload, world)), worlds))
    assert together == alone


def test_the_seed_decides_and_nothing_else():
    workload = random_workload(5, 500)
    outcomes = [the_bytes(simulate(workload, world_of("net", seed))) for seed in (1, 1, 2)]
    assert outcomes[0] == outcomes[1] != outcomes[2]


def test_a_program_that_names_what_is_not_there_is_refused():
    world = World.constant(POLICIES["net"], 2.0)
    for op, what in ((Op.WAIT, "mark"), (Op.ACQUIRE, "lock"), (Op.ENQUEUE, "item")):
        with pytest.raises(ValueError, match=what):
            simulate(Workload.in_turn(np.zeros(1), Program.of([[(op, 1)]])), world)
    with pytest.raises(ValueError, match="a queue"):
        program = Program.of([[(Op.CPU, 1)]])
        simulate(replace(Workload.in_turn(np.zeros(1), program), queue=np.zeros(1, dtype=np.int64)), world)
    with pytest.raises(ValueError, match="less than 0"):
        simulate(Workload.in_turn(np.zeros(1), Program.of([[(Op.CPU, -1)]])), world)


@pytest.mark.parametrize("least, most", [(0, 4), (5, 4)])
def test_contradictory_limits_are_refused(least, most):
    with pytest.raises(ValueError, match="min"):
        Net(least, most, 2).limits()


@NATIVE
@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"value": np.zeros(3)}, ValueError, "differ in length"),
        ({"rank": np.zeros(3)}, ValueError, "fit together"),
        ({"first": np.zeros(0, dtype=np.int64)}, ValueError, "fit together"),
        ({"target": np.zeros(3)}, TypeError, "target: a contiguous array of int32"),
        ({"op": np.zeros(3, dtype=np.int64)}, TypeError, "op: a contiguous array of int8"),
        ({"seed": "1"}, TypeError, "int"),
        ({"rules": None}, AttributeError, "processors"),
    ],
)
def test_the_native_loop_reads_nothing_that_is_not_its_own(wrong, error, said):
    laid_out = lay_out(random_workload(1, 20), world_of("net"))
    with pytest.raises(error, match=said):
        native_loop(replace(laid_out, **wrong))
