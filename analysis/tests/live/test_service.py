"""Live captures of the bundled web service, one per fault: the verdict, and the method that it blames."""

import pytest
from conftest import SERVICE
from live.kernel import with_kernel
from live.test_requests_live import LOG

pytestmark = pytest.mark.live

WHY_THE_POOL_DID_NOT_GROW = ("injection-delay", "gate-suppressed-by-progress", "goal-lowered-under-backlog")
"""The reason that explains most of the injection differs from run to run: hill climbing measures noise."""


def serve(captured, fault, *more, duration=5):
    size = ["--rate", "60", "--duration", str(duration), "--drain", "1"]
    return with_kernel(captured("--fault", fault, *size, *more, program=SERVICE, snapshots=0.1))


def as_against_the_clients_clock(captured, fault, drain):
    """Returns the recording that test_requests_live.py compares with the load generator's log."""
    size = ["--rate", "60", "--duration", "5", "--drain", drain, "--log", LOG]
    return with_kernel(captured("--fault", fault, *size, program=SERVICE, snapshots=0.5))


def first_of_blame(analysis):
    row = analysis.to_json()["blame"][0]
    return row["method"].rsplit(".", 2)[-2:], row["kind"], row["stacks"][0]["frames"]


def fired(analysis):
    return {f.id for f in analysis.findings}


def test_requests_that_await_are_healthy(captured):
    analysis = as_against_the_clients_clock(captured, "none", drain="2")
    assert analysis.verdict.id == "healthy"
    assert "hidden-waits" not in fired(analysis)


@pytest.mark.paired
def test_blocking_requests_wait_for_injection_behind_the_method_that_blocks(captured):
    analysis = as_against_the_clients_clock(captured, "sync", drain="8")
    assert "injection-delay" in fired(analysis)
    assert analysis.verdict.id in WHY_THE_POOL_DID_NOT_GROW
    split = analysis.to_json()["attribution"]
    assert split["wait_share"]["injection"] >= 0.8
    assert split["injection_ms"]["behind_blocked"] >= 0.8 * split["wait_ms"]["injection"]
    method, kind, frames = first_of_blame(analysis)
    assert (method, kind) == (["BlockingRequest", "Send"], "socket")
    assert "Poolscope.Service.Hosting.Endpoints.Sync" in frames
    assert "hidden-waits" in fired(analysis)


@pytest.mark.paired
def test_the_same_at_the_maximum_is_blocked_at_cap(captured):
    analysis = serve(captured, "sync", "--min-threads", "4", "--max-threads", "4")
    assert analysis.verdict.id == "blocked-at-cap"
    assert analysis.to_json()["attribution"]["wait_share"]["blocking"] >= 0.9


@pytest.mark.paired
def test_sync_over_async_is_blamed_on_the_endpoint(captured):
    analysis = serve(captured, "sync-over-async")
    assert analysis.verdict.id == "sync-over-async"
    method, kind, _ = first_of_blame(analysis)
    assert (method, kind) == (["Endpoints", "SyncOverAsync"], "task-wait")


@pytest.mark.paired
def test_a_cache_lock_is_a_convoy_and_the_cache_is_blamed(captured):
    analysis = serve(captured, "lock")
    assert analysis.verdict.id == "lock-convoy"
    assert first_of_blame(analysis)[:2] == (["PriceCache", "Read"], "lock")


@pytest.mark.paired
def test_timer_calls_that_pile_up_are_named(captured):
    analysis = serve(captured, "timer", duration=8)
    assert analysis.verdict.id in WHY_THE_POOL_DID_NOT_GROW
    _, kind, frames = first_of_blame(analysis)
    assert kind == "socket" and "Poolscope.Service.Background.OverlappingTimer.SynchroniseTenants" in frames


def test_pauses_show_in_hardly_any_wait_of_an_item_and_are_told_all_the_same(captured):
    analysis = serve(captured, "gc")
    hidden = next(f for f in analysis.findings if f.id == "hidden-waits")
    assert "the runtime was suspended" in hidden.number
    pauses = analysis.capture.table("suspensions").query("end >= 0")
    assert analysis.to_json()["items"]["wait_ms"]["p90"] < (pauses["end"] - pauses["start"]).max() / 1e6 / 3
