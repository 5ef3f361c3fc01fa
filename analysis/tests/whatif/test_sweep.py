"""The points of the sweep, the knee and the fewest threads that meet a target."""

import math

import pytest
from poolscope.whatif.sweep import fewest, knee, sweep_points, threads_of
from predictions import prediction


def curve(wait):
    """Returns predictions by threads: items that take 500 ms after a wait."""
    tried = []

    def at(threads):
        tried.append(threads)
        return prediction(threads, wait(threads), 500 + wait(threads))

    return at, tried


def test_points_reach_from_one_thread_to_all_that_can_run_and_hold_the_present_minimum():
    points = sweep_points(present=4, most=100, maximum=32767)
    assert (points[0], points[-1]) == (1, 100)
    assert 4 in points and points == sorted(set(points)) and len(points) <= 9


def test_no_point_lies_above_the_maximum():
    assert sweep_points(present=2, most=400, maximum=10)[-1] == 10


def test_the_knee_is_the_fewest_threads_that_are_nearly_as_good_as_the_best():
    at, tried = curve(lambda n: max(0.0, 100.0 - n) * 10)
    found = knee([at(n) for n in (1, 10, 50, 150, 300)], at)
    assert threads_of(found) == pytest.approx(98, abs=2)
    assert len(tried) < 15, "looked for by halving"


def test_where_threads_do_not_matter_the_knee_is_the_first_point():
    at, _ = curve(lambda n: 20.0)
    assert threads_of(knee([at(n) for n in (1, 10, 100)], at)) == 1


def test_wait_that_only_moves_into_execution_makes_no_knee():
    sweep = [prediction(n, wait, 4000.0) for n, wait in ((2, 3900.0), (20, 3500.0), (200, 0.0))]
    assert threads_of(knee(sweep, lambda n: sweep[0])) == 2


def test_a_few_items_that_wait_for_long_count_although_the_mean_hardly_tells():
    short = prediction(90, 10.0, 510.0)
    long = prediction(80, 20.0, 520.0)
    long.completion_ms["p99"] = 3000.0
    assert threads_of(knee([long, short], lambda n: long)) > 80


def test_nothing_that_never_ends_has_a_knee():
    assert knee([prediction(n, math.inf, math.inf) for n in (1, 2)], lambda n: None) is None


def test_the_fewest_that_meet_a_target_are_found_between_two_points():
    at, _ = curve(lambda n: 1000.0 / n)
    found = fewest([at(n) for n in (1, 8, 64)], lambda p: p.wait_ms["mean"] <= 50.0, at)
    assert threads_of(found) in (20, 21)


def test_a_target_that_nothing_meets_has_no_answer():
    at, _ = curve(lambda n: 1000.0)
    assert fewest([at(n) for n in (1, 8)], lambda p: p.wait_ms["mean"] <= 50.0, at) is None
