"""The trust in the simulation, from its result for the captured settings."""

import pytest
from poolscope.base.limits import MODEL_ERROR
from poolscope.whatif.calibration import GOOD, NOT_TRUSTED, ROUGH, ROUGH_P99, Calibration, judge, relative


def judged(mean=(1000.0, 1000.0), p99=(2000.0, 2000.0), spread=0.0):
    """Judges measured and simulated ms; the runs reach `spread` ms beyond the simulated ones."""
    measured, simulated = ({"mean": mean[i], "p99": p99[i]} for i in (0, 1))
    low, high = ({k: v + s * spread for k, v in simulated.items()} for s in (-1, 1))
    return judge(measured, simulated, low, high)


@pytest.mark.parametrize(
    ("mean", "p99", "confidence"),
    [
        ((1000, 1090), (2000, 2400), GOOD),
        ((1000, 1200), (2000, 2000), ROUGH),
        ((1000, 1000), (2000, 1100), ROUGH),
        ((1000, 1300), (2000, 2000), NOT_TRUSTED),
        ((1000, 1000), (2000, 900), NOT_TRUSTED),
        ((1000, 1200), (2000, 4000), NOT_TRUSTED),
        ((1000, 1300), (2000, 2900), NOT_TRUSTED),
    ],
)
def test_confidence_by_error(mean, p99, confidence):
    word, reasons = judged(mean, p99)
    assert word == confidence
    assert bool(reasons) == (confidence != GOOD)


def test_what_lies_within_the_range_of_the_runs_is_met():
    assert judged((1000.0, 1400.0), spread=450.0)[0] == GOOD


def test_milliseconds_are_no_error():
    assert relative(4.0, 0.1) == 0.0
    assert judged((0.1, 4.0), (1.0, 5.5))[0] == GOOD


def test_reasons_say_both_figures():
    assert "simulated as 1.3 s, and was 1 s" in judged((1000.0, 1300.0))[1][0]


@pytest.mark.parametrize(
    ("model", "mean", "p99", "said"),
    [
        (-0.4, 0.9, 0.9, "model error 40 %"),
        (MODEL_ERROR, -0.6, 0.9, "model error of the mean wait 60 %"),
        (0.0, MODEL_ERROR, 0.7, "model error of the p99 wait 70 %"),
        (0.0, 0.0, ROUGH_P99, "the model does not fit this run"),
        (float("inf"), 0.9, 0.9, "its items never end"),
    ],
)
def test_the_misfit_that_is_named_is_the_first_that_is_beyond_what_can_be_told(model, mean, p99, said):
    none = {"mean": 0.0, "p50": 0.0, "p99": 0.0, "max": 0.0}
    error = {**none, "mean": mean, "p99": p99}
    made = Calibration(none, none, none, none, 2, 2, error, NOT_TRUSTED, [], none, model)
    assert said in made.misfit
    assert ("(" in made.misfit) == (said != "the model does not fit this run")
