"""Incidents in terms of requests: arrivals, requests in progress, answers, and their latency compared with the
others."""

from typing import Any

import numpy as np
import pytest
from poolscope.__main__ import run
from poolscope.capture import open_capture
from poolscope.incidents.find import Incident
from poolscope.incidents.requests import during, outside
from poolscope.product import analyse
from poolscope.report import render
from poolscope.report.rendering import to_markdown
from served_requests import served

NONE = np.zeros(0, dtype=np.int64)


class Told:
    """Requests as (arrived, answered), ms; -1: not answered, None: not tied. `not_begun`: arrived_at of unread data."""

    def __init__(self, *rows, not_begun=(), stop=1000):
        self.tied = np.array([arrived is not None for arrived, _ in rows], dtype=bool)
        self.arrived = np.array([-1 if a is None else a for a, _ in rows], dtype=np.int64)
        self.answered = np.array([-1 if a is None else b for a, b in rows], dtype=np.int64)
        self.not_begun = np.array(not_begun, dtype=np.int64)
        until = np.where(self.answered >= 0, self.answered, stop)[self.tied]
        self.latency = np.concatenate((until - self.arrived[self.tied], stop - self.not_begun))
        self.at_least = np.concatenate((self.answered[self.tied] < 0, np.ones(len(not_begun), dtype=bool)))
        self.arrived_at = np.concatenate((self.arrived[self.tied], self.not_begun))
        self.answers = np.concatenate((self.answered[self.tied], np.full(len(not_begun), -1)))


def incidents(*spans):
    return [Incident(start, end, NONE, 1) for start, end in spans]


REQUESTS: Any = Told(
    (10, 50),  # over before the first
    (90, 150),  # came before, answered in it
    (100, 200),  # came at its first moment, answered at its last
    (150, 450),  # came in it, answered between the two
    (160, 600),  # came in the first, answered in the second
    (300, 400),  # between the two
    (550, -1),  # never answered
    (None, None),
    not_begun=(560,),
)
SPANS = (100, 200), (500, 700)


def test_counts_by_hand():
    first, second = during(REQUESTS, incidents(*SPANS))
    assert (first.arrived, first.in_progress, first.answered) == (3, 4, 2)
    assert (second.arrived, second.in_progress, second.answered) == (2, 3, 1)
    assert sorted(first.latency) == [100, 300, 440] and not first.at_least.any()
    assert sorted(second.latency) == [440, 450] and second.at_least.all()


def test_outside_is_who_met_no_incident_at_all():
    assert sorted(outside(REQUESTS, incidents(*SPANS)).latency) == [40, 100]


def test_the_same_by_comparing_every_request_with_every_incident():
    draw = np.random.default_rng(3)
    arrived = draw.integers(0, 10_000, 500)
    answered = np.where(draw.random(500) < 0.2, -1, arrived + draw.integers(0, 900, 500))
    told: Any = Told(
        *zip(arrived.tolist(), answered.tolist()), not_begun=draw.integers(0, 10_000, 30).tolist(), stop=12_000
    )
    spans = [(start, start + 400) for start in range(200, 10_000, 1_000)]
    came = np.concatenate((arrived, told.not_begun))
    over = np.concatenate((np.where(answered < 0, 10**9, answered), np.full(30, 10**9)))
    met = np.zeros(530, dtype=bool)
    for (start, end), one in zip(spans, during(told, incidents(*spans))):
        here = (came <= end) & (over >= start)
        met |= here
        inside = (came >= start) & (came <= end)
        assert one.in_progress == here.sum() and one.answered == ((over >= start) & (over <= end)).sum()
        assert np.array_equal(np.sort(one.latency), np.sort(told.latency[inside]))
        assert one.at_least.sum() == told.at_least[inside].sum()
    assert np.array_equal(np.sort(outside(told, incidents(*spans)).latency), np.sort(told.latency[~met]))


@pytest.fixture(scope="module")
def starved(tmp_path_factory):
    """Builds forty requests that wait 1.2 s for a thread, after ten that do not; the last five have no answer."""
    folder = tmp_path_factory.mktemp("starved") / "starved"
    quick = served(folder, [15.0] * 10 + [1220.0] * 40, queued=[1] * 10 + [1200] * 40, unanswered=5, length=4000)
    return quick, analyse(open_capture(quick)).to_json()


def test_analysis_has_them_beside_the_others(starved):
    (incident,) = starved[1]["incidents"]
    requests = incident["requests"]
    assert incident["matters"]
    assert (requests["arrived"], requests["in_progress"], requests["answered"]) == (40, 40, 35)
    assert requests["latency_ms"]["p50"] == 1220.0 and requests["latency_ms"]["at_least"] == [
        "mean",
        "p90",
        "p99",
        "max",
    ]
    outside = starved[1]["requests"]["outside_incidents"]
    assert outside["count"] == 10 and outside["latency_ms"]["p99"] == 15.0


def test_page_ticket_and_terminal_say_so(starved, capsys):
    folder, analysis = starved
    page = render(analysis)
    for text in ("40 arrived, 40 were in progress, 35 were answered", "of 10 requests that met no incident"):
        assert text in page
    assert "; requests took 1.22" in page
    ticket = to_markdown(analysis)
    assert "requests arrived: latency" in ticket and "| 40: median 1.22" in ticket and "outside of incidents" in ticket
    run(["attribute", str(folder)])
    out = capsys.readouterr().out
    assert (
        "40 arrived, 40 were in progress, 35 were answered" in out
        and "Requests outside of incidents: median 15 ms" in out
    )


def test_without_sockets_nothing_is_said(tmp_path):
    folder = served(tmp_path / "blind", [1220.0] * 40, queued=[1200] * 40, sockets=False)
    analysis = analyse(open_capture(folder)).to_json()
    assert [i["requests"] for i in analysis["incidents"]] == [None]
    assert analysis["requests"]["outside_incidents"] is None
    assert "were in progress" not in render(analysis) and "requests arrived" not in to_markdown(analysis)


def test_without_an_incident_there_is_nothing_to_hold_against(tmp_path):
    analysis = analyse(open_capture(served(tmp_path / "well", [20.0] * 10))).to_json()
    assert analysis["incidents"] == [] and analysis["requests"]["outside_incidents"] is None
