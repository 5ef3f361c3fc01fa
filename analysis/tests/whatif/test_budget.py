"""The default simulations are bounded, and the omitted ones are named."""

import numpy as np
import pytest
from poolscope import native
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif import sweep
from poolscope.whatif.sweep import budget_for


@pytest.fixture(autouse=True)
def with_extension(monkeypatch):
    monkeypatch.setattr(native, "extension", object())


def of(items):
    return Workload.in_turn(np.zeros(items), Program.of([[(Op.CPU, 1.0)]] * items))


@pytest.mark.parametrize(
    ("events", "replications", "points", "fixes", "says"),
    [
        (1_000_000, 5, 8, True, None),
        (40 * 200, 2, 8, True, "2 runs per setting instead of 5"),
        (20 * 200, 1, 8, True, "1 run per setting instead of 5"),
        (10 * 200, 1, 4, False, "Only a short sweep"),
        (200, 1, 0, False, "Only the captured settings"),
    ],
)
def test_larger_captures_get_less(monkeypatch, events, replications, points, fixes, says):
    monkeypatch.setattr(sweep, "EVENTS", events)
    given = budget_for(of(100), None)
    assert (given.replications, given.points, given.fixes) == (replications, points, fixes)
    assert (given.said is None) if says is None else (says in given.said)


def test_what_was_asked_for_is_simulated(monkeypatch):
    monkeypatch.setattr(sweep, "EVENTS", 200)
    given = budget_for(of(100), 7)
    assert (given.replications, given.fixes, given.said) == (7, True, None)


def test_without_the_extension_less_is_simulated(monkeypatch):
    monkeypatch.setattr(native, "extension", None)
    assert budget_for(of(20_000), None).replications < sweep.REPLICATIONS
