"""The model of hill climbing: against what runtimes recorded, and where theory says what it must do."""

import inspect
import types
from pathlib import Path

import numpy as np
import pytest
from poolscope.replay import hill_climbing as hc
from recorded_climb import FIELDS, Recording, compare

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
"""What settings.npz ran with: DOTNET_HillClimbing_WavePeriod=6, WaveHistorySize=4, Bias=5, TargetSignalToNoiseRatio=32,
MaxChangePerSecond=20, SampleIntervalHigh=20, GainExponent=96, all of them hexadecimal."""
CASES = {
    # .NET 10.0.12, 2 cores. A service whose requests block on .Result: the goal's floor moves with the blocked threads.
    "sync-over-async": hc.HillClimbingKnobs(),
    # trickle-v1 --count 3000 --interval-ms 4 --work-ms 10 --max-threads 100.
    "trickle": hc.HillClimbingKnobs(),
    # spin --count 15000 --work-ms 1 with DOTNET_PROCESSOR_COUNT=1: two threads are over 95 % of that one.
    "busy": hc.HillClimbingKnobs(),
    # trickle-v1 --count 3000 --interval-ms 4 --work-ms 20 --max-threads 100.
    "settings": OTHER_KNOBS,
}
JIFFY_MS = 10
"""The longest that Linux is built with."""


def compiled():
    """The module's functions, compiled."""
    numba = pytest.importorskip("numba")
    space = dict(vars(hc))
    for name, function in inspect.getmembers(hc, inspect.isfunction):
        if function.__module__ == hc.__name__ and name != "new_state":
            space[name] = numba.njit(types.FunctionType(function.__code__, space))
    return types.SimpleNamespace(update=space["update"], force_change=space["force_change"])


@pytest.fixture(scope="module")
def fast():
    return compiled()


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


@pytest.mark.parametrize("name", ["sync-over-async", "settings"])
def test_the_compiled_form_gives_the_same_bytes_on_recorded_samples(name, fast):
    recording = Recording.load(RECORDED / f"{name}.npz")
    plain = compare(recording, CASES[name])
    quick = compare(recording, CASES[name], fast.update, fast.force_change)
    assert quick.error.tobytes() == plain.error.tobytes()
    assert (quick.goal == plain.goal).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_form_gives_the_same_state_on_random_samples(seed, fast):
    def run(form):
        rng = np.random.default_rng(seed)
        state, goal, told = hc.new_state(hc.HillClimbingKnobs(), seed), 4, []
        for _ in range(600):
            if rng.random() < 0.1:
                goal = max(2, goal + int(rng.integers(-3, 4)))
                form.force_change(state, goal, int(rng.choice([hc.STARVATION, hc.COOPERATIVE_BLOCKING])))
            seconds = float(rng.uniform(0.005, 0.5))
            completions = int(rng.poisson(seconds * 200 * min(goal, 16)))
            cpu = float(rng.uniform(0, 100))
            goal, interval = form.update(state, goal, seconds, completions, 2, 64, cpu)
            told.append((goal, interval))
        return told, state

    told, state = run(hc)
    quick_told, quick_state = run(fast)
    assert quick_told == told
    assert quick_state.tobytes() == state.tobytes()
    assert len({g for g, _ in told}) > 5


def climb(throughput, seconds=60.0, lowest=2, highest=200, cpu=0.0, knobs=hc.HillClimbingKnobs(), seed=1):
    """Goals over `seconds` of a pool that completes throughput(goal) items/s."""
    state, goal, interval, now, goals = hc.new_state(knobs, seed), lowest, 100, 0.0, []
    done = 0.0
    while now < seconds:
        before, now = done, now + interval / 1000
        done += throughput(goal) * interval / 1000
        goal, interval = hc.update(state, goal, interval / 1000, int(done) - int(before), lowest, highest, cpu)
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
    """Twice the control setting times the noise, three times over to be told from it; from 1 to 20 threads."""
    state = hc.new_state(hc.HillClimbingKnobs(wave_magnitude_multiplier=percent))
    hc.force_change(state, 20, hc.STARVATION)
    state[hc.NOISE] = noise
    hc.update(state, 20, 1.0, 1000, 2, 200, 0.0)
    assert state[hc.WAVE_MAGNITUDE] == threads


def measured(throughput, threads):
    """The state and the reason after these samples."""
    state = hc.new_state(hc.HillClimbingKnobs())
    size = int(state[hc.HISTORY])
    state[hc.RINGS : hc.RINGS + size] = throughput[:size]
    state[hc.RINGS + size : hc.RINGS + 2 * size] = threads[:size]
    state[hc.SAMPLES] = size + 1
    return state, hc.measure_waves(state)


