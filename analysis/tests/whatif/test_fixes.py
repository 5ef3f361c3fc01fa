"""The list of fixes: those that may be advised, those that are refused and why, and captures without predictions."""

from dataclasses import replace

import pytest
from poolscope.whatif.advice import HELP, HURT, LITTLE, MISSED, MOVE, TAKEN, Advice
from poolscope.whatif.fixes import (
    ALTERNATIVE,
    BY_CHANCE,
    MORE_WORK,
    RECOMMENDED,
    REJECTED,
    UNTOLD,
    Option,
    list_fixes,
    options_of,
    refuse,
)
from poolscope.whatif.prediction import REQUESTS
from predictions import prediction, requests

PRESENT = prediction(2, 900, 1000)


def fix_of(after, before=1000, refused=None, **other):
    row = prediction(50, 0, after, **other)
    (fix,) = list_fixes([Option("threads:50", "Set", row, refused)], prediction(2, 0, before), None, 0.05)
    return fix


@pytest.mark.parametrize(
    ("after", "before", "status", "reason"),
    [
        (500, 1000, RECOMMENDED, None),
        (890, 1000, RECOMMENDED, None),
        (910, 1000, REJECTED, "it changes the mean delay by less than a tenth"),
        (1090, 1000, REJECTED, "it changes the mean delay by less than a tenth"),
        (1110, 1000, REJECTED, "items end later"),
        (13_000, 1000, REJECTED, "items end later"),
        (1, 4, REJECTED, "it changes the mean delay by less than 5 ms"),
        (8, 4, REJECTED, "it changes the mean delay by less than 5 ms"),
    ],
)
def test_a_fix_is_judged_by_the_figures_that_it_shows(after, before, status, reason):
    fix = fix_of(after, before)
    assert (fix.status, fix.reason) == (status, reason)
    assert (fix.before_ms, fix.after_ms) == (before, after)
    assert fix.low_ms <= fix.after_ms <= fix.high_ms


def test_the_figure_of_a_fix_is_what_it_leaves_with_the_least_and_the_most_of_its_runs():
    assert fix_of(500).figure == "500 ms (395 ms to 605 ms)"
    assert fix_of(500, lower_bound=True).figure != fix_of(500).figure


def test_the_interval_holds_the_model_s_error_beside_what_chance_does():
    (fix,) = list_fixes([Option("cores:4", "c", prediction(None, 0, 500))], prediction(None, 0, 1000), None, -0.2)
    assert fix.low_ms <= 300 and fix.high_ms >= 700
    (fix,) = list_fixes([Option("cores:4", "c", prediction(None, 0, 1))], prediction(None, 0, 1000), None, 0.0)
    assert fix.low_ms == 0 and fix.high_ms >= 101


def test_a_gain_that_two_runs_differ_by_is_none():
    assert fix_of(800, spread=0.5).reason == BY_CHANCE


def test_a_fix_after_which_nothing_ever_starts_is_refused_without_a_figure():
    fix = fix_of(float("inf"), deadlock=True)
    assert (fix.status, fix.after_ms, fix.figure) == (REJECTED, None, "")


def test_what_the_sweep_has_against_a_minimum_is_the_reason_whatever_it_gains():
    assert (fix_of(500, refused="the wait only moves").reason) == "the wait only moves"


def options(**after):
    return [Option(id.replace("_", ":"), id, prediction(None, 0, ms)) for id, ms in after.items()]


def statuses(*chosen):
    return [(f.id, f.status) for f in list_fixes([o for o in chosen], PRESENT, None, 0.0)]


def test_one_fix_is_recommended_and_awaiting_comes_first_where_it_is_enough():
    assert statuses(*options(threads_53=1, cores_4=500, dedicated=2000))[0] == ("threads:53", RECOMMENDED)
    enough = options(threads_53=1, cores_4=500, dedicated=2000) + [Option("await", "a", prediction(None, 0, 100))]
    assert statuses(*enough) == [
        ("await", RECOMMENDED),
        ("threads:53", ALTERNATIVE),
        ("cores:4", ALTERNATIVE),
        ("dedicated", REJECTED),
    ]
    little = replace(enough[-1], prediction=prediction(None, 0, 300))
    assert statuses(*enough[:-1], little)[:2] == [("threads:53", RECOMMENDED), ("await", ALTERNATIVE)]


