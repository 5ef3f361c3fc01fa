"""Live captures of workloads whose items block: the cause, and the method at fault. Ratios and orderings, measured in
one run.

Items that wait for seconds wait as long beside another recording. `-m slow` of test_right_causes.py runs the published
sizes.
"""

import pytest
from conftest import CAPPED, FROM_THE_START
from live.kernel import may_trace, split_of

pytestmark = [pytest.mark.live, pytest.mark.paired]


def fired(analysis):
    return {f.id for f in analysis.findings}


def test_sleepers_under_a_maximum_are_blocking(captured):
    analysis = captured(*FROM_THE_START)
    split = split_of(analysis)
    assert analysis.verdict.id == "blocked-at-cap"
    assert split["wait_share"]["blocking"] >= 0.95
    assert split["residual_ns"] == 0


def test_the_default_minimum_adds_injection_and_nothing_else(captured):
    slow = captured(*CAPPED)
    quick = captured(*FROM_THE_START)
    split = split_of(slow)
    assert {"blocked-at-cap", "injection-delay"} <= fired(slow)
    assert split["wait_share"]["injection"] + split["wait_share"]["blocking"] >= 0.97
    more = slow.to_json()["items"]["wait_ms"]["mean"] - quick.to_json()["items"]["wait_ms"]["mean"]
    assert split["wait_ms"]["injection"] == pytest.approx(more, rel=0.1)
    assert split["residual_ns"] == 0


def test_a_convoy_is_named_though_its_items_start_at_once(captured):
    analysis = captured("lock-convoy", "--count", "60", "--min-threads", "60")
    assert analysis.verdict.id == "lock-convoy"
    finding = analysis.findings[0]
    # Item i waits for i others: 60 x 59 / 2 times the hold, which is 40 ms and the cost of passing the lock on.
    truth = analysis.capture.truth()
    held_s = (truth["end_ns"].max() - truth["start_ns"].min()) / 60e9
    assert held_s >= 0.040
    assert finding.item_seconds == pytest.approx(60 * 59 / 2 * held_s, rel=0.1)
    if may_trace("sched/sched_switch"):
        assert "mostly in Poolscope.Workloads.Experiments.LockConvoy.Hold (sleep)" in finding.evidence[-1]


def test_a_lock_that_two_threads_hardly_meet_at_is_no_convoy(captured):
    analysis = captured("hidden-lock", "--count", "20")
    split_of(analysis)
    assert analysis.verdict.id == "blocked-at-cap"
    assert "lock-convoy" not in fired(analysis)
    # The replay does not see the lock, so advice with more threads must say that its figure is a lower bound.
    assert any(
        "if the service or lock that items wait for can serve more" in line
        for f in analysis.findings
        for line in f.advice
    )


def test_the_ticket_is_injection_behind_blocked_threads_and_async_would_cure_it(captured):
    analysis = captured("ticket", "--count", "40", "--work-ms", "3000")
    split = split_of(analysis)
    assert analysis.verdict.id == "injection-delay"
    assert split["wait_share"]["injection"] >= 0.9
    assert split["injection_ms"]["behind_blocked"] >= 0.9 * split["wait_ms"]["injection"]
    assert split["removable_ms"]["async"] >= 0.9 * split["delay_ms"]
    assert split["residual_ns"] == 0


def first_of_blame(analysis):
    split_of(analysis)
    assert analysis.coverage.unblamed_ms <= 0.05 * analysis.coverage.held_ms
    row = analysis.to_json()["blame"][0]
    assert row["share"] >= 0.9
    return row["method"].rsplit(".", 2)[-2:], row["kind"]


def test_a_sleep_shorter_than_the_beat_is_blamed_on_the_method_that_sleeps(captured):
    # While items wait late the beat is a quarter of a second.
    analysis = captured("trickle-v1", "--count", "600", "--min-threads", "10", "--work-ms", "120")
    assert first_of_blame(analysis) == (["TrickleV1", "Sleep"], "sleep")
    row = analysis.to_json()["blame"][0]
    assert row["event_s"] == 0
    # Half of the beats' snapshots hit a sleep of half a beat; the rest is estimated, and the row says so.
    assert 0.3 <= row["named_share"] <= 0.7
    assert row["share_low"] < row["share"] <= row["share_high"] and row["samples"] <= row["samples_of"]
    assert analysis.coverage.estimate_snapshots >= 20
    advice = " ".join(analysis.findings[0].advice)
    assert "in Poolscope.Workloads.Experiments.TrickleV1.Sleep" in advice
    assert "use await Task.Delay instead of Thread.Sleep" in advice


def test_a_faster_beat_measures_what_the_default_estimates(captured):
    analysis = captured(*FROM_THE_START, snapshots=0.2)
    assert first_of_blame(analysis) == (["TrickleV1", "Sleep"], "sleep")
    assert analysis.to_json()["blame"][0]["named_share"] >= 0.95


def test_a_slow_service_is_blamed_on_the_method_that_reads_the_socket(captured):
    analysis = captured("ticket", "--count", "40", "--work-ms", "3000")
    assert first_of_blame(analysis) == (["BlockingRequest", "Send"], "socket")


@pytest.mark.smoke
def test_sync_over_async_is_blamed_on_the_method_that_asks_for_the_result(captured):
    analysis = captured("ticket", "--count", "20", "--work-ms", "1000", "--client", "http-result")
    split_of(analysis)
    row = analysis.to_json()["blame"][0]
    assert row["method"] == "Poolscope.Workloads.Experiments.Ticket.Run (lambda)" and row["kind"] == "task-wait"
    assert row["share"] >= 0.9 and row["event_s"] == row["thread_s"]


CONVOY = ("lock-convoy", "--count", "100", "--min-threads", "20", "--max-threads", "20")


@pytest.mark.parametrize("guard, method", [("lock", "EnterLock"), ("monitor", "EnterMonitor")])
def test_a_convoy_is_blamed_on_the_lock_and_its_owners_are_seen_sleeping(captured, guard, method):
    analysis = captured(*CONVOY, "--guard", guard, snapshots=0.2)
    split_of(analysis)
    row = analysis.to_json()["blame"][0]
    assert row["method"] == f"Poolscope.Workloads.Experiments.LockConvoy.{method}"
    assert row["kind"] == "lock" and row["share"] >= 0.9 and row["event_s"] == row["thread_s"]
    held = row["held_by"]
    # Nearly all of the wait has an owner, which sleeps under the lock.
    assert held["thread_s"] >= 0.9 * row["thread_s"]
    assert held["was"]["blocked"] >= 0.9 * held["thread_s"]
    assert (held["method"], held["kind"]) == ("Poolscope.Workloads.Experiments.LockConvoy.Hold", "sleep")
    assert held["threads"] >= 5
    assert {owner["tid"] for owner in held["owners"]} <= set(analysis.capture.table("workers")["tid"])


def test_a_semaphore_is_blamed_on_the_method_that_waits_for_it(captured):
    analysis = captured(*CONVOY, "--guard", "semaphore")
    split_of(analysis)
    row = analysis.to_json()["blame"][0]
    assert (row["method"], row["kind"]) == ("Poolscope.Workloads.Experiments.LockConvoy.TakeSemaphore", "semaphore")
    assert row["share"] >= 0.9 and row["event_s"] == row["thread_s"]


def test_snapshots_can_be_left_out(captured):
    assert captured("trickle-v3", "--count", "20").capture.has("snapshots")
    assert not captured("trickle-v3", "--count", "20", snapshots=0).capture.has("snapshots")
