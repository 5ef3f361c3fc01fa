"""Live captures of workloads with a known cause. Ratios and orderings, measured in one run.

The sizes are small to keep this short; `-m slow` runs the published sizes and checks their figures.
"""

import os

import numpy as np
import pytest
from conftest import FROM_THE_START
from live.kernel import split_of
from poolscope.capture.schema import enum
from poolscope.measures.truth import verify

pytestmark = pytest.mark.live


def fired(analysis):
    return {f.id for f in analysis.findings}


@pytest.mark.smoke
def test_every_item_is_joined_nothing_is_lost_and_starts_agree_with_the_workload(captured):
    analysis = captured(*FROM_THE_START)
    figures = verify(analysis.capture)
    assert figures.items == figures.joined == 100
    assert analysis.coverage.lost == 0 and analysis.coverage.lost_scheduler == 0
    assert figures.start_latency_error_us["median"] <= 200
    assert figures.start_latency_error_us["p99"] <= 5000
    assert figures.residual_ns in (0, None)


def test_awaiting_instead_of_sleeping_is_healthy(captured):
    analysis = captured("trickle-v3", "--count", "200")
    assert analysis.verdict.id == "healthy"
    assert verify(analysis.capture).residual_ns in (0, None)


def test_idle_is_healthy_or_no_work(captured):
    assert captured("idle").verdict.id in ("healthy", "no-work")


def test_more_computing_items_than_cores_are_core_contention(captured):
    analysis = captured("spin", "--count", "24", "--work-ms", "150")
    split = split_of(analysis)
    assert analysis.verdict.id == "core-contention"
    assert split["wait_share"]["core"] >= 0.9
    assert split["residual_ns"] == 0


def test_a_neighbour_on_the_same_cores_is_named(captured):
    analysis = captured("noisy-neighbour", "--count", "40")
    split_of(analysis)
    assert analysis.verdict.id == "noisy-neighbour"
    others = [e for e in analysis.to_json()["antagonists"] if e["group"] == "other-process"]
    assert others[0]["process"] == "poolscope-workl"
    assert others[0]["pid"] != analysis.capture.manifest["target"]["pid"]


def test_a_quota_that_runs_out_is_named(captured):
    if not os.access("/sys/fs/cgroup", os.W_OK) or os.geteuid() != 0:
        pytest.skip("needs root and a writable cgroup")
    analysis = captured("cgroup-throttled")
    split_of(analysis)
    assert analysis.verdict.id == "cgroup-throttled"


@pytest.mark.paired
def test_items_that_end_in_turn_hold_the_gate_back(captured):
    analysis = captured("steady-progress", "--count", "40")
    split = split_of(analysis)
    assert analysis.verdict.id == "gate-suppressed-by-progress"
    assert split["wait_share"]["injection"] >= 0.9
    assert "injection-delay" in fired(analysis)


def gate_waited_s(analysis):
    """Returns the seconds from the first queued item to the first thread that the gate added."""
    changes, items = analysis.capture.table("pool_changes"), analysis.capture.table("work_items")
    starved = changes["time"][changes["reason"] == enum("pool_changes", "reason", "Starvation")]
    return (starved.min() - items["enqueue"].min()) / 1e9


def share_held_by_cpu(analysis):
    """Returns the share of CPU suppression in the injection delay of the first item that started after the gate added a
    thread."""
    items, injection = analysis.attribution.items, analysis.attribution.split.parts.injection
    first = np.flatnonzero(items.wait > 1e8)[0]
    return float(analysis.evidence.gate.by_cpu[first] / injection[first])


def test_computing_items_hold_the_gate_back_longer(captured):
    """Two computing items hold the gate back for a second each; otherwise it acts within one. The gate measures the
    process's CPU over half a second, so another program that takes a core can release it early, and that run has
    another cause."""
    cores = os.cpu_count() or 1
    for more in range(4):
        analysis = captured("spinner-and-short", "--count", str(cores + 20 + more))
        split_of(analysis)
        waited, share = gate_waited_s(analysis), share_held_by_cpu(analysis)
        # In any case the gate would have acted half a second to a second after the last item was taken.
        assert waited - 1.05 <= share * waited <= waited - 0.45
        if waited >= cores - 0.1:
            break
    # Runs beside other computing programs are recorded again.
    assert (
        waited >= cores - 0.1
    ), "in none of four runs did the process have the cores long enough to hold the gate back"
    assert analysis.verdict.id == "gate-suppressed-by-cpu"


def test_a_suspension_while_a_batch_is_queued_is_named(captured):
    analysis = captured("gc-pauses", "--count", "96")
    split_of(analysis)
    assert analysis.verdict.id == "runtime-suspended"


