"""The same scenario gives the same verdict with each kernel tier."""

import pytest
from conftest import FROM_THE_START
from live.kernel import with_kernel
from poolscope.__main__ import run

pytestmark = pytest.mark.live


SPIN = (("spin", "--count", "24", "--work-ms", "150"), "core")
TICKET = pytest.param(("ticket", "--count", "24", "--work-ms", "3000"), "injection", marks=pytest.mark.paired)
TRICKLE = pytest.param(FROM_THE_START, "blocking", marks=pytest.mark.paired)
"""Each scenario with the part of the wait that is its cause."""


def with_tracepoints(captured, scenario):
    return with_kernel(captured(*scenario))


@pytest.mark.parametrize("scenario, part", [SPIN, TICKET, TRICKLE])
def test_the_verdict_under_switch_is_that_of_tracepoint(captured, scenario, part):
    full = with_tracepoints(captured, scenario)
    own = captured(*scenario, kernel="switch")
    assert own.coverage.tier == "switch"
    assert own.coverage.lost_scheduler == 0
    # Each worker is inherited or found: no item ran on a thread without states.
    assert own.coverage.unknown_execution_ms <= 0.01 * own.coverage.execution_ms, own.coverage
    assert own.verdict.id == full.verdict.id
    split = own.to_json()["attribution"]
    assert split["wait_share"][part] >= 0.9, (split, own.coverage, own.to_json()["lost_cpu"])
    assert split["residual_ns"] == 0


@pytest.mark.parametrize("scenario, part", [SPIN, TRICKLE])
def test_the_verdict_under_schedstat_is_that_of_tracepoint_or_none(captured, scenario, part):
    full = with_tracepoints(captured, scenario)
    polled = captured(*scenario, kernel="schedstat")
    assert polled.coverage.tier == "schedstat"
    said = polled.to_json()
    cost = [s for s in polled.capture.manifest["streams"] if s["tier"] == "schedstat"][0]
    assert 0 < cost["cpu_ns"] < 0.1 * (cost["end_ns"] - cost["start_ns"])
    if polled.verdict.id == "cannot-tell":
        assert any("polling step" in reason for reason in polled.verdict.reasons)
        return
    assert polled.verdict.id == full.verdict.id
    assert polled.verdict.confidence != "high"
    split = said["attribution"]
    assert split["wait_share"][part] >= 0.8


def test_scope_target_has_the_verdict_without_the_others(captured):
    scenario, _ = SPIN
    full = with_tracepoints(captured, scenario)
    own = captured(*scenario, kernel="tracepoint", options=("--scope", "target"))
    assert (own.coverage.tier, own.coverage.scope, full.coverage.scope) == ("tracepoint", "target", "system")
    assert own.verdict.id == full.verdict.id
    assert own.coverage.unknown_execution_ms <= 0.01 * own.coverage.execution_ms
    # The wakers are known, unlike with tier switch.
    assert own.coverage.unknown_blocked_ms <= 0.2 * own.coverage.blocked_ms + 5
    assert own.coverage.events_scheduler < full.coverage.events_scheduler
    assert own.to_json()["antagonists"] is None


def test_without_privilege_the_best_is_switch_and_the_report_works(captured, nobody, tmp_path):
    analysis = captured(*SPIN[0], user=nobody)
    assert analysis.coverage.tier == "switch"
    assert analysis.verdict.id == "core-contention"
    refused = analysis.to_json()["capture"]["refused"]
    assert [(r["stream"], r["wanted"]) for r in refused] == [("sched", "tracepoint")]
    assert "root" in refused[0]["how"]
    page = tmp_path / "page.html"
    assert run(["report", str(analysis.capture.path), "-o", str(page)]) == 0
    assert "kernel tier: switch" in page.read_text()
