"""Requests that one item continues, one after another."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from late_captures import fired, in_one_item
from synthetic_stacks import Stacks
from poolscope.measures.requests.held_up import find_serial
from poolscope.measures.requests.tiles import EXECUTED, OTHER, Tiles
from synthetic import MS


@pytest.mark.fires("serial-continuations")
def test_requests_that_go_on_in_one_item_wait_for_each_other(tmp_path):
    found, verdict = fired(in_one_item(tmp_path))
    assert verdict.id == "serial-continuations", (verdict, list(found))
    assert "20 of 20 requests were late because their continuations ran one after another" in verdict.text
    assert "2 s" in verdict.text


def test_the_method_that_runs_the_continuations_is_that_of_its_own_item(tmp_path):
    """The stacks of other threads at that time say nothing about it."""
    builder = in_one_item(tmp_path)
    stacks = Stacks(builder)
    quote, other = stacks.stack("System.Threading.Thread.Sleep", "App.Quote"), stacks.stack("App.Parse")
    for at in range(1100, 2000, 100):
        stacks.snapshot(300, at * MS, quote)
        stacks.snapshot(1000, at * MS, other)
    found, verdict = fired(builder)
    assert "in one work item, which took 2 s, most of it in App.Quote." in verdict.text
    assert found["serial-continuations"].where.methods == ["App.Quote"]


@pytest.mark.quiet("serial-continuations")
def test_requests_that_go_on_in_items_of_their_own_do_not(tmp_path):
    assert "serial-continuations" not in fired(in_one_item(tmp_path, share=False))[0]


@pytest.mark.quiet("serial-continuations")
def test_an_item_that_had_no_core_is_no_line(tmp_path):
    assert "serial-continuations" not in fired(in_one_item(tmp_path, ready=1300))[0]


@pytest.mark.parametrize(("requests", "kind", "found"), [(5, EXECUTED, True), (4, EXECUTED, False), (5, OTHER, False)])
def test_two_or_three_requests_that_were_answered_together_are_no_line(requests, kind, found):
    number = np.arange(requests)
    same = np.zeros(requests, dtype=np.int64)
    tiles = Tiles(number, np.full(requests, kind), same, same + 100, same, same - 1)
    told: Any = SimpleNamespace(tiles=tiles)
    assert (find_serial(told) is not None) == found
