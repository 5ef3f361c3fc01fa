"""Latencies of followed requests in a replay, and requests held by a time of the capture. Times are ms."""

from types import SimpleNamespace

import numpy as np
import pytest
from following import followed
from poolscope.attribution import attribute
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.explore import default_settings
from poolscope.whatif.predict import Predictor
from poolscope.whatif.request_fit import RequestFit, held
from service import web_service

MS = 1_000_000


@pytest.mark.parametrize(("not_before", "is_held"), [(0, False), (900, True)])
def test_a_request_that_comes_no_sooner_however_fast_all_is_is_held(not_before, is_held):
    """Another item queues its item at once, but it does not arrive before a time taken from the capture."""
    program = Program.of([[(Op.ENQUEUE, 1)], [(Op.CPU, 4.0 * MS)]])
    program.value[program.op == Op.ENQUEUE] = not_before * MS
    workload = Workload(np.array([0.0, np.inf]), np.arange(2), program)
    assert held(followed([0], [1], []), workload).tolist() == [is_held]


def test_a_request_is_answered_after_it_arrived_at_the_soonest():
    """Two requests leave 5 after they arrived, as their items end. In the replay one item ends 3 after that arrival,
    and one 7 before it."""
    requests = followed([100, 200], [0, 1], [])
    end = np.array([103.0, 193.0]) * MS
    outcome = SimpleNamespace(end=end, start=end - MS, arrival=end - MS)
    assert requests.latency(outcome, np.arange(2)).tolist() == [3 * MS, 0]


def test_figures_of_requests_are_written_to_the_nanosecond():
    fit = RequestFit(30, 30, 0, 0, {"mean": 2 / 3}, 1 / 7, 0, True, 0, False)
    assert fit.to_json()["latency_ms"] == {"mean": 0.666667} and fit.to_json()["replay_error"] == 0.142857


def test_each_fix_changes_one_thing_alone(tmp_path):
    capture = web_service(tmp_path, [200] * 30).write()
    attribution = attribute(capture)
    settings = [setting for _, setting in default_settings(Predictor(capture, attribution, 1).captured, attribution)]
    assert [s.asynchronous for s in settings].count(True) == [s.dedicated for s in settings].count(True) == 1
    for setting in settings:
        changed = [setting.asynchronous, setting.dedicated, setting.cores is not None, setting.load != 1.0]
        assert changed.count(True) + (setting.max_threads is not None) == 1
