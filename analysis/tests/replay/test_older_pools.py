"""The pools before .NET Framework 4, fixed pools, and a thread for each item, compared with their published growth."""

import numpy as np
import pytest
from poolscope.replay import Workload, World, simulate
from poolscope.replay.policies import Dedicated, Fixed, Instant, Net4x, Net11, Net35, Rotor

S = 1e9


def starts(policy, count, ns=1e4 * S, on_cpu=False):
    workload = Workload.single_stretch(np.zeros(count), np.full(count, ns), on_cpu)
    return np.sort(simulate(workload, World.constant(policy, 2.0)).start) / S


def test_rotor_s_gaps_grow_by_a_tenth_and_are_rounded_up_to_the_gate_s_ticks():
    growth = starts(Rotor(1, 25, 1), 100)
    table = {0: 1.0, 1: 2.0, 2: 3.0, 4: 5.0, 7: 8.0, 9: 11.0, 11: 14.0, 14: 20.0, 19: 34.5, 23: 51.0}
    for extra, exists_at in table.items():
        assert growth[1 + extra] == pytest.approx(exists_at, abs=0.001), extra
    assert growth[25] > 1000  # the maximum is 25 threads: the next item waits for one of them


def test_rotor_s_gap_for_the_25th_extra_thread_is_the_published_5_4_seconds():
    growth = starts(Rotor.on(2), 40)
    assert growth[27] - growth[26] == pytest.approx(5.5, abs=0.001)  # 5.42 s, rounded up to the next tick


def test_rotor_does_not_grow_while_its_queue_shrinks():
    slow = starts(Rotor.on(1), 60, ns=0.4 * S)
    assert slow[-1] == pytest.approx(59 * 0.4, rel=0.01)


@pytest.mark.parametrize("processors", [1, 4])
def test_net11_adds_one_each_half_second_up_to_25_for_each_processor(processors):
    growth = starts(Net11.on(processors), 25 * processors + 5)
    assert (growth[:processors] < 0.001).all()
    expected = 0.5 * np.arange(1, 24 * processors + 1)
    assert growth[processors : 25 * processors] == pytest.approx(expected, abs=0.001)
    assert growth[25 * processors] > 1000


def test_net35_s_gaps_grow_by_a_tenth_each():
    growth = starts(Net35.on(2), 60)
    assert growth[2:42] == pytest.approx(np.cumsum(0.5 * 1.1 ** np.arange(40)), abs=0.001)
    assert growth[16] == pytest.approx(15.9, abs=0.1)
    assert growth[31] - growth[16] == pytest.approx(66.4, abs=0.2)


def test_net35_stops_at_250_for_each_processor():
    assert (Net35.on(2).min_threads, Net35.on(2).max_threads) == (2, 500)


def test_a_fixed_pool_runs_so_many_at_once():
    growth = starts(Fixed(3), 9, ns=S)
    assert growth == pytest.approx(np.repeat([0, 1, 2], 3), abs=0.001)


def test_an_instant_pool_has_a_thread_for_each_item_up_to_its_maximum():
    growth = starts(Instant(50), 100, ns=S)
    assert growth == pytest.approx(np.repeat([0, 1], 50), abs=0.002)


def test_dedicated_threads_are_as_many_as_items():
    outcome = simulate(
        Workload.single_stretch(np.arange(100) * 1e6, np.full(100, S), False), World.constant(Dedicated(), 2.0)
    )
    assert outcome.peak_threads == 100
    assert (outcome.start - outcome.arrival).max() < 1e6
    assert outcome.threads.value[-1] == 0


def test_a_new_thread_beside_full_cores_waits_for_a_part_of_a_slice():
    hogs = Workload.single_stretch(np.array([0.0, 0.0, 1e9]), np.full(3, 5 * S), on_cpu=True)
    waits = [simulate(hogs, World.constant(Dedicated(), 2.0, seed=seed)).start[2] / 1e6 - 1000 for seed in range(20)]
    assert 0 < min(waits) < 1 < max(waits) < 4.3


def test_net4x_adds_no_threads_for_blocked_tasks_but_for_starvation():
    growth = starts(Net4x(2, 1000, 2), 6)
    assert (growth[:2] < 0.01).all()
    assert np.diff(growth[2:]) == pytest.approx(1.0, abs=0.52)
