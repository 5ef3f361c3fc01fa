"""Requests of the bundled web service, compared with the clock of the load generator that sent them."""

import numpy as np
import pandas as pd
import pytest
from conftest import SERVICE
from live.kernel import with_sockets

pytestmark = pytest.mark.live

LOG = "requests.csv"
LOST_CORE_NS = 50e6


def serve(captured, *arguments):
    """Returns the analysis, and a row for each request answered well: the client's times and ours, ns of one clock."""
    analysis = captured(*arguments, "--log", LOG, program=SERVICE, snapshots=0.5)
    with_sockets(analysis.capture)
    requests = analysis.evidence.requests
    number = pd.to_numeric(pd.Series(requests.path).str.rsplit("/", n=1).str[1], errors="coerce").fillna(-1)
    base = analysis.capture.window[0]
    ours = pd.DataFrame(
        {
            "number": number.astype(int),
            "arrived": np.where(requests.whole, requests.arrived + base, -1),
            "answered": np.where(requests.whole, requests.answered + base, -1),
        }
    )
    log = pd.read_csv(analysis.capture.path.parent / LOG)
    good = log[log["outcome"] == "ok"]
    return analysis, good.merge(ours[ours["number"] >= 0], on="number", how="left", validate="one_to_one")


def lies_within_the_client_s_time(analysis, rows):
    """Asserts that at least 99 % of the requests are tied, and to their own bytes: they arrived after the client began
    to send, and the answer was sent before the client had it. A tie to another request's bytes would break that. A send
    is recorded when its call returns, so on loopback the client may have the answer earlier if the sender lost its core
    right then."""
    tied = rows[rows["arrived"] >= 0]
    assert len(rows) - len(tied) <= 0.01 * analysis.evidence.requests.count
    assert (tied["arrived"] >= tied["sent"]).all() and (tied["answered"] <= tied["ended"] + LOST_CORE_NS).all()
    return tied


def is_exact(analysis):
    requests, parts = analysis.evidence.requests, analysis.evidence.request_parts
    assert np.array_equal(parts.latency, (requests.answered - requests.arrived)[requests.whole])
    assert np.array_equal(sum(parts.cause.values()), parts.part["unread"] + parts.part["queued"])
    return analysis.to_json()["requests"]


def test_awaited_requests_wait_for_the_database(captured):
    analysis, rows = serve(captured, "--fault", "none", "--rate", "60", "--duration", "5", "--drain", "2")
    tied = lies_within_the_client_s_time(analysis, rows)
    client, ours = tied["ended"] - tied["sent"], tied["answered"] - tied["arrived"]
    assert (client - ours).median() <= 0.05 * client.median()
    requests = is_exact(analysis)
    assert requests["parts_ms"]["services"] >= 0.9 * sum(requests["parts_ms"].values())
    assert len(requests["services"]) == 1 and requests["services"][0]["calls"] >= requests["answered"]


@pytest.mark.paired
def test_requests_that_block_wait_for_threads_in_sockets_and_queues(captured):
    analysis, rows = serve(captured, "--fault", "sync", "--rate", "60", "--duration", "5", "--drain", "8")
    tied = lies_within_the_client_s_time(analysis, rows)
    requests = is_exact(analysis)
    parts, waits = requests["parts_ms"], requests["wait_ms"]
    waited = parts["unread"] + parts["queued"]
    # A request that waits for a core because other programs compute is no failure of the split.
    assert waited >= 0.8 * sum(parts.values()), parts
    assert waits["injection"] >= 0.8 * (waited - waits["core"]), waits
    # Bytes lay in sockets behind the engine's only item, so no work item shows that wait.
    assert parts["unread"] > 0
    client, ours = tied["ended"] - tied["sent"], tied["answered"] - tied["arrived"]
    assert abs((client - ours).sum()) <= 0.05 * client.sum()


@pytest.mark.paired
def test_a_database_that_becomes_slow_is_named(captured):
    load = ["--rate", "30", "--duration", "9", "--drain", "3", "--min-threads", "100"]
    spell = ["--db-ms", "100", "--db-spell", "3:3:10"]
    analysis, rows = serve(captured, "--fault", "sync", *load, *spell)
    lies_within_the_client_s_time(analysis, rows)
    assert analysis.verdict.id == "slow-service"
    endpoint = analysis.to_json()["requests"]["services"][0]["endpoint"]
    assert endpoint.startswith("127.0.0.1:") and endpoint in analysis.verdict.text