FEW_THREADS = ("--min-threads", str(os.cpu_count()), "--max-threads", str(os.cpu_count()))


def test_as_many_threads_as_cores_end_sooner_than_a_thread_for_each_and_are_not_oversubscribed(captured):
    crowd, few = captured("cashiers"), captured("cashiers", *FEW_THREADS)
    assert few.verdict.id == "core-contention"
    assert "oversubscribed" not in fired(few)
    # Each run measures again how many iterations make 150 ms of work, so the unit is an item's own CPU time.
    done = [a.to_json()["items"]["completion_ms"]["mean"] / split_of(a)["execution_ms"]["cpu"] for a in (crowd, few)]
    assert done[0] > 1.3 * done[1]


def test_a_thread_for_each_of_100_items_is_oversubscribed(captured):
    assert captured("cashiers").verdict.id == "oversubscribed"


def test_items_end_when_they_end_and_not_when_their_crowded_workers_park(captured):
    """The park event comes a second later on average: the worker's spin yields, and each yield costs a round of all
    workers."""
    analysis = captured("cashiers")
    split_of(analysis)
    assert verify(analysis.capture).end_error_us["median"] <= 1000


@pytest.mark.paired
@pytest.mark.parametrize("client", ["http-result", "http-send"])
def test_waiting_for_tasks_is_sync_over_async_and_the_replay_fits(captured, client):
    analysis = captured("ticket", "--count", "40", "--work-ms", "1000", "--client", client)
    split = split_of(analysis)
    assert analysis.verdict.id == "sync-over-async"
    assert split["wait_share"]["injection"] >= 0.9
    assert abs(analysis.coverage.replay_error) <= 0.1
    # The pool's own threads end the waits, and those are in short supply.
    assert analysis.coverage.pool_ended_blocked_ms >= 0.5 * analysis.coverage.blocked_ms


@pytest.mark.paired
def test_a_convoy_on_few_threads_is_the_locks_doing_and_no_injection(captured):
    analysis = captured("lock-convoy", "--count", "60", "--min-threads", "2")
    split = split_of(analysis)
    assert analysis.verdict.id == "lock-convoy"
    assert split["blocking_ms"]["dependency"] >= 0.8 * analysis.to_json()["items"]["wait_ms"]["mean"]
    assert abs(analysis.coverage.replay_error) <= 0.1


@pytest.mark.paired
def test_waiting_at_a_barrier_is_the_late_ones_doing(captured):
    analysis = captured("barrier-default", "--count", "12")
    split = split_of(analysis)
    assert analysis.verdict.id == "injection-delay"
    assert split["removable_ms"]["threads"] >= 0.9 * split["delay_ms"]
    assert analysis.coverage.edge_blocked_ms >= 0.95 * analysis.coverage.blocked_ms
    assert abs(analysis.coverage.replay_error) <= 0.1


@pytest.mark.slow
class TestPublishedSizes:
    """Published sizes: 1000 items, one every 10 ms, 500 ms each."""

    def test_start_latency_of_1000_items(self, captured):
        figures = verify(captured("trickle-v1", "--full").capture)
        assert figures.items == figures.joined == 1000
        assert figures.start_latency_error_us["median"] <= 200
        assert figures.start_latency_error_us["p99"] <= 5000

    def test_minimum_equal_to_maximum(self, captured):
        analysis = captured("trickle-v1", "--full", "--min-threads", "10")
        assert split_of(analysis)["wait_share"]["blocking"] >= 0.95
        assert analysis.to_json()["items"]["wait_ms"]["mean"] == pytest.approx(20_000, rel=0.05)

    def test_default_minimum(self, captured):
        slow, quick = captured("trickle-v1", "--full"), captured("trickle-v1", "--full", "--min-threads", "10")
        split = split_of(slow)
        mean = slow.to_json()["items"]["wait_ms"]["mean"]
        assert 0.35 <= split["wait_share"]["injection"] <= 0.60
        more = mean - quick.to_json()["items"]["wait_ms"]["mean"]
        assert split["wait_ms"]["injection"] == pytest.approx(more, abs=1000)
        assert split["wait_share"]["injection"] + split["wait_share"]["blocking"] >= 0.98

    def test_awaiting(self, captured):
        assert captured("trickle-v3", "--full").verdict.id == "healthy"

    def test_ticket(self, captured):
        analysis = captured("ticket")
        split = split_of(analysis)
        assert analysis.verdict.id == "injection-delay"
        assert split["wait_share"]["injection"] >= 0.9
        assert split["injection_ms"]["behind_blocked"] >= 0.9 * split["wait_ms"]["injection"]
        assert split["removable_ms"]["async"] >= 0.9 * split["delay_ms"]
