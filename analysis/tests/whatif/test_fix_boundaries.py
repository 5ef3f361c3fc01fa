"""The list of fixes at the exact limits, and the fixes that are removed from it."""

import math

import pytest
from poolscope.whatif.fixes import (
    ALTERNATIVE,
    BY_CHANCE,
    RECOMMENDED,
    REJECTED,
    Option,
    leave_out,
    list_fixes,
    options_of,
    refuse,
)
from poolscope.whatif.advice import HELP, Advice, gains, notable
from predictions import prediction

PRESENT = prediction(2, 900, 1000)


def made(*options, misfit=None, error=0.05):
    return list_fixes(options, PRESENT, misfit, error)


def option(id, after, **other):
    return Option(id, f"do {id}", prediction(50, 0, after), **other)


@pytest.mark.parametrize("after, reason", [(1100, "items end later"), (1099, None), (900, None), (901, None)])
def test_a_tenth_is_notable_and_less_is_not(after, reason):
    (fix,) = made(option("cores:4", after))
    assert (fix.reason == "items end later") == (reason is not None)
    assert fix.shortens == (after == 900)
    assert notable(1000, after) == (after == 900)


@pytest.mark.parametrize(
    "before, after, seen", [(20, 15, True), (20, 15.1, False), (4, 0, False), (60, 54, True), (60, 54.1, False)]
)
def test_and_never_less_than_five_milliseconds(before, after, seen):
    assert notable(before, after) == seen


def test_a_gain_must_lie_beyond_what_both_runs_differ_by():
    now, better = prediction(2, 0, 1000, spread=0.1), prediction(2, 0, 800, spread=0.125)
    assert not gains(now, better), "both reach 900"
    assert gains(now, prediction(2, 0, 800, spread=0.12))
    assert gains(prediction(2, 0, 1000, deadlock=True), better)
    assert not gains(now, prediction(2, 0, 10, deadlock=True))
    assert made(Option("cores:4", "c", prediction(2, 0, 800, spread=0.25)))[0].reason == BY_CHANCE


def test_nine_tenths_are_enough():
    enough, short = made(option("cores:4", 100), option("cores:8", 100.1))
    assert enough.is_enough and not short.is_enough


def test_a_fix_is_shown_between_its_own_low_and_high():
    (fix,) = made(Option("cores:4", "c", prediction(2, 0, 500, delay_low_ms=510.0, delay_high_ms=490.0)))
    assert (fix.low_ms, fix.after_ms, fix.high_ms) == (400, 500, 600)


def test_fixes_come_by_what_they_leave_and_rejected_ones_after_them_with_unknown_last():
    fixes = made(
        option("cores:8", 300), option("dedicated", 1300), option("cores:4", 500), option("threads:9", math.inf)
    )
    fixes += made(option("cores:2", 1200))
    assert [f.id for f in fixes] == ["cores:8", "cores:4", "dedicated", "threads:9", "cores:2"]
    assert [f.status for f in fixes[:4]] == [RECOMMENDED, ALTERNATIVE, REJECTED, REJECTED]


def test_what_nobody_would_think_of_is_there_only_where_it_helps():
    assert made(option("max-threads:9", 1000, only_if_better=True)) == []
    assert len(made(option("max-threads:9", 500, only_if_better=True))) == 1
    assert made(option("max-threads:9", 500, only_if_better=True), misfit="no") == []


@pytest.mark.parametrize("error, told", [(0.1234567, 0.123457), (math.inf, None), (math.nan, None)])
def test_the_model_s_error_stands_beside_each(error, told):
    assert made(option("cores:4", 500), error=error)[0].model_error == told


def test_refusing_more_at_once_leaves_cores_and_takes_the_figures_away():
    fixes = made(option("threads:9", 100), option("await", 50), option("cores:4", 500), option("dedicated", 1300))
    left = refuse(fixes, "a lock", 2)
    assert [(f.id, f.status) for f in left[:1]] == [("cores:4", RECOMMENDED)]
    assert all(f.reason == "a lock" and f.after_ms is f.low_ms is f.high_ms is None for f in left[1:])
    assert len(left) == 4


def test_one_kind_is_left_out_and_the_next_is_recommended():
    fixes = made(option("threads:9", 100), option("cores:4", 500), option("cores:8", 400))
    assert [(f.id, f.status) for f in leave_out(fixes, "threads")] == [
        ("cores:8", RECOMMENDED),
        ("cores:4", ALTERNATIVE),
    ]


def test_options_are_named_by_what_is_to_be_done():
    rows = [
        ("await", prediction(None, 0, 1)),
        ("cores:4", prediction(None, 0, 1)),
        ("max-threads:9", prediction(None, 0, 1)),
        ("max-threads:9000", prediction(40, 0, 1)),
    ]
    judged = [Advice(HELP, "", n, 0, 0, 0, 0, 0) for n in (1, 2, 50, 77)]
    sweep = [prediction(n, 0, 1) for n in (1, 2, 50)]
    options = options_of(rows, judged, sweep, now=2)
    assert [(o.id, o.label) for o in options] == [
        ("await", "Await instead of blocking"),
        ("cores:4", "Run on 4 cores"),
        ("max-threads:9", "Let at most 9 items run at once"),
        ("max-threads:9000", "Allow 9,000 threads (minimum and maximum)"),
        ("threads:1", "Lower the minimum of threads to 1"),
        ("threads:50", "Set the minimum of threads to 50"),
    ]
    assert [o.only_if_better for o in options] == [False, False, True, False, False, False]
