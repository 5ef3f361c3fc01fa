"""The grammar of `--fail-on`: conditions that are read, conditions that are refused, and the result of each."""

from typing import Any

import pytest
from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.check import FAILED, PASSED, UNKNOWN, evaluate, parse

ANALYSIS: Any = {
    "verdict": {"id": "injection-delay"},
    "items": {
        "count": 20,
        "wait_ms": {"mean": 6400.0, "p50": 6000.0, "p99": 12000.0, "max": 12500.0, "at_least": ["max"]},
        "completion_ms": {"mean": None, "p99": None, "at_least": []},
    },
    "pool": {"goal_peak": 9},
    "capture": {"seconds": 14.0, "name": "x"},
    "coverage": {"lost": 0, "losses": []},
    "attribution": {
        "parts_ms": {"injection": {"p99": 250.0, "at_least": []}},
        "wait_share": {"injection": 0.75, "core": 0.0},
        "removable_ms": {"threads": 6000.0, "cores": -2.0},
    },
    "blame": None,
    "requests": {"late": {"count": 7}},
    "incidents": [
        {
            "start_s": 1.0,
            "end_s": 3.5,
            "late": 12,
            "longest_ms": 2500.0,
            "item_seconds": 14.0,
            "at_least": False,
            "matters": True,
        },
        {
            "start_s": 6.0,
            "end_s": 7.0,
            "late": 15,
            "longest_ms": 900.0,
            "item_seconds": 9.0,
            "at_least": False,
            "matters": True,
        },
        {
            "start_s": 9.0,
            "end_s": 13.0,
            "late": 99,
            "longest_ms": 9e9,
            "item_seconds": 9e9,
            "at_least": True,
            "matters": False,
        },
    ],
    "findings": [
        {"id": "injection-delay", "severity": "medium", "title": "Items waited", "number": "6.4 s"},
        {"id": "healthy", "severity": "ok", "title": "Well", "number": "0"},
    ],
    "rules": [
        {"id": "core-contention", "status": "passed", "missing": []},
        {"id": "lock-convoy", "status": "not-applicable", "missing": ["waits"]},
    ],
}


@pytest.mark.parametrize(
    "text, status",
    [
        ("injection.p99>100ms", FAILED),
        ("injection.p99>0.1s", FAILED),
        ("injection.p99 > 250ms", PASSED),
        ("injection.p99>=250ms", FAILED),
        ("injection.p99<=250000us", FAILED),
        ("injection.p99 < 250000000ns", PASSED),
        ("wait.mean>6.3s", FAILED),
        ("items.wait_ms.mean > 0.1min", FAILED),
        ("wait.mean!=6400ms", PASSED),
        ("wait.mean==6.4e3ms", FAILED),
        ("share.injection>50%", FAILED),
        ("share.injection>0.5", FAILED),
        ("share.injection>0.8", PASSED),
        ("removable.cores<0ms", FAILED),
        ("pool.goal_peak>8", FAILED),
        ("items.count<20", PASSED),
        ("late-requests>6", FAILED),
        ("late-requests>7", PASSED),
        ("incidents>0", FAILED),
        ("incidents>2", PASSED),
        ("incidents==2", FAILED),
        ("incident.longest>1s", FAILED),
        ("incident.longest>2500ms", PASSED),
        ("incident.late>14", FAILED),
        ("incident.late>15", PASSED),
        ("incident.item_seconds>14", PASSED),
        ("incident.length>2s", FAILED),
        ("incident.length>3s", PASSED),
        ("low", FAILED),
        ("medium", FAILED),
        ("high", PASSED),
        ("finding:injection-delay", FAILED),
        ("finding:core-contention", PASSED),
        ("finding:lock-convoy", UNKNOWN),
        ("verdict:injection-delay", FAILED),
        ("verdict:cannot-tell", PASSED),
        # An unknown number neither fails nor passes a gate.
        ("completion.p99>1s", UNKNOWN),
        ("blame.anything>1", UNKNOWN),
    ],
)
def test_what_a_condition_comes_to(text, status):
    assert evaluate(parse(text), ANALYSIS).status == status


