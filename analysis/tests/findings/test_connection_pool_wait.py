"""Calls that wait for a connection of HttpClient's pool."""

import poolscope
import pytest
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from service import pooled
from synthetic import MS, CaptureBuilder

RULE = "connection-pool-wait"
WORKER = 200


def calling(folder, *, waited, calls=60, connections=2, made=-1, queue=0):
    """Builds calls that share `connections`, each keeping one for 100 ms after it waited for it. Each call goes on in
    an item that is queued when its connection is free and waits for a thread for `queue`."""
    builder = CaptureBuilder(folder, length=10_000 * MS)
    for number in range(calls):
        at = (1_000 + 100 * (number // connections)) * MS
        tid = WORKER + number % connections
        builder.item(at - queue, at, at + MS, tid, [("running", MS)])
        more = {"waited": waited, "taken": (at, tid), "connection": number % connections, "made": made}
        builder.call(at - waited, at + 100 * MS, path=f"/orders/{number}", **more)
    return builder


def found(analysis):
    return next((f for f in analysis.findings if f.id == RULE), None)


@pytest.mark.fires("connection-pool-wait")
def test_calls_that_wait_for_each_other_name_the_host_and_the_limit(tmp_path):
    analysis = analyse(calling(tmp_path, waited=300 * MS).write())
    finding = found(analysis)
    assert finding.number == "75 % of the time of calls to shop:443"
    assert finding.severity == "high" and finding.item_seconds == pytest.approx(18)
    assert "60 of 60 calls to shop:443 waited" in finding.evidence[0] and "300 ms on average" in finding.evidence[0]
    assert "MaxConnectionsPerServer is 2" in finding.evidence[0]
    assert analysis.verdict.id == RULE
    assert analysis.verdict.text.startswith(
        "60 of 60 calls to shop:443 were late because other calls had all 2 connections"
    )
    (row,) = analysis.to_json()["calls"]["routes"]
    assert (row["endpoint"], row["route"], row["calls"]) == ("shop:443", "/orders/{id}", 60)
    assert (row["connection_wait_ms"], row["held_wait_ms"], row["thread_wait_ms"]) == (300, 300, 0)
    page = render(analysis.to_json())
    assert 'id="calls"' in page and "for a connection of HttpClient&#39;s own pool" in page


def test_behind_a_starved_pool_it_is_never_the_verdict(tmp_path):
    """A call keeps its connection while it waits for a thread."""
    analysis = analyse(calling(tmp_path, waited=300 * MS, queue=100 * MS).write())
    finding = found(analysis)
    assert finding.severity == "medium" and finding.item_seconds == 0
    assert analysis.verdict.id not in (RULE, "healthy")


@pytest.mark.fires("connection-pool-wait")
@pytest.mark.parametrize("connections", [1, 2])
def test_requests_that_wait_for_a_driver_s_connections_name_the_service(tmp_path, connections):
    analysis = analyse(pooled(tmp_path, connections).write())
    assert analysis.verdict.id == RULE, (analysis.verdict, [f.id for f in analysis.findings])
    assert analysis.verdict.confidence == "medium" and "infers the cause" in analysis.verdict.reasons[-1]
    count = "the only connection" if connections == 1 else "all 2 connections"
    assert f"requests were late because other requests had {count} to 10.0.0.9:5432" in analysis.verdict.text
    parts = analysis.evidence.request_parts.part
    assert parts["services"].max() <= 300 * MS, "another request's query is no service of this one"


@pytest.mark.quiet("connection-pool-wait")
@pytest.mark.parametrize(
    "other", [{"connections": 4}, {"every": 400}, {"rest": 200}], ids=["enough", "rare", "held without a question"]
)
def test_requests_that_wait_for_no_driver_s_connection(tmp_path, other):
    assert found(analyse(pooled(tmp_path, **other).write())) is None


@pytest.mark.quiet("connection-pool-wait")
def test_what_is_no_wait_for_a_connection_of_another_call(tmp_path):
    assert found(analyse(calling(tmp_path / "little", waited=5 * MS).write())) is None
    assert found(analyse(calling(tmp_path / "few", waited=300 * MS, calls=3).write())) is None
    # A connection was free and no thread was: that wait belongs to the thread pool.
    assert found(analyse(calling(tmp_path / "threads", waited=300 * MS, queue=300 * MS).write())) is None
    free = CaptureBuilder(tmp_path / "free", length=10_000 * MS).item(0, MS, 2 * MS, WORKER, [("running", MS)])
    assert found(analyse(free.call(0, 9_000 * MS, connection=1).write())) is None


def test_without_calls_it_is_not_applicable(tmp_path):
    analysis = analyse(CaptureBuilder(tmp_path, length=MS).item(0, 1, 2, WORKER, [("running", 1)]).write())
    assert {r.id: r.status for r in analysis.rules}[RULE] == "not-applicable"
    assert analysis.to_json()["calls"] is None
    assert 'id="calls"' not in render(analysis.to_json())


def test_neither_host_nor_path_is_left_when_it_is_redacted(tmp_path):
    content = redact(analyse(calling(tmp_path, waited=300 * MS).write()).to_json())
    text = str(content["calls"]) + str(content["findings"])
    assert "shop" not in text and "orders" not in text
    assert "endpoint-1" in str(content["findings"]) and "MaxConnectionsPerServer" in text


def test_the_library_s_frame_adds_up(tmp_path):
    calling(tmp_path, waited=300 * MS, queue=100 * MS).write()
    frame = poolscope.open(tmp_path).calls()
    assert len(frame) == 60 and frame["route"].eq("/orders/{id}").all()
    assert (frame["held_wait"] == 200 * MS).all() and (frame["thread_wait"] == 100 * MS).all()
    assert (frame["latency"] == 400 * MS).all() and not frame["at_least"].any()
    assert not any("?" in path for path in frame["path"])
