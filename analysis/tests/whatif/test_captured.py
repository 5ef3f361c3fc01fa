"""The settings in force that are read from the capture, and the trust in their simulation."""

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.base.series import Steps
from poolscope.capture.schema import flag
from poolscope.whatif import calibration
from poolscope.whatif.calibration import GOOD, NOT_TRUSTED, ROUGH, calibrate, judge, relative
from poolscope.whatif.predict import Predictor
from poolscope.whatif.setting import captured_settings
from synthetic import MS, CaptureBuilder, sleepers


def settings_of(builder):
    capture = builder.write()
    return captured_settings(capture, attribute(capture))


def builder_with_items(folder, **other):
    builder = CaptureBuilder(folder, length=1000 * MS, **other)
    builder.item(0, 0, 100 * MS, 200, [("running", 100 * MS)])
    builder.item(0, 50 * MS, 200 * MS, 201, [("blocked", 150 * MS)])
    return builder.item(0, 100 * MS, 110 * MS, 200, [("running", 10 * MS)])


def test_the_limits_are_those_that_held_for_longest(tmp_path):
    builder = builder_with_items(tmp_path, limits=(2, 50))
    for time, least, most in ((300 * MS, 5, 60), (900 * MS, 2, 70)):
        builder.rows["pool_limits"].append({"time": time, "min": least, "max": most, "known": 0})
    told = settings_of(builder)
    # The minimum was 2 for 300 + 100 ms and 5 for 600; the maximum 50 for 300, 60 for 600, 70 for 100.
    assert (told.min_threads, told.max_threads) == (5, 60)
    assert [float(told.maximum_over_time.at(t * MS)) for t in (0, 299, 300, 899, 900)] == [50, 50, 60, 60, 70]


def test_most_busy_and_most_threads_at_once(tmp_path):
    builder = builder_with_items(tmp_path)
    builder.born = {200: -1, 201: 40 * MS, 202: 300 * MS}
    told = settings_of(builder)
    assert (told.peak_busy, told.peak_threads) == (2, 3)


@pytest.mark.parametrize(
    "known, least, follows", [("default", 2, True), ("default", 3, False), ("environment", 2, False)]
)
def test_only_a_default_minimum_of_one_thread_a_processor_follows_the_cores(tmp_path, known, least, follows):
    builder = builder_with_items(tmp_path, limits=(least, 50))
    builder.manifest["target"]["min_threads"]["known"] = known
    assert settings_of(builder).min_follows_cores == follows


def test_no_core_is_there_while_the_runtime_is_suspended(tmp_path):
    builder = builder_with_items(tmp_path)
    builder.suspension(300 * MS, 400 * MS)
    told = settings_of(builder)
    assert [float(told.cores.at(t * MS)) for t in (299, 300, 399, 400)] == [2, 0, 0, 2]


@pytest.mark.parametrize(
    "name, policy", [("net11:2", "net11"), ("rotor", "rotor"), ("somebody's own", "net"), (None, "net")]
)
def test_a_reference_pool_is_simulated_as_what_it_is(tmp_path, name, policy):
    builder = builder_with_items(tmp_path)
    if name is not None:
        builder.manifest["pool"] = {"provider": "Other", "name": name, "other_items": 0}
    assert settings_of(builder).policy == policy


@pytest.mark.parametrize(
    "simulated, measured, error",
    [(105, 100, 0.0), (105.1, 100, 0.051), (94.9, 100, -0.051), (6, 0, 1.2), (7, 2, 0.0), (50, 5, 9.0)],
)
def test_an_error_is_a_share_of_what_was_measured_and_none_below_five_ms(simulated, measured, error):
    assert relative(simulated, measured) == pytest.approx(error)


@pytest.mark.parametrize(
    "mean, p99, confidence",
    [
        (1100, 2500, GOOD),
        (1100.1, 2500, ROUGH),
        (1100, 2500.1, ROUGH),
        (1000, 3000, ROUGH),
        (1000, 3000.1, NOT_TRUSTED),
        (1000 * (1 + calibration.ROUGH_MEAN) + 0.1, 2000, NOT_TRUSTED),
        (1000 * (1 + calibration.ROUGH_MEAN), 2000, ROUGH),
    ],
)
def test_confidence_at_its_very_limits(mean, p99, confidence):
    measured, simulated = {"mean": 1000.0, "p99": 2000.0}, {"mean": mean, "p99": p99}
    assert judge(measured, simulated, simulated, simulated)[0] == confidence


def capped(folder):
    return sleepers(folder, count=60, gap=10 * MS, sleep=500 * MS, threads=lambda t: 10, limits=(10, 10)).write()


def test_a_run_that_the_model_fits_is_trusted_with_both_figures(tmp_path):
    capture = capped(tmp_path)
    made = calibrate(Predictor(capture, attribute(capture), replications=3))
    expected = np.maximum(0, np.arange(60) // 10 * 400)
    assert made.measured["mean"] == pytest.approx(expected.mean())
    assert made.measured["max"] == expected.max()
    assert made.simulated["mean"] == pytest.approx(expected.mean(), rel=0.02)
    assert made.low["mean"] <= made.simulated["mean"] <= made.high["mean"]
    assert made.measured_completion["mean"] == pytest.approx(expected.mean() + 500)
    assert (made.confidence, made.misfit, made.reasons, made.model_error) == (GOOD, None, [], 0.0)
    assert made.threads_measured == 10 and made.threads_simulated == 10


@pytest.mark.parametrize("factor, usable", [(0.5, False), (0.9, True), (1.2, True), (1.5, False)])
def test_a_run_that_the_model_does_not_fit_is_not(tmp_path, factor, usable):
    capture = capped(tmp_path)
    predictor = Predictor(capture, attribute(capture), replications=1)
    predictor.__dict__["measured_delay_ms"] = predictor.simulated_delay_ms / factor
    made = calibrate(predictor)
    assert made.model_error == pytest.approx(factor - 1, abs=1e-6)
    assert made.is_usable == usable
    assert (made.misfit is None) == usable
    assert usable or "does not fit" in made.reasons[0]


def test_what_was_still_queued_is_compared_up_to_the_end_only(tmp_path):
    builder = sleepers(tmp_path, count=60, gap=10 * MS, sleep=500 * MS, threads=lambda t: 10, limits=(10, 10))
    stop = 1500 * MS
    for row in builder.rows["work_items"]:
        if row["dequeue"] >= stop:
            row |= {"dequeue": -1, "end": -1, "worker_tid": -1, "flags": flag("work_items", "queued_at_end")}
        elif row["end"] > stop:
            row |= {"end": -1, "flags": flag("work_items", "running_at_end")}
    states = builder.rows["thread_states"]
    builder.rows["thread_states"] = [s | {"end": min(s["end"], stop)} for s in states if s["start"] < stop]
    for stream in builder.rows["streams"]:
        stream["end"] = stop
    capture = builder.write()
    made = calibrate(Predictor(capture, attribute(capture), replications=1))
    waits = np.minimum(np.arange(60) // 10 * 400, 1500 - np.arange(60) * 10)
    assert made.measured["mean"] == pytest.approx(waits.mean(), abs=0.1)
    assert made.simulated["mean"] == pytest.approx(waits.mean(), rel=0.03)
