"""The model of hill climbing, compared with recordings of runtimes, and with theory."""

from pathlib import Path

import numpy as np
import pytest
from climbing import Noting, natively, plainly
from poolscope.replay import hill_climbing as hc
from recorded_climb import FIELDS, Recording, compare
from ways import NATIVE

RECORDED = Path(__file__).parent / "recorded"
OTHER_KNOBS = hc.HillClimbingKnobs(
    wave_period=6,
    wave_history_size=4,
    bias=5,
    target_signal_to_noise_ratio=50,
    max_change_per_second=32,
    sample_interval_high=32,
    gain_exponent=150,
)
"""The settings of settings.npz: DOTNET_HillClimbing_WavePeriod=6, WaveHistorySize=4, Bias=5,
TargetSignalToNoiseRatio=32, MaxChangePerSecond=20, SampleIntervalHigh=20, GainExponent=96, all of them hexadecimal."""
CASES = {
    # .NET 10.0.12, 2 cores. A service whose requests block on .Result: the goal's floor moves with the blocked threads.
    "sync-over-async": hc.HillClimbingKnobs(),
    # trickle-v1 --count 3000 --interval-ms 4 --work-ms 10 --max-threads 100.
    "trickle": hc.HillClimbingKnobs(),
    # spin --count 15000 --work-ms 1 with DOTNET_PROCESSOR_COUNT=1: two threads use over 95 % of that processor.
    "busy": hc.HillClimbingKnobs(),
    # trickle-v1 --count 3000 --interval-ms 4 --work-ms 20 --max-threads 100.
    "settings": OTHER_KNOBS,
}
JIFFY_MS = 10
"""The longest jiffy that Linux can be built with."""


@pytest.mark.parametrize("name", CASES)
def test_it_decides_as_the_recorded_runtime_did(name):
    recording = Recording.load(RECORDED / f"{name}.npz")
    agreement = compare(recording, CASES[name])
    assert len(agreement.goal) > 50
    assert {n: agreement.worst(n) for n in FIELDS} == {n: pytest.approx(0, abs=1e-6) for n in FIELDS}
    assert agreement.goal.mean() >= 0.99
    assert agreement.early.max() <= JIFFY_MS
    assert agreement.busy.any() == (name == "busy")


def test_a_wrong_setting_does_not_decide_as_the_recorded_runtime_did():
    recording = Recording.load(RECORDED / "settings.npz")
    agreement = compare(recording, hc.HillClimbingKnobs())
    assert agreement.worst("confidence") > 0.1
    assert agreement.goal.mean() < 0.9


def test_without_the_blocked_threads_the_floor_is_wrong():
    recording = Recording.load(RECORDED / "sync-over-async.npz")
    recording.blocked_start = recording.blocked_end = np.zeros(0, dtype=np.int64)
    assert compare(recording).goal.mean() < 0.9


@NATIVE
@pytest.mark.parametrize("name", ["sync-over-async", "settings"])
def test_the_native_form_gives_the_same_bytes_on_recorded_samples(name):
    made = []

    def noting(knobs):
        made.append(Noting(knobs))
        return made[0]

    agreement = compare(Recording.load(RECORDED / f"{name}.npz"), CASES[name], noting)
    assert not agreement.busy.any(), "the model went on in a copy"
    assert len(made[0].calls) > 50
    assert natively(made[0], CASES[name]).tobytes() == plainly(made[0]).tobytes()


@NATIVE
@pytest.mark.parametrize("knobs", [hc.HillClimbingKnobs(), OTHER_KNOBS], ids=["default", "other"])
@pytest.mark.parametrize("seed", range(3))
def test_the_native_form_gives_the_same_state_on_random_samples(seed, knobs):
    rng = np.random.default_rng(seed)
    model, goal, goals = Noting(knobs, seed), 4, set()
    for _ in range(600):
        if rng.random() < 0.1:
            goal = max(2, goal + int(rng.integers(-3, 4)))
            model.force_change(goal, int(rng.choice([hc.STARVATION, hc.COOPERATIVE_BLOCKING])))
        seconds = float(rng.uniform(0.005, 0.5))
        completions = int(rng.poisson(seconds * 200 * min(goal, 16)))
        goal, _ = model.update(goal, seconds, completions, 2, 64, float(rng.uniform(0, 100)))
        goals.add(goal)
    assert natively(model, knobs, seed).tobytes() == plainly(model).tobytes()
    assert len(goals) > 5


