"""Predictions with results known from theory: items that sleep on a fixed number of threads and arrive at one rate."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.limits import MODEL_ERROR
from poolscope.replay import Op
from poolscope.whatif import captured_work
from poolscope.whatif.advice import CORES, LOCK, where_it_goes, without_locks
from poolscope.whatif.predict import Predictor
from poolscope.whatif.setting import AS_CAPTURED, Setting
from synthetic import MS, CaptureBuilder, sleepers

COUNT, GAP, SLEEP = 60, 10, 500
"""Number of items, their gap and their sleep, ms."""


@pytest.fixture(scope="module")
def predictor(tmp_path_factory):
    made = sleepers(
        tmp_path_factory.mktemp("capped"),
        count=COUNT,
        gap=GAP * MS,
        sleep=SLEEP * MS,
        threads=lambda t: 10,
        limits=(10, 10),
    )
    capture = made.write()
    return Predictor(capture, attribute(capture), replications=3)


def waits(threads):
    """Returns the waits in ms of a D/D/c queue: item n is the (n / c)th of its server."""
    return np.maximum(0.0, (np.arange(COUNT) // threads) * (SLEEP - threads * GAP))


@pytest.mark.parametrize("threads", [1, 4, 10, 20, 60])
def test_a_fixed_pool_of_sleepers_is_d_d_c(predictor, threads):
    (told,) = predictor.predict([Setting("x", policy="fixed", min_threads=threads)])
    expected = waits(threads)
    assert told.wait_ms["mean"] == pytest.approx(expected.mean(), abs=1.5)
    assert told.wait_ms["max"] == pytest.approx(expected.max(), abs=2.5)
    assert told.wait_ms["p50"] == pytest.approx(np.quantile(expected, 0.5, method="inverted_cdf"), abs=2.5)
    assert told.completion_ms["mean"] == pytest.approx(expected.mean() + SLEEP, abs=2.5)
    assert told.end_ms == pytest.approx((expected + np.arange(COUNT) * GAP).max() + SLEEP, abs=20)
    assert (told.items, told.stuck, told.deadlock) == (COUNT, 0, False)
    assert told.at_once == pytest.approx(min(threads, SLEEP // GAP), abs=1)
    assert told.peak_threads == threads
    assert told.delay_ms == pytest.approx(expected.mean() * predictor.scale, abs=2.5)
    assert told.lower_bound == (threads > 10)
    assert told.stack_bytes == told.peak_threads * 8 * 2**20


def test_the_captured_settings_have_the_measured_delay(predictor):
    (told,) = predictor.predict([AS_CAPTURED])
    assert predictor.measured_delay_ms == pytest.approx(waits(10).mean(), abs=0.01)
    assert told.delay_ms == predictor.measured_delay_ms
    assert not told.lower_bound
    assert predictor.simulated_delay_ms == pytest.approx(waits(10).mean(), rel=0.02)


def test_who_gives_threads_back_waits_for_none(predictor):
    told = predictor.predict([Setting("x", asynchronous=True), Setting("y", dedicated=True)])
    for prediction in told:
        assert prediction.wait_ms["max"] <= 5.0
        assert prediction.completion_ms["mean"] == pytest.approx(SLEEP, abs=5)


def test_twice_the_load_has_twice_the_items(predictor):
    (told,) = predictor.predict([Setting("x", load=2.0)])
    assert told.items == pytest.approx(2 * COUNT, abs=1)
    assert told.wait_ms["mean"] > 1.8 * waits(10).mean()


@pytest.mark.parametrize(
    "simulated, scale",
    [
        (1000.0, None),
        (1.0, 1 / (1 - MODEL_ERROR)),
        (1e9, 1 / (1 + MODEL_ERROR)),
        (0.0, 1.0),
        (np.inf, 1.0),
        (-3.0, 1.0),
    ],
)
def test_the_scale_is_measured_over_simulated_within_the_model_s_error(predictor, simulated, scale):
    own = Predictor(predictor.capture, predictor.attribution, replications=1)
    own.__dict__["simulated_delay_ms"] = simulated
    assert own.scale == pytest.approx(own.measured_delay_ms / simulated if scale is None else scale)


def test_only_the_items_that_are_asked_for_count(predictor):
    last = np.arange(COUNT) >= COUNT - 10
    own = Predictor(predictor.capture, predictor.attribution, replications=1, of=last)
    assert own.measured_delay_ms == pytest.approx(waits(10)[last].mean(), abs=0.01)
    none = Predictor(predictor.capture, predictor.attribution, replications=1, of=np.zeros(COUNT, bool))
    assert none.measured_delay_ms == predictor.measured_delay_ms


def test_every_seed_is_one_replication_and_a_rule_needs_one_only(predictor):
    assert predictor.seeds(AS_CAPTURED) == [predictor.seed, predictor.seed + 1, predictor.seed + 2]
    assert predictor.seeds(Setting("x", policy="fixed", min_threads=3)) == [predictor.seed]


def convoy(folder):
    """Builds two threads; every item holds one lock for 40 ms."""
    builder = CaptureBuilder(folder, length=1100 * MS)
    for turn in range(25):
        got, done = turn * 40 * MS, (turn + 1) * 40 * MS
        start = max(got - 40 * MS, turn * 1000)
        wait = [("running", MS), ("blocked", got - start - MS)] if turn else [("running", MS)]
        held = done - max(got, start + MS) if turn else done - start - MS
        worker = 200 + turn % 2
        builder.item(turn * 1000, start, done, worker, [*wait, ("blocked", held - 1000), ("running", 1000)])
        builder.wakeup(done - 1000, -1, worker)
        if turn:
            builder.contention(worker, start + MS - 1000, got, owner=200 + (turn - 1) % 2)
            builder.wakeup(got, 200 + (turn - 1) % 2, worker)
    return builder.write()


def test_the_captured_minimum_as_a_number_is_not_simulated_again(predictor):
    captured = predictor.runs(AS_CAPTURED)
    assert predictor.runs(Setting("as a number", min_threads=10)) is captured
    assert predictor.runs(Setting("another minimum", min_threads=9)) is not captured
    with_less = predictor.runs(Setting("with a lower maximum", max_threads=9))
    assert predictor.runs(Setting("both", min_threads=9, max_threads=9)) is not captured is not with_less


def test_what_waits_for_a_lock_would_wait_for_it_with_more_threads_too(tmp_path):
    capture = convoy(tmp_path)
    own = Predictor(capture, attribute(capture), replications=1)
    assert where_it_goes(own, Setting("x", min_threads=30)) == LOCK
    freed = without_locks(own.workload)
    assert freed.locks == 0 and not np.isin(freed.program.op, (Op.ACQUIRE, Op.RELEASE)).any()
    assert (freed.demand == own.workload.demand).all()


def test_what_computes_would_wait_for_a_core(tmp_path):
    builder = CaptureBuilder(tmp_path, length=2100 * MS)
    for i in range(20):
        builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, [("running", 200 * MS)])
    capture = builder.write()
    own = Predictor(capture, attribute(capture), replications=1)
    assert where_it_goes(own, Setting("x", min_threads=20)) == CORES


def test_each_setting_is_told_of_once_it_is_simulated(predictor):
    told: list = []
    predictor.predict([Setting(name, policy="fixed", min_threads=4) for name in ("one", "two")], told.append)
    assert sorted(told) == ["one", "two"]


def test_what_sleeps_goes_nowhere(predictor):
    assert where_it_goes(predictor, Setting("x", min_threads=60, max_threads=60)) is None


def test_a_large_capture_has_one_other_load_at_a_time(predictor, monkeypatch):
    settings = [Setting(str(load), load=load) for load in (0.5, 1.0, 1.5, 2.0, 3.0)]
    small = Predictor(predictor.capture, predictor.attribution, replications=2)
    told = small.predict(settings)
    assert len(small.work._drawn) == 5
    monkeypatch.setattr(captured_work, "MANY_ITEMS", COUNT)
    large = Predictor(predictor.capture, predictor.attribution, replications=2)
    at_load, there = large.work.at_load, []

    def noted(setting, seed):
        loaded = at_load(setting, seed)
        there.append({load for _, load in large.work._drawn if load != 1.0})
        return loaded

    monkeypatch.setattr(large.work, "at_load", noted)
    assert large.predict(settings) == told
    assert max(len(loads) for loads in there) == 1
    assert not [load for _, load in large.work._drawn if load != 1.0]
