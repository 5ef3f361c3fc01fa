"""The advice of the sweep, judged by when items end and never by when they start."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from poolscope.whatif import advice as module
from poolscope.whatif.advice import HELP, HURT, LITTLE, MOVE, SERVES, TAKEN, Advice, advise, judge_minimums
from poolscope.whatif.sweep import knee
from predictions import prediction, requests


@pytest.fixture(autouse=True)
def goes_to_a_lock(monkeypatch):
    monkeypatch.setattr(module, "where_it_goes", lambda predictor, setting: "lock")
    monkeypatch.setattr(module, "takes", lambda predictor, chosen: False)


def advised(rows, now=2, target=None, judge=advise, adds_work=False):
    """Judges `rows` of minimum, mean wait, mean completion (ms) and, optionally, other fields of the prediction."""
    sweep = [prediction(n, wait, done, **(more[0] if more else {})) for n, wait, done, *more in rows]

    def at(threads):
        """Returns the prediction of the highest point up to `threads`: between two points nothing improves."""
        below = max((p for p in sweep if p.setting.min_threads <= threads), key=lambda p: p.setting.min_threads)
        return replace(below, setting=replace(below.setting, min_threads=threads))

    present = next(p for p in sweep if p.setting.min_threads == now)
    predictor = SimpleNamespace(captured=SimpleNamespace(min_threads=now), adds_work=adds_work)
    return judge(predictor, present, sweep, knee(sweep, at), at, target)


def test_threads_that_end_items_earlier_are_advised():
    (help,) = advised([(2, 9000, 9500), (10, 2000, 2500), (100, 0, 500)])
    assert (help.id, help.min_threads) == (HELP, 100)
    assert "Predicted mean delay: 500 ms (495 ms to 505 ms), measured 9.5 s" in help.text


def test_a_wait_that_moves_behind_a_lock_is_named_and_no_threads_are_advised():
    (move,) = advised([(2, 3900, 4000), (20, 3500, 4000), (200, 0, 4000)])
    assert (move.id, move.goes_to, move.min_threads) == (MOVE, "lock", 200)
    assert "wait for a lock" in move.text


def test_without_a_gain_the_wait_is_judged_at_the_fewest_threads_that_end_it_not_at_the_knee():
    """Ten threads end items 4 % sooner, which is no gain; the effect of more threads on the wait shows only at 100."""
    (move,) = advised([(2, 1000, 1040), (10, 950, 1000), (100, 0, 1000)])
    assert (move.id, move.min_threads) == (MOVE, 100)


def test_threads_that_end_items_later_hurt():
    (hurt,) = advised([(2, 5000, 5250), (10, 3000, 8000), (40, 0, 10_000)])
    assert (hurt.id, hurt.min_threads) == (HURT, 40)
    assert "Do not raise" in hurt.text


@pytest.mark.parametrize(("served", "id"), [(960.0, SERVES), (1400.0, HURT), (1600.0, HURT)])
def test_threads_that_end_items_later_and_answer_requests_sooner_are_not_advised_against(served, id):
    rows = [(2, 290, 300, {"requests": requests(1440.0)}), (90, 1, 508, {"requests": requests(served)})]
    (why,) = advised(rows, judge=judge_minimums)
    assert why.id == id
    assert [a.id for a in advised(rows)] == ([] if id == SERVES else [HURT])


def test_a_present_minimum_that_is_too_high_already():
    (hurt,) = advised([(2, 5000, 5250), (10, 3000, 8000), (40, 0, 10_000)], now=40)
    assert (hurt.id, hurt.min_threads) == (HURT, 2)
    assert "too high" in hurt.text


@pytest.mark.parametrize("later", [8000, 5250, 5000])
def test_where_other_settings_have_more_to_do_a_longer_delay_is_no_advice_against_threads(later):
    assert advised([(2, 5000, 5250), (10, 3000, later)], judge=judge_minimums, adds_work=True) == []


def test_where_other_settings_have_more_to_do_a_gain_is_one_all_the_more():
    (help,) = advised([(2, 9000, 9500), (10, 2000, 2500), (100, 0, 500)], adds_work=True)
    assert (help.id, help.min_threads) == (HELP, 100)


def test_nothing_is_said_where_threads_do_not_matter():
    assert advised([(2, 3, 500), (10, 1, 499), (40, 0, 498)]) == []


def test_a_gain_within_chance_is_none():
    rows = [(2, 1000, 1500, {"spread": 0.5}), (10, 800, 1300, {"spread": 0.5})]
    assert HELP not in [a.id for a in advised(rows)]


def test_the_fewest_threads_that_meet_the_target():
    (help,) = advised([(2, 9000, 9500), (10, 45, 545), (100, 0, 500)], target=100.0)
    assert help.min_threads == 10
    assert "the p99 wait then meets the target of 100 ms" in help.text


def test_a_target_that_nothing_meets_is_said():
    missed, *_ = advised([(2, 9000, 9500), (10, 2000, 2500)], target=100.0)
    assert missed.id == "target-missed" and "No minimum of threads" in missed.text


def test_a_target_that_is_met_by_moving_the_wait_is_no_advice():
    (move,) = advised([(2, 3900, 4000), (200, 0, 4000)], target=100.0)
    assert move.id == MOVE


def test_a_pool_that_stands_still_is_helped_by_one_that_does_not():
    inf = float("inf")
    (help,) = advised([(2, inf, inf, {"deadlock": True, "spread": 0.0}), (60, 0, 500)])
    assert (help.id, help.min_threads) == (HELP, 60)
    assert "measured never" in help.text


def test_a_gain_that_is_only_taken_from_other_processes_is_why_nothing_is_advised(monkeypatch):
    monkeypatch.setattr(module, "takes", lambda predictor, chosen: True)
    rows = [(2, 9000, 9500), (10, 2000, 2500), (100, 0, 500)]
    (why,) = advised(rows, judge=judge_minimums)
    assert (why.id, why.text, why.min_threads, why.delay_ms, why.delay_after_ms) == (TAKEN, "", 100, 9500, 500)
    assert advised(rows) == [], "it is no advice"


def test_a_gain_of_next_to_nothing_is_why_nothing_is_advised():
    (why,) = advised([(2, 3, 500), (10, 1, 499), (40, 0, 498)], judge=judge_minimums)
    assert (why.id, why.text) == (LITTLE, "")


def test_figures_are_exact_to_the_nanosecond_and_what_is_never_reached_is_null():
    told = Advice(HELP, "", 10, 1.23456789, float("inf"), float("nan"), 0.0, 2.0).to_json()
    assert (told["delay_ms"], told["delay_after_ms"], told["p99_after_ms"]) == (1.234568, None, None)
    assert (told["min_threads"], told["end_after_ms"]) == (10, 2.0)


def test_where_a_gain_is_only_taken_the_wait_is_judged_at_the_fewest_threads_that_end_it(monkeypatch):
    """Ten threads end items as soon as possible, which is no gain here; at 100 threads less than half of the wait is
    gone."""
    monkeypatch.setattr(module, "takes", lambda predictor, chosen: True)
    (move,) = advised([(2, 1000, 1500), (10, 500, 1000), (100, 0, 1010)])
    assert (move.id, move.min_threads) == (MOVE, 100)