def test_where_the_model_does_not_fit_no_fix_has_a_figure_and_no_number_is_prescribed():
    misfit = "the model does not fit this run (model error 8130 %)"
    rows = options(threads_300=13_000, cores_4=10, dedicated=10) + [Option("await", "a", prediction(None, 0, 1))]
    made = list_fixes(rows, PRESENT, misfit, 81.3)
    assert [f.id for f in made] == ["threads", "cores", "dedicated"], "to await is advice about the code"
    assert all((f.status, f.reason, f.after_ms, f.figure) == (REJECTED, misfit, None, "") for f in made)
    assert not any(any(c.isdigit() for c in f.label) for f in made)


@pytest.mark.parametrize(
    ("id", "goes_to", "reason"),
    [
        (HELP, None, None),
        (HURT, "cores", "items end later: they then wait for a core"),
        (MOVE, "lock", "the wait only moves: they then wait for a lock that one item at a time can hold"),
        (TAKEN, None, "it would only take CPU time from other processes"),
        (LITTLE, None, BY_CHANCE),
    ],
)
def test_rules_and_list_say_the_same_of_a_minimum(id, goes_to, reason):
    judged = [Advice(id, "", 50, 1000, 500, 0, 0, 0, goes_to), Advice(MISSED, "", 50, 1000, 500, 0, 0, 0)]
    (option,) = options_of([], judged, [prediction(50, 0, 500)], now=2)
    assert (option.id, option.refused) == ("threads:50", reason)


@pytest.mark.parametrize(("after", "status"), [(500, RECOMMENDED), (950, REJECTED), (2000, REJECTED)])
def test_where_settings_have_more_to_do_than_the_run_had_no_longer_delay_is_held_against_them(after, status):
    row = prediction(50, 0, after)
    (fix,) = list_fixes([Option("threads:50", "Set", row)], prediction(2, 0, 1000), None, 0.05, adds_work=True)
    assert fix.status == status
    assert (fix.reason, fix.after_ms) == ((None, after) if status == RECOMMENDED else (MORE_WORK, None))


@pytest.mark.parametrize("missing", ["after_ms", "low_ms", "high_ms"])
def test_without_any_one_of_its_figures_a_fix_has_none(missing):
    fix = fix_of(500)
    assert "500" in fix.figure
    assert replace(fix, **{missing: None}).figure == ""


def test_a_fix_that_answers_requests_sooner_and_ends_items_later_has_no_figure_against_it():
    present, row = prediction(2, 290, 306, requests=requests(1440.0)), prediction(90, 1, 508, requests=requests(960.0))
    (fix,) = list_fixes([Option("threads:90", "Set", row, "items end later")], present, None, 0.02)
    assert (fix.status, fix.after_ms) == (REJECTED, None)
    assert fix.reason == (
        "items do not end sooner, but requests are answered in 960 ms on average instead of 1.44 s (simulated)"
    )


def test_what_more_at_once_would_not_shorten_does_not_refuse_a_lower_minimum():
    lower, *refused = refuse(
        list_fixes(options(threads_2=400, threads_53=1, await_=1), PRESENT, None, 0.0), "a lock", 8
    )
    assert (lower.id, lower.status, lower.after_ms) == ("threads:2", RECOMMENDED, 400)
    assert {(f.status, f.reason, f.after_ms) for f in refused} == {(REJECTED, "a lock", None)}


def of_requests(threads, mean, **other):
    return prediction(threads, 0, mean, of=REQUESTS, requests=requests(mean), **other)


def test_where_requests_were_late_fixes_are_judged_by_them():
    (fix,) = list_fixes([Option("threads:50", "Set", of_requests(50, 500))], of_requests(2, 1000), None, 0.05)
    assert (fix.of, fix.status, fix.before_ms, fix.after_ms) == (REQUESTS, RECOMMENDED, 1000, 500)
    (fix,) = list_fixes([Option("threads:50", "Set", of_requests(50, 1200))], of_requests(2, 1000), None, 0.05)
    assert (fix.status, fix.reason) == (REJECTED, "requests are answered later")


def test_a_setting_with_which_requests_are_not_predicted_has_no_figure():
    row = prediction(1, 0, float("nan"), of=REQUESTS)
    (fix,) = list_fixes([Option("threads:1", "Lower", row)], of_requests(2, 1000), None, 0.0)
    assert (fix.status, fix.after_ms, fix.reason) == (REJECTED, None, UNTOLD)
