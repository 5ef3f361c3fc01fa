"""Reservations about a prediction: a tenth of the items, or a tenth more at once, and never less."""

from types import SimpleNamespace

import numpy as np
import pytest
from poolscope.whatif.setting import AS_CAPTURED, Setting
from poolscope.whatif.uncertain import many_unfinished, runs_more_at_once, why_uncertain
from predictions import captured


def of(count=20, queued=0, running=0, censored=0):
    """Returns an attribution of `count` items; `queued`, `running` and `censored` are the numbers of such items at its
    start."""
    first = lambda n: np.arange(count) < n  # noqa: E731
    items = SimpleNamespace(
        count=count, queued_at_end=first(queued), running_at_end=first(running), censored_start=first(censored)
    )
    return SimpleNamespace(items=items)


def said(setting=AS_CAPTURED, deadlock=False, **other):
    return " ".join(why_uncertain(setting, captured(core_count=2.0), of(**other), deadlock))


@pytest.mark.parametrize(("at_once", "more"), [(9, False), (11, False), (12, True)])
def test_a_tenth_more_at_once_than_in_the_capture_is_not_more(at_once, more):
    assert runs_more_at_once(at_once, captured(peak_busy=10)) == more


@pytest.mark.parametrize(("queued", "running", "many"), [(0, 1, False), (1, 0, False), (1, 1, True), (2, 0, True)])
def test_many_are_unfinished_from_a_tenth_on(queued, running, many):
    assert many_unfinished(of(queued=queued, running=running)) == many


def test_of_no_items_none_are_unfinished():
    assert not many_unfinished(of(count=0))


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ({"queued": 2}, "2 work items never started in the capture (10 %)"),
        ({"running": 2}, "2 work items had not ended"),
        ({"censored": 2}, "of the items were queued before the capture"),
        ({"setting": Setting("x", cores=2.5)}, "of the added cores"),
        ({"deadlock": True}, "the pool would stand still"),
    ],
)
def test_each_reason_is_said_where_it_holds(scene, sentence):
    assert sentence in said(**scene)


@pytest.mark.parametrize(
    "scene", [{}, {"queued": 1}, {"running": 1}, {"censored": 1}, {"setting": Setting("x", cores=2.0)}]
)
def test_and_none_where_it_does_not(scene):
    assert said(**scene) == ""


def test_no_item_that_did_not_end_is_spoken_of_where_there_is_none():
    assert "had not ended" not in said(queued=2)
