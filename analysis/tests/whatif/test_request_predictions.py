"""Requests under other settings, for a web service written by hand. Times are ms."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from poolscope.attribution import attribute
from poolscope.product import analyse
from poolscope.replay.workload import Op, Program, Workload
from poolscope.report.sections.whatif import Shown, _fix, request_rows, request_words
from poolscope.whatif import captured_work
from poolscope.whatif.explore import explore
from poolscope.whatif.predict import Predictor
from poolscope.whatif.prediction import REQUESTS, RunFigures, request_figures
from poolscope.whatif.request_fit import RequestFit, _blocks_for_engine, adds_work, held, request_note
from poolscope.whatif.requests import FEWEST, FollowedRequests
from poolscope.whatif.setting import AS_CAPTURED, Setting
from service import web_service
from synthetic import MS


def predictor(tmp_path, took):
    capture = web_service(tmp_path, took).write()
    return Predictor(capture, attribute(capture), 1)


def test_requests_of_a_service_that_waits_for_nothing_stay_as_they_are(tmp_path):
    made = predictor(tmp_path, [200] * 30)
    assert made.request_fit.count == 30
    assert abs(made.request_fit.error) < 0.1  # relays hand on as they begin: 5 ms of 211
    present, many = made.predict([AS_CAPTURED, Setting("min 50", min_threads=50)])
    # From the arrival of the last byte, 1 ms before the engine's item is queued, to the answer: 6 ms, the service, 5
    # ms.
    assert made.request_fit.measured["p50"] == 211
    for row in (present, many):
        assert row.requests.latency_ms["p50"] == pytest.approx(211, abs=6)
        assert row.requests.latency_ms["max"] == pytest.approx(211, abs=6)


def test_too_few_requests_tell_nothing(tmp_path):
    made = predictor(tmp_path, [20] * (FEWEST - 1))
    assert made.request_fit is None
    assert made.predict([AS_CAPTURED])[0].requests is None


def test_the_answer_of_a_repeated_workload_is_the_first_copys(tmp_path):
    made = predictor(tmp_path, [200] * 30)
    more, fewer = made.predict([Setting("3 times", load=3.0), Setting("half", load=0.5)])
    assert more.requests.latency_ms["p50"] == pytest.approx(211, abs=8)
    assert fewer.requests.latency_ms["p50"] == pytest.approx(211, abs=6)


def followed(**other):
    """Returns one request that left the application at 50 in execution 0; execution 1, which began at 60, sent it at
    62."""
    known: dict[str, Any] = {
        "row": [0],
        "arrived": [0],
        "answered": [62],
        "left": [50],
        "sender": [1],
        "last": [0],
        "apart": [True],
        "joined": [True],
        "sending": [2],
        "sender_end": [65],
        "last_end": [55],
    }
    told: dict[str, Any] = {
        "unfinished": 0,
        "missing": np.zeros(0, dtype=np.int64),
        "stop": 1000 * MS,
        "queues": 1,
        "senders": np.array([1]),
    }
    plain = ("row", "sender", "last", "apart", "joined")
    columns: dict[str, Any] = {name: np.array(value) for name, value in {**known, **other}.items() if name not in told}
    told = {name: other.get(name, value) for name, value in told.items()}
    return FollowedRequests(**{name: c if name in plain else c * MS for name, c in columns.items()}, **told)


class Outcome:
    """A simulated world of two executions."""

    def __init__(self, arrival, start, end):
        self.arrival, self.start, self.end = (np.array(times, dtype=float) * MS for times in (arrival, start, end))


@pytest.mark.parametrize(
    "world, latency",
    [
        (Outcome([0, 40], [10, 60], [55, 65]), 62),  # as captured
        (Outcome([0, 15], [10, 45], [25, 50]), 47),  # it left at 20, before the sender began
        (Outcome([0, 10], [10, 12], [25, 17]), 22),  # the sender had begun at 12: at 20 none was in the queue
        (Outcome([0, np.inf], [10, np.inf], [25, np.inf]), np.inf),
    ],
)
def test_an_answer_that_others_share_goes_out_after_the_request_left(world, latency):
    assert followed().latency(world, np.array([0, 1])) / MS == pytest.approx([latency])


def test_an_answer_whose_sender_its_own_request_queued_waits_for_that():
    world = Outcome([0, 40], [10, 45], [25, 50])
    assert followed(joined=[False]).latency(world, np.array([0, 1])) / MS == pytest.approx([47])
    gone = Outcome([0, 10], [10, 12], [25, 17])  # as long in the queue, counted from when it leaves
    assert followed(joined=[False]).latency(gone, np.array([0, 1])) / MS == pytest.approx([24])


def test_of_those_that_send_answers_of_others_the_next_one_counts():
    """It leaves at 20. One of three senders has begun, the second begins at 30, and the third at 25."""
    world = Outcome([0, 5, 18, 19], [10, 12, 30, 25], [25, 17, 31, 26])
    request = followed(senders=np.array([1, 2, 3]), answered=[-1])
    assert request.latency(world, np.arange(4)) / MS == pytest.approx([27])


def test_a_request_whose_item_is_not_in_the_world_is_left_out():
    world = Outcome([40], [60], [65])
    assert len(followed().latency(world, np.array([1]))) == 0
    assert followed(apart=[False], last=[1]).latency(world, np.array([1])) / MS == pytest.approx([62])


@pytest.mark.parametrize(
    "other, said",
    [
        ({}, None),
        ({"error": 0.4}, "off by 40 %"),
        ({"error": np.inf}, "never answered"),
        ({"unfinished": 3}, None),
        ({"unfinished": 4}, "4 of 34 were still at work"),
        ({"before": 3}, None),
        ({"before": 4}, "4 of 34 had arrived before the recording"),
        ({"missing": 60}, None),
        ({"missing": 61}, "61 of 91 had not begun"),
        ({"missing": 3, "alike": False}, None),
        ({"missing": 4, "alike": False}, "4 of 34 had not begun"),
        ({"left_out": 3}, None),
        ({"left_out": 20}, "does not show what 40 % of them waited for"),
    ],
)
def test_what_cannot_be_followed_is_not_told(tmp_path, monkeypatch, other, said):
    known: dict[str, Any] = {
        "count": 30,
        "answered": 30,
        "missing": 0,
        "unfinished": 0,
        "measured": {"mean": 30.0},
        "error": 0.0,
    }
    known |= {"before": 0, "left_out": 0, "alike": True, "blocks_for_engine": False}
    told = RequestFit(**{**known, **other})
    monkeypatch.setattr(captured_work, "fit", lambda *_: told)
    made = predictor(tmp_path, [20] * 30)
    assert (made.predict([AS_CAPTURED])[0].requests is None) == (said is not None)
    assert (said or "the 30 that were tied") in request_note(told.to_json())


@pytest.mark.parametrize("missing, more, change", [(1, False, ["+50 %", "-50 %"]), (2, True, ["", "-50 %"])])
def test_of_settings_that_have_more_to_do_no_longer_delay_is_told_as_a_change(missing, more, change):
    """30 requests are followed: two of 32 are more than a twentieth."""
    told: Any = {"count": 30, "answered": 30, "missing": missing, "why_not": None, "limited": None, "left_out": 0}
    assert adds_work(told) == more
    assert ("has more to do" in request_note(told)) == more
    rows: list[Any] = [
        {"group": group, "label": "", "lower_bound": False, "end_ms": 1.0, "peak_threads": 2, "stack_bytes": 1}
        | {"deadlock": False, "delay_ms": {"mean": ms, "low": ms, "high": ms}}
        for group, ms in (("present", 100.0), ("fix", 150.0), ("fix", 50.0))
    ]
    shown = Shown({"mean": 1.0, "p99": 1.0}, {}, None)
    assert [_fix(row, shown, rows[0], adds_work(told), False)["change"] for row in rows[1:]] == change


@pytest.mark.parametrize("told", [None, {"count": 30, "missing": 30, "why_not": "they are not"}])
def test_where_no_request_is_predicted_no_setting_has_more_to_do(told):
    assert not adds_work(told)


@pytest.mark.parametrize(
    "setting, told",
    [
        (Setting("more threads", min_threads=50), True),
        (Setting("less load", load=0.5), True),
        (Setting("more load", load=2.0), False),
        (Setting("fewer cores", cores=1.0), False),
        (Setting("another pool", policy="fixed"), False),
    ],
)
def test_where_threads_block_for_the_engine_a_world_with_less_is_told_only_if_it_stands_still(
    tmp_path, monkeypatch, setting, told
):
    """Measured: a service with sync over async that answers 30 requests/s may stand still at 36, and does at 45."""
    made = predictor(tmp_path, [200] * 30)
    fits = made.request_fit
    assert not fits.blocks_for_engine and fits.to_json()["limited"] is None
    assert made.predict([setting])[0].requests is not None
    made = predictor(tmp_path / "again", [200] * 30)
    monkeypatch.setattr(captured_work, "fit", lambda *_: replace(fits, blocks_for_engine=True))
    assert (made.predict([setting])[0].requests is not None) is told
    assert "only if the service stands still" in request_note(made.request_fit.to_json())
    still = [run_of(wait=5000.0, latency=7000.0)] * 2
    assert made._request_figures(setting, still).latency_ms["p50"] == 7000.0
    assert (made._request_figures(setting, [*still, run_of(wait=1.0, latency=30.0)]) is not None) is told


def run_of(wait, latency):
    """Returns a replication in which all items wait and all requests take this long, ms."""
    same = dict.fromkeys(("mean", "p50", "p99", "max"), wait)
    requests = None if latency is None else dict.fromkeys(same, latency)
    return RunFigures(same, same, same, requests, wait, 0.0, 1, 1, 1, 0.0, False, 0)


def of_each(ms):
    return dict.fromkeys(("mean", "p50", "p99", "max"), ms)


@pytest.mark.parametrize(
    "latency, enough, for_threads, about, needs_growth",
    [
        (100.0, 95.0, 0.05, False, False),
        (100.0, 75.0, 0.25, False, True),
        (100.0, 65.0, 0.35, True, True),
        (100.0, 101.0, 0.0, False, False),
        (np.inf, 40.0, 1.0, True, True),
        (0.0, 0.0, 0.0, False, False),
    ],
)
def test_a_figure_is_a_direction_where_requests_still_wait_for_threads(
    latency, enough, for_threads, about, needs_growth
):
    told = request_figures([run_of(1.0, latency)] * 3, of_each(enough))
    assert told.for_threads == pytest.approx(of_each(for_threads)) and told.latency_ms["p99"] == latency
    assert told.about == (list(told.latency_ms) if about else []) and told.needs_growth is needs_growth


def test_each_figure_is_judged_for_itself():
    told = request_figures([run_of(1.0, 100.0)], {"mean": 95.0, "p50": 100.0, "p99": 40.0, "max": 10.0})
    assert told.about == ["p99", "max"] and not told.needs_growth


def test_a_row_has_figures_of_requests_only_if_every_run_has():
    assert request_figures([], of_each(1.0)) is None
    assert request_figures([run_of(1.0, 5.0), run_of(1.0, None)], of_each(1.0)) is None
    told = request_figures([run_of(1.0, latency) for latency in (5.0, 9.0, 7.0)], of_each(5.0))
    assert (told.p99_low_ms, told.latency_ms["p99"], told.p99_high_ms) == (5.0, 7.0, 9.0)


def test_a_mark_that_a_shared_item_fires_is_what_threads_block_for():
    program = Program.of([[(Op.MARK, 0)], [(Op.WAIT, 0)]])
    work = Workload(np.array([0.0, 0.0]), np.array([0, 1]), program, marks=1)
    assert not _blocks_for_engine(work)
    assert not _blocks_for_engine(replace(work, shared=np.array([False, True])))
    assert _blocks_for_engine(replace(work, shared=np.array([True, False])))


@pytest.mark.parametrize("brought, share", [(True, 0.0), (False, 1.0)])
def test_what_nothing_is_known_to_bring_about_is_held(brought, share):
    """The second item comes at 40, either because the first one queues it or for an unknown reason."""
    first = [(Op.BLOCKED, 40 * MS), (Op.ENQUEUE, 1)] if brought else [(Op.BLOCKED, 40 * MS)]
    program = Program.of([first, [(Op.CPU, 22 * MS)]])
    work = Workload(np.array([0, np.inf if brought else 40 * MS]), np.array([0, 1]), program)
    told = followed(last=[1], apart=[False])
    assert held(told, work).tolist() == [bool(share)]
    assert held(followed(last=[1], apart=[False], arrived=[38], answered=[62]), work).tolist() == [
        False
    ], "its own time"


def test_requests_of_a_service_wait_for_nothing_unknown(tmp_path):
    assert predictor(tmp_path, [20] * 30).request_fit.left_out == 0


def test_what_requests_need_beside_threads_and_cores_is_the_least_that_a_setting_may_leave(tmp_path, monkeypatch):
    """The service takes 200 of 211; the rest is unread, queued or ready, and more threads might remove it."""
    made = predictor(tmp_path, [200] * 30)
    assert 200 <= made.work.needed_ms < 211
    monkeypatch.setattr(Predictor, "of", REQUESTS)
    monkeypatch.setattr(sys.modules["poolscope.whatif.predict"], "runs_more_at_once", lambda at_once, captured: True)
    (many,) = made.predict([Setting("min 50", min_threads=50)])
    assert many.delay_low_ms == min(made.work.needed_ms, many.delay_ms)
    monkeypatch.setattr(sys.modules["poolscope.whatif.predict"], "runs_more_at_once", lambda at_once, captured: False)
    (many,) = made.predict([Setting("min 50", min_threads=50)])
    assert many.delay_low_ms == many.delay_ms


def test_the_page_has_a_row_for_each_setting_and_the_captured_ones_as_measured(tmp_path):
    capture = web_service(tmp_path, [20] * 30).write()
    told: Any = explore(capture, attribute(capture), replications=1).to_json()
    rows = request_rows(told, told["rows"])
    assert rows[0][0] == "as captured, measured" and rows[0][2][1] == "31 ms"
    assert len(rows) == len(told["rows"]) - sum(
        r["group"] == "min-threads" and r["setting"]["min_threads"] == told["captured"]["min_threads"]
        for r in told["rows"]
    )
    assert request_words(told, told["rows"]) is None, "nothing changes them by a tenth"
    knee: Any = {"group": "min-threads", "label": "min 9", "setting": {**told["rows"][0]["setting"], "min_threads": 9}}
    better: Any = {**told["rows"][0], **knee, "request_ms": {"mean": 10.0, "p50": 9.0, "p99": 20.0, "max": 30.0}}
    words = request_words(told | {"knee": 9}, [*told["rows"], better])
    assert words == "Requests with min 9 threads: 10 ms in the mean and 20 ms at p99, instead of 31 ms and 31 ms."
    direction: Any = {**better, "request_about": ["p99"]}
    words = request_words(told | {"knee": 9}, [*told["rows"], direction])
    assert words is not None and "threads: 10 ms in the mean and about 20 ms at p99, instead" in words
    assert request_rows(told, [direction])[0][2] == ["10 ms", "9 ms", "about 20 ms", "30 ms"]
    assert request_rows(told, [better])[0][2] == ["10 ms", "9 ms", "20 ms", "30 ms"]
    assert analyse(capture).to_json()["what_if"]["requests"]["count"] == 30