@pytest.mark.parametrize(
    "text, status",
    [
        # The longest wait is at least 12.5 s: certainly over 10 s, perhaps over 20 s.
        ("wait.max>10s", FAILED),
        ("wait.max>20s", UNKNOWN),
        ("wait.max>=12.5s", FAILED),
        ("wait.max<10s", PASSED),
        ("wait.max<20s", UNKNOWN),
        ("wait.max==12.5s", UNKNOWN),
        ("wait.max!=12.5s", UNKNOWN),
    ],
)
def test_a_lower_bound_decides_only_what_every_larger_value_would(text, status):
    assert evaluate(parse(text), ANALYSIS).status == status


@pytest.mark.parametrize("text", ["injection.p99>100ms", "share.injection>90%", "high", "finding:core-contention"])
def test_where_the_verdict_is_cannot_tell_nothing_that_rests_on_it_passes_or_fails(text):
    analysis: Any = {**ANALYSIS, "verdict": {"id": "cannot-tell"}, "findings": []}
    assert evaluate(parse(text), analysis).status == UNKNOWN


def test_measured_waits_are_judged_even_then():
    analysis: Any = {**ANALYSIS, "verdict": {"id": "cannot-tell"}, "findings": []}
    assert evaluate(parse("wait.mean>1s"), analysis).status == FAILED


@pytest.mark.parametrize(
    "text, status",
    [
        ("incidents>0", FAILED),
        ("incidents>2", UNKNOWN),
        ("incidents<3", UNKNOWN),
        ("incident.longest>1s", FAILED),
        ("incident.longest>3s", UNKNOWN),
    ],
)
def test_of_incidents_that_the_capture_may_not_show_nothing_is_promised(text, status):
    assert evaluate(parse(text), ANALYSIS | {"verdict": {"id": "cannot-tell"}}).status == status
    bounded = [{**incident, "at_least": True} for incident in ANALYSIS["incidents"]]
    if text.startswith("incident."):
        assert evaluate(parse(text), ANALYSIS | {"incidents": bounded}).status == status


@pytest.mark.parametrize("requests, status", [({"late": None}, PASSED), (None, UNKNOWN)])
def test_without_requests_it_is_not_known_whether_any_was_late(requests, status):
    assert evaluate(parse("late-requests>0"), ANALYSIS | {"requests": requests}).status == status


def test_without_an_incident_nothing_was_late():
    calm: Any = {**ANALYSIS, "incidents": []}
    assert [evaluate(parse(text), calm).status for text in ("incidents>0", "incident.longest>0s")] == [PASSED, PASSED]


@pytest.mark.parametrize(
    "text, why",
    [
        ("incidents.longest>1s", "the number of those that matter"),
        ("late-requests.p99>1", "late-requests is a number of requests and has no parts"),
        ("incident>1", "incident has: late, longest"),
        ("incident.worst>1s", "incident has: late, longest"),
        ("incident.longest>1", "needs a unit"),
        ("incidents>1s", "takes no unit"),
        ("", "a condition is"),
        ("hgih", "did you mean high?"),
        ("wait.p99=1s", "a condition is"),
        (">1s", "a condition is"),
        ("wait.p99>", "a condition is"),
        ("wait.p99>fast", "no number"),
        ("wait.p99>100", "needs a unit"),
        ("wait.p99>10%", "needs a unit"),
        ("wait.p99>10parsec", "needs a unit"),
        ("share.core>5ms", "takes no unit"),
        ("pool.goal_peak>5ms", "takes no unit"),
        ("finding:nope", "there is no finding 'nope'; there are: blocked-at-cap, "),
        ("finding:lock-convoi", "there is no finding 'lock-convoi'; did you mean lock-convoy?"),
        ("finding:cannot-tell", "there is no finding"),
        ("verdict:nope", "there is no verdict 'nope'"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_reason(text, why):
    with pytest.raises(PoolscopeError) as refused:
        parse(text)
    assert why in str(refused.value) and refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    "text, why",
    [
        ("wait.p42>1ms", "items.wait_ms has: mean, p50"),
        ("nothing.p99>1", "analysis.json has: verdict"),
        ("injection>1ms", "attribution.parts_ms.injection has: p99"),
        ("capture.name>1", "is not a number"),
        ("coverage.losses>1", "is not a number"),
        ("pool.goal_peak.deeper>1", "is not a number"),
    ],
)
def test_a_key_that_leads_nowhere_says_what_there_is(text, why):
    with pytest.raises(PoolscopeError) as refused:
        evaluate(parse(text), ANALYSIS)
    assert why in str(refused.value) and refused.value.exit_code == ExitCode.USAGE