def climb(throughput, seconds=60.0, lowest=2, highest=200, cpu=0.0, knobs=hc.HillClimbingKnobs(), seed=1):
    """Returns the goals over `seconds` of a pool that completes throughput(goal) items/s."""
    state, goal, interval, now, goals = hc.HillClimbing(knobs, seed), lowest, 100, 0.0, []
    done = 0.0
    while now < seconds:
        before, now = done, now + interval / 1000
        done += throughput(goal) * interval / 1000
        goal, interval = state.update(goal, interval / 1000, int(done) - int(before), lowest, highest, cpu)
        goals.append(goal)
    return np.array(goals)


def test_it_climbs_while_threads_add_throughput_and_stays_near_where_they_stop():
    goals = climb(lambda threads: 1000.0 * min(threads, 20), seconds=200)
    assert goals[len(goals) // 2 :].min() >= 15
    assert goals.max() <= 45


def test_it_stays_at_the_minimum_where_threads_add_nothing():
    goals = climb(lambda threads: 1000.0)
    assert goals.max() <= 3, "one thread of the wave"
    assert goals.min() == 2


def test_it_does_not_pass_the_maximum():
    assert climb(lambda threads: 1000.0 * threads, highest=9).max() == 9


def test_on_a_busy_cpu_it_adds_no_thread():
    assert climb(lambda threads: 1000.0 * threads, cpu=95.0).max() > 10
    assert climb(lambda threads: 1000.0 * threads, cpu=95.1).max() == 3


@pytest.mark.parametrize(("percent", "noise", "threads"), [(100, 0.1, 12), (50, 0.1, 6), (200, 0.1, 20), (100, 0, 1)])
def test_the_wave_is_as_high_as_the_noise_asks_for(percent, noise, threads):
    """Twice the control setting times the noise, three times over to stand out from it; from 1 to 20 threads."""
    state = hc.HillClimbing(hc.HillClimbingKnobs(wave_magnitude_multiplier=percent))
    state.force_change(20, hc.STARVATION)
    state.noise = noise
    state.update(20, 1.0, 1000, 2, 200, 0.0)
    assert state.wave_magnitude == threads


def measured(throughput, threads):
    """Returns the state and the reason after these samples."""
    state = hc.HillClimbing(hc.HillClimbingKnobs())
    state.throughputs[:] = throughput[: state.history].tolist()
    state.thread_counts[:] = threads[: state.history].tolist()
    state.samples = state.history + 1
    return state, state.measure_waves()


def test_in_which_unit_throughput_is_counted_makes_no_difference():
    """A slow pool that ends less than one item a second is measured like any other."""
    threads = np.tile([2.0, 2.0, 3.0, 3.0], 8)
    throughput = 100 * threads + np.random.default_rng(1).normal(0, 5, 32)
    (fast, why), (slow, why_slow) = measured(throughput, threads), measured(throughput / 1000, threads)
    assert why == why_slow == hc.CLIMBING_MOVE
    for name in ("throughput_ratio", "confidence", "throughput_error", "thread_wave"):
        assert getattr(slow, name) == pytest.approx(getattr(fast, name)) != 0


def test_where_nothing_ends_there_is_nothing_to_measure():
    state, why = measured(np.zeros(32), np.tile([2.0, 2.0, 3.0, 3.0], 8))
    assert (why, state.confidence, state.throughput_ratio) == (hc.WARMUP, 0, 0)


def test_with_one_thread_all_along_there_is_noise_and_no_wave():
    state, why = measured(100 + np.random.default_rng(1).normal(0, 5, 32), np.ones(32))
    assert why != hc.WARMUP
    assert (state.thread_wave, state.confidence) == pytest.approx((0, 0), abs=1e-12)
    assert state.noise == state.throughput_error > 0


def test_too_few_completions_are_carried_into_a_longer_sample():
    state = hc.HillClimbing(hc.HillClimbingKnobs())
    state.update(4, 1000.0, 1, 2, 10, 0.0)
    assert state.sampled == 1, "the first sample always counts"
    # (4 - 1) / 20 is MaxSampleErrorPercent: a sample needs at least 21 completions.
    assert state.update(4, 1.0, 20, 2, 10, 0.0) == (4, 10)
    assert state.sampled == 0
    assert state.update(4, 1.0, 0, 2, 10, 0.0) == (4, 10)
    state.update(4, 0.5, 1, 2, 10, 0.0)
    assert state.sampled == 1
    assert (state.duration, state.throughput) == (2.5, 21 / 2.5)


def test_a_change_from_elsewhere_moves_the_control_setting_along():
    state = hc.HillClimbing(hc.HillClimbingKnobs())
    state.force_change(5, hc.STARVATION)
    assert (state.control, state.reason) == (5, hc.STARVATION)
    length = state.sample_ms
    state.force_change(3, hc.COOPERATIVE_BLOCKING)
    assert (state.control, state.sample_ms) == (3, length), "blocked tasks do not change the samples' length"
    state.force_change(3, hc.STARVATION)
    assert (state.reason, state.sample_ms) == (hc.NO_CHANGE, length)
    state.force_change(4, hc.STARVATION)
    assert state.sample_ms != length


@pytest.mark.parametrize(
    ("old", "ratio", "longer"), [(False, -0.25, 2.5), (False, -3.0, 10.0), (True, -0.25, 10.0), (True, -3.0, 30.0)]
)
def test_samples_get_longer_at_the_lowest_goal(old, ratio, longer):
    state = hc.HillClimbing(hc.HillClimbingKnobs(floor_interval_at_least_tenfold=old))
    state.sample_ms = 100
    state.throughput_ratio = ratio
    assert state.next_interval(True) == 100 * longer
    assert state.next_interval(False) == 100
    state.throughput_ratio = 0.0
    assert state.next_interval(True) == 100


def test_sample_lengths_are_even_and_the_seed_s_own():
    def lengths(seed):
        state = hc.HillClimbing(hc.HillClimbingKnobs(), seed)
        drawn = []
        for _ in range(19_100):
            state.draw_sample_ms()
            drawn.append(state.sample_ms)
        return np.array(drawn)

    drawn = lengths(1)
    assert (drawn.min(), drawn.max()) == (10, 200)
    counts = np.bincount(drawn.astype(int))[10:]
    # Chi-square of 191 values with 100 draws each: mean 190, standard deviation 19.5.
    assert ((counts - 100.0) ** 2 / 100.0).sum() == pytest.approx(190, abs=80)
    assert (lengths(1) == drawn).all()
    assert (lengths(2) != drawn).mean() > 0.9


@pytest.mark.parametrize(
    "wrong",
    [
        {"wave_period": 1},
        {"wave_history_size": 0},
        {"sample_interval_low": 0},
        {"sample_interval_low": 20, "sample_interval_high": 10},
        {"target_signal_to_noise_ratio": 0},
    ],
)
def test_settings_that_cannot_work_are_refused(wrong):
    with pytest.raises(ValueError, match="hill climbing: "):
        hc.HillClimbingKnobs(**wrong)


def test_no_time_is_no_sample_and_its_items_count_in_the_next():
    """A recording may begin while items end, and then a sample at once has taken no time."""
    state, other = hc.HillClimbing(hc.HillClimbingKnobs()), hc.HillClimbing(hc.HillClimbingKnobs())
    assert state.update(4, 0.0, 3, 2, 64, 0.0)[0] == 4 and not state.sampled and state.samples == 0
    state.update(4, 0.5, 7, 2, 64, 0.0)
    other.update(4, 0.5, 10, 2, 64, 0.0)
    assert state.throughput == other.throughput == 20.0 and state.samples == 1


@NATIVE
def test_nor_is_it_one_for_the_native_form():
    knobs = hc.HillClimbingKnobs()
    model = Noting(knobs)
    model.update(4, 0.0, 3, 2, 64, 0.0)
    model.update(4, 0.5, 7, 2, 64, 0.0)
    assert natively(model, knobs).tobytes() == plainly(model).tobytes()