def test_in_which_unit_throughput_is_counted_makes_no_difference():
    """A slow pool that ends less than an item a second is measured like any other."""
    threads = np.tile([2.0, 2.0, 3.0, 3.0], 8)
    throughput = 100 * threads + np.random.default_rng(1).normal(0, 5, 32)
    (fast, why), (slow, why_slow) = measured(throughput, threads), measured(throughput / 1000, threads)
    assert why == why_slow == hc.CLIMBING_MOVE
    for place in (hc.THROUGHPUT_RATIO, hc.CONFIDENCE, hc.THROUGHPUT_ERROR, hc.THREAD_WAVE):
        assert slow[place] == pytest.approx(fast[place]) != 0


def test_where_nothing_ends_there_is_nothing_to_measure():
    state, why = measured(np.zeros(32), np.tile([2.0, 2.0, 3.0, 3.0], 8))
    assert (why, state[hc.CONFIDENCE], state[hc.THROUGHPUT_RATIO]) == (hc.WARMUP, 0, 0)


def test_with_one_thread_all_along_there_is_noise_and_no_wave():
    state, why = measured(100 + np.random.default_rng(1).normal(0, 5, 32), np.ones(32))
    assert why != hc.WARMUP
    assert (state[hc.THREAD_WAVE], state[hc.CONFIDENCE]) == pytest.approx((0, 0), abs=1e-12)
    assert state[hc.NOISE] == state[hc.THROUGHPUT_ERROR] > 0


def test_too_few_completions_are_carried_into_a_longer_sample():
    state = hc.new_state(hc.HillClimbingKnobs())
    hc.update(state, 4, 1000.0, 1, 2, 10, 0.0)
    assert state[hc.SAMPLED] == 1, "the first sample always counts"
    # (4 - 1) / 20 is MaxSampleErrorPercent: 21 completions are the fewest that make a sample.
    assert hc.update(state, 4, 1.0, 20, 2, 10, 0.0) == (4, 10)
    assert state[hc.SAMPLED] == 0
    assert hc.update(state, 4, 1.0, 0, 2, 10, 0.0) == (4, 10)
    hc.update(state, 4, 0.5, 1, 2, 10, 0.0)
    assert state[hc.SAMPLED] == 1
    assert (state[hc.DURATION], state[hc.THROUGHPUT]) == (2.5, 21 / 2.5)


def test_a_change_from_elsewhere_moves_the_control_setting_along():
    state = hc.new_state(hc.HillClimbingKnobs())
    hc.force_change(state, 5, hc.STARVATION)
    assert (state[hc.CONTROL], state[hc.REASON]) == (5, hc.STARVATION)
    length = state[hc.SAMPLE_MS]
    hc.force_change(state, 3, hc.COOPERATIVE_BLOCKING)
    assert (state[hc.CONTROL], state[hc.SAMPLE_MS]) == (3, length), "blocked tasks do not change the samples' length"
    hc.force_change(state, 3, hc.STARVATION)
    assert (state[hc.REASON], state[hc.SAMPLE_MS]) == (hc.NO_CHANGE, length)
    hc.force_change(state, 4, hc.STARVATION)
    assert state[hc.SAMPLE_MS] != length


@pytest.mark.parametrize(
    ("old", "ratio", "longer"), [(False, -0.25, 2.5), (False, -3.0, 10.0), (True, -0.25, 10.0), (True, -3.0, 30.0)]
)
def test_samples_get_longer_at_the_lowest_goal(old, ratio, longer):
    state = hc.new_state(hc.HillClimbingKnobs(floor_interval_at_least_tenfold=old))
    state[hc.SAMPLE_MS] = 100
    state[hc.THROUGHPUT_RATIO] = ratio
    assert hc.next_interval(state, True) == 100 * longer
    assert hc.next_interval(state, False) == 100
    state[hc.THROUGHPUT_RATIO] = 0.0
    assert hc.next_interval(state, True) == 100


def test_sample_lengths_are_even_and_the_seed_s_own():
    def lengths(seed):
        state = hc.new_state(hc.HillClimbingKnobs(), seed)
        drawn = []
        for _ in range(19_100):
            hc.draw_sample_ms(state)
            drawn.append(state[hc.SAMPLE_MS])
        return np.array(drawn)

    drawn = lengths(1)
    assert (drawn.min(), drawn.max()) == (10, 200)
    counts = np.bincount(drawn.astype(int))[10:]
    # Chi-square of 191 values with 100 draws each: 190 on average, standard deviation 19.5.
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


@pytest.mark.parametrize("compiled", [False, True])
def test_no_time_is_no_sample_and_its_items_count_in_the_next(compiled, fast):
    """A recording may begin while items end: one that ends at once has taken no time."""
    form = fast if compiled else hc
    state, other = hc.new_state(hc.HillClimbingKnobs()), hc.new_state(hc.HillClimbingKnobs())
    assert form.update(state, 4, 0.0, 3, 2, 64, 0.0)[0] == 4 and state[hc.SAMPLED] == state[hc.SAMPLES] == 0.0
    form.update(state, 4, 0.5, 7, 2, 64, 0.0)
    form.update(other, 4, 0.5, 10, 2, 64, 0.0)
    assert state[hc.THROUGHPUT] == other[hc.THROUGHPUT] == 20.0 and state[hc.SAMPLES] == 1.0
