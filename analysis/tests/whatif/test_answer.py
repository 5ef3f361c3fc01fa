"""The whole answer: the settings that are simulated by default, and the rows that are fixes."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from poolscope.base.series import Steps
from poolscope.whatif.explore import (
    ASKED,
    ASYNC,
    FIX,
    LOAD,
    RECORDER,
    SWEEP,
    answer,
    default_settings,
    is_captured,
    minimum,
)
from poolscope.whatif.setting import AS_CAPTURED, Setting
from predictions import captured, prediction


def settings(queued=0, busy=0, **other):
    """Returns the labels of the default set; `queued` items are queued from 1 s on, and `busy` items run from
    before."""
    at = np.array([0.0, 1e9])
    pool = SimpleNamespace(queued=Steps(at, np.array([0.0, queued])), busy=Steps(at, np.array([busy, busy])))
    attribution: Any = SimpleNamespace(pool=pool)
    return default_settings(captured(**other), attribution)


def labels(group, **other):
    return [s.label for g, s in settings(**other) if g == group]


@pytest.mark.parametrize(
    ("cores", "twice", "half"),
    [
        (4.0, "8 cores", "2 cores"),
        (2.0, "4 cores", "1 core"),
        (1.0, "2 cores", "0.5 cores"),
        (0.5, "1 core", "0.25 cores"),
    ],
)
def test_each_fix_alone_and_twice_and_half_the_cores(cores, twice, half):
    assert labels(FIX, core_count=cores, peak_busy=1) == [ASYNC, "dedicated threads", twice, half]
    assert [s.cores for g, s in settings(core_count=cores, peak_busy=1) if s.cores] == [2 * cores, cores / 2]
    assert [s.load for g, s in settings() if g == LOAD] == [1.5, 2.0]


@pytest.mark.parametrize(("queued", "label"), [(30, ["min and max 70"]), (0, []), (10**6, ["min and max 32,767"])])
def test_at_its_maximum_a_pool_gets_as_many_threads_as_items_were_queued_or_running_at_once(queued, label):
    at_maximum = {"peak_busy": 40, "max_threads": 40, "queued": queued, "busy": 40}
    assert labels(FIX, **at_maximum)[4:] == label
    more = [s for g, s in settings(**at_maximum) if s.max_threads is not None]
    assert all(s.min_threads == s.max_threads == min(queued + 40, 32767) for s in more)


@pytest.mark.parametrize(("busy", "label"), [(9, ["max 4"]), (8, [])])
def test_with_more_than_two_items_a_core_a_run_with_no_more_threads_than_cores_is_looked_at(busy, label):
    assert labels(FIX, peak_busy=busy, core_count=3.5)[4:] == label


def test_a_setting_that_only_names_the_captured_minimum_changes_nothing():
    now = captured(min_threads=4)
    assert is_captured(Setting("x"), now) and is_captured(minimum(4), now) and is_captured(AS_CAPTURED, now)
    assert not is_captured(minimum(5), now)
    assert not is_captured(Setting("x", min_threads=4, asynchronous=True), now)
    assert not is_captured(Setting("x", load=2.0), now)


@pytest.fixture
def predictor(monkeypatch):
    """Predicts every setting by what its minimum of threads, and its use of await, make of a delay of 1000 ms."""
    fits = SimpleNamespace(is_usable=True, misfit=None, model_error=0.0)
    # The package has a function with the module's name.
    monkeypatch.setattr(sys.modules["poolscope.whatif.explore"], "calibrate", lambda predictor: fits)
    monkeypatch.setattr("poolscope.whatif.advice.takes", lambda predictor, chosen: False)

    def one(setting):
        delay = 100 if setting.asynchronous else 200 if setting.dedicated else 1000 / (setting.min_threads or 2)
        return prediction(wait=delay, completion=2 * delay, setting=setting)

    predict = lambda settings, progress=None: [one(s) for s in settings]  # noqa: E731
    said = {"predict": predict, "replications": 1, "seed": 1, "request_fit": None, "adds_work": False}
    return SimpleNamespace(captured=captured(min_threads=2), **said)


def test_only_the_rows_of_the_default_set_are_fixes(predictor):
    others = [
        (FIX, Setting(ASYNC, asynchronous=True)),
        (LOAD, Setting("twice", load=2.0)),
        (ASKED, Setting("mine", dedicated=True)),
    ]
    made = answer(predictor, [], others)
    assert [f.id for f in made.fixes] == ["await"]
    assert [group for group, _ in made.others] == [FIX, LOAD, ASKED]
    refused = made.refusing("a lock")
    assert [group for group, _ in refused.others] == [LOAD, ASKED]
    assert [(f.id, f.reason) for f in refused.fixes] == [("await", "a lock")]


def test_two_points_make_a_curve_with_a_knee_and_one_does_not(predictor):
    made = answer(predictor, [minimum(2), minimum(50)], [])
    assert made.knee is not None and len(made.advice) == 1
    assert [f.kind for f in made.fixes] == ["threads"]
    assert [group for group, _ in made.rows][:3] == ["present", SWEEP, SWEEP]
    alone = answer(predictor, [minimum(50)], [])
    assert (alone.knee, alone.advice, alone.fixes) == (None, [], [])


@pytest.mark.parametrize(("alone_ms", "told"), [(800, True), (950, False)])
def test_what_the_recorder_took_has_a_row_where_it_is_notable(predictor, alone_ms, told):
    every = predictor.predict
    predictor.predict = lambda settings, progress=None: [
        prediction(wait=alone_ms, completion=alone_ms, setting=s) if s.unrecorded else every([s])[0] for s in settings
    ]
    made = answer(predictor, [], [(RECORDER, Setting("without the recorder", unrecorded=True))])
    assert made.present.delay_ms == 1000
    assert [group for group, _ in made.others] == ([RECORDER] if told else [])
    assert made.fixes == []


def test_what_the_recorder_took_is_no_gain_of_more_threads(predictor):
    sweep = [minimum(n, Setting("", unrecorded=True)) for n in (2, 50)]
    made = answer(predictor, sweep, [])
    assert (made.knee, made.advice, made.fixes) == (None, [], [])
