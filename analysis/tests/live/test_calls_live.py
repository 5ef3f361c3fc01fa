"""Calls through HttpClient on every runtime, compared with the clock of the program that makes them."""

import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from conftest import COLLECT, RUNTIMES, published
from poolscope.capture import open_capture
from poolscope.capture.schema import enum
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

SECONDS = 2
PLENTY = 64
RULE = "connection-pool-wait"


def record(program, connections, folder, *, attach=False):
    """Records; returns the capture, and the program's log of its calls."""
    log, capture = folder / "calls.csv", folder / "capture"
    seconds = SECONDS + 3 if attach else SECONDS
    command = [str(program), "calls", str(seconds), str(connections), str(log)]
    collect = [str(COLLECT), "collect", "-o", str(capture), "--duration", str(SECONDS if attach else 3 * SECONDS)]
    if attach:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            done = subprocess.run([*collect, "-p", str(process.pid)], capture_output=True, text=True, timeout=60)
            process.wait(timeout=60)
    else:
        done = subprocess.run([*collect, "--", *command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return capture, log


def read(capture, log):
    """Returns the analysis, and the program's own list."""
    return analyse(open_capture(capture)), pd.read_csv(log, names=["path", "begin", "end", "status"])


@pytest.fixture(scope="module", params=RUNTIMES)
def launched(request, tmp_path_factory, undisturbed):
    program = published(request.param)
    return read(*undisturbed(lambda: record(program, 2, tmp_path_factory.mktemp("calls"))))


def by_number(calls, log):
    """Returns the calls with a path of their own, beside the program's own figures."""
    own = log[log["path"].str.startswith("/orders/")]
    orders = calls[calls["path"].astype(str).str.startswith("/orders/") & (calls["end"] >= 0)]
    return orders.astype({"path": str}).merge(own, on="path", suffixes=("", "_own"), validate="one_to_one")


def test_every_call_has_a_row_that_lies_within_the_program_s_own_time(launched):
    analysis, log = launched
    calls = analysis.capture.table("calls")
    assert len(calls) == len(log) > 50
    both = by_number(calls, log)
    assert len(both) == log["path"].str.startswith("/orders/").sum()
    assert (both["start"] >= both["begin"]).all() and (both["end"] <= both["end_own"]).all()
    assert (both["status"] == both["status_own"]).all()
    lost = (both["start"] - both["begin"]) + (both["end_own"] - both["end"])
    assert lost.median() <= 0.05 * (both["end_own"] - both["begin"]).median()


def test_what_was_asked_and_how_it_ended(launched):
    analysis, _ = launched
    calls = analysis.capture.table("calls")
    assert not calls["path"].astype(str).str.contains("secret|[?]").any()
    assert set(calls["protocol"]) == {"HTTP/1.1"} and set(calls["host"]) == {"127.0.0.1", "localhost"}
    nobody, missing = (calls[calls["path"] == path] for path in ("/nobody", "/missing"))
    assert len(nobody) > 0 and (nobody["outcome"] == enum("calls", "outcome", "failed")).all()
    assert (nobody["status"] == -1).all() and (nobody["connection"] == -1).all()
    assert len(missing) > 0 and (missing["status"] == 404).all()
    assert (missing["outcome"] == enum("calls", "outcome", "answered")).all()
    assert calls["connection"].nunique() == 3  # two connections, and -1 for none


def test_two_connections_for_six_callers_are_a_limit_that_is_named(launched):
    analysis, _ = launched
    finding = next(f for f in analysis.findings if f.id == RULE)
    assert "MaxConnectionsPerServer is 2" in finding.evidence[0]
    calls = analysis.evidence.calls
    sent = calls.connection >= 0
    # Four of six callers wait while two are served.
    assert 0.5 <= calls.held[sent].sum() / calls.latency[sent].sum() <= 0.75
    assert np.array_equal(calls.making + calls.held + calls.dispatch >= 0, np.ones(calls.count, dtype=bool))


def test_with_connections_for_all_no_limit_is_claimed(tmp_path):
    analysis, log = read(*record(published(RUNTIMES[-1]), PLENTY, tmp_path))
    assert analysis.evidence.calls.count == len(log)
    assert {r.id: r.status for r in analysis.rules}[RULE] == "passed"


def test_of_an_attached_process_calls_count_from_their_beginning(tmp_path):
    analysis, log = read(*record(published(RUNTIMES[-1]), 2, tmp_path, attach=True))
    calls = analysis.capture.table("calls")
    assert 50 < len(calls) < len(log)
    both = by_number(calls, log)
    assert (both["start"] >= both["begin"]).all() and (both["end"] <= both["end_own"]).all()
    # Each caller has at most one call open.
    assert (calls["end"] < 0).sum() <= 6
    assert any(f.id == RULE for f in analysis.findings)
