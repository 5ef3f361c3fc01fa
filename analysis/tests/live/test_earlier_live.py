"""Requests and calls under way when a recording began, compared with the clients' clocks."""

import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from conftest import COLLECT, RUNTIMES, SERVICE, published
from live.kernel import with_sockets
from poolscope.capture import open_capture
from poolscope.measures.earlier import find_earlier_calls
from poolscope.product import analyse

pytestmark = [pytest.mark.live, pytest.mark.paired]

STARVED_S = 4
HELD = 5
"""Calls that the program makes before it is ready; the service answers them on command."""


def attach(pid, folder, seconds, when_recording=None):
    """Records; calls `when_recording` as soon as every stream does."""
    command = [str(COLLECT), "collect", "-p", str(pid), "-o", str(folder), "--duration", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as recorder:
        if when_recording is not None:
            # The kernel's streams begin some tenths of a second after the runtime's; the wait samples begin last.
            while recorder.poll() is None and not (folder / "waits.nettrace").exists():
                time.sleep(0.05)
            when_recording()
        _, said = recorder.communicate(timeout=60)
    assert recorder.returncode == 0, said


@pytest.fixture(scope="module", params=RUNTIMES)
def inner(request, tmp_path_factory, undisturbed):
    """Returns the analysis of a program that was attached to, and the program's log of its own calls."""
    program = str(published(request.param))

    def record():
        folder = tmp_path_factory.mktemp("inner")
        command = [program, "inner", "5", str(folder / "calls.csv")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            attach(
                process.pid, folder / "capture", 3, lambda: process.stdin.write("answer\n") and process.stdin.flush()
            )
            process.wait(timeout=60)
        return folder

    folder = undisturbed(record)
    log = pd.read_csv(folder / "calls.csv", names=["path", "begin", "end", "status"])
    return analyse(open_capture(folder / "capture")), log


def test_a_call_inside_which_another_begins_has_its_own_end(inner):
    analysis, log = inner
    calls = analysis.capture.table("calls").astype({"path": str})
    orders = calls[calls["path"].str.startswith("/orders/")].merge(log, on="path", suffixes=("", "_own"))
    ended = orders[orders["end"] >= 0]
    assert len(ended) >= len(orders) - 1 > 20
    assert (ended["start"] >= ended["begin"]).all() and (ended["end"] <= ended["end_own"]).all()
    assert ((ended["end_own"] - ended["end"]).median() <= 0.1 * (ended["end"] - ended["start"])).all()
    assert (ended["connection"] >= 0).all() and (ended["status"] == 200).all()
    assert analysis.to_json()["calls"]["untold"] == 0


def test_calls_from_before_the_recording_are_counted_when_they_are_answered(inner):
    analysis, log = inner
    start, stop = analysis.capture.window
    held = log[log["path"].str.startswith("/held/") & (log["end"] < stop)]
    assert len(held) == HELD
    earlier = find_earlier_calls(analysis.capture)
    # The call that was being handled when the recording began, and the token that it fetched.
    assert HELD <= earlier.count <= HELD + 2
    last = np.sort(earlier.answered)[-HELD:] + start
    assert (np.abs(last - np.sort(held["end"])) < 0.1e9).all() and (last <= np.sort(held["end"])).all()
    if analysis.capture.has("socket_io"):
        assert all(isinstance(endpoint, str) for endpoint in earlier.endpoint[-HELD:])


@pytest.fixture(scope="module")
def starved(tmp_path_factory, undisturbed):
    """Returns the analysis of a service that answered nothing when it was attached to, and the load generator's log."""

    def record():
        folder = tmp_path_factory.mktemp("starved")
        load = ["--fault", "sync", "--rate", "60", "--duration", "10", "--drain", "6", "--log", str(folder / "log.csv")]
        with subprocess.Popen([str(SERVICE), "run", *load], stdout=subprocess.DEVNULL) as process:
            time.sleep(STARVED_S)
            attach(process.pid, folder / "capture", 9)
            process.wait(timeout=60)
        return folder

    folder = undisturbed(record)
    analysis = analyse(open_capture(folder / "capture"))
    with_sockets(analysis.capture)
    return analysis, pd.read_csv(folder / "log.csv")


@pytest.fixture(scope="module")
def under_way(starved):
    """Returns the requests under way when the recording began and when the collector looked, both by the client's log,
    the requests sent before it, and the analysis of the requests."""
    analysis, log = starved
    start, _ = analysis.capture.window
    looked = int(pd.read_csv(analysis.capture.path / "connections.csv")["time_ns"].max())
    sent, ended = log["sent"], log["ended"].where(log["outcome"] == "ok", np.inf)
    least, most = (int(((sent < time) & (ended > start)).sum()) for time in (start, looked))
    assert least >= 50
    return least, most, int((sent < start).sum()), analysis.to_json()["requests"]


def test_no_more_requests_are_counted_than_were_under_way(under_way):
    least, most, sent, requests = under_way
    assert 0 < requests["earlier"]["count"] <= most
    assert requests["silent"] <= most + sent - requests["earlier"]["count"]
    assert requests["earlier"]["count"] + requests["silent"] >= 0.5 * least


@pytest.mark.xfail(
    strict=False,
    reason="a connection that is read from before its first event names its ends is not found in the collector's list: 0 to 17 % "
    "of those under way are in neither figure (docs/requests.md)",
)
def test_every_request_that_was_under_way_is_counted_or_silent(under_way):
    least, _, _, requests = under_way
    assert requests["earlier"]["count"] + requests["silent"] >= least


def test_their_latency_is_no_more_than_the_client_s(starved):
    analysis, log = starved
    start, stop = analysis.capture.window
    looked = int(pd.read_csv(analysis.capture.path / "connections.csv")["time_ns"].max())
    requests = analysis.evidence.requests
    number = pd.to_numeric(pd.Series(requests.path).str.rsplit("/", n=1).str[1], errors="coerce").fillna(-1)
    rows = pd.DataFrame({"number": number.astype(int), "early": requests.early, "whole": requests.whole})
    rows["latency"] = requests.answered - requests.arrived
    early = rows[rows["early"] & rows["whole"]].merge(log, on="number", validate="one_to_one")
    assert (early["sent"] < looked).all()
    assert (early["latency"] <= early["ended"] - early["sent"] + 50e6).all()
    # All other tied requests arrived in the recording.
    late = rows[requests.tied & ~requests.early].merge(log, on="number", validate="one_to_one")
    assert (late["sent"] >= start - 0.5e9).all()
    assert (requests.before_end <= stop - start).all()
    at_least = analysis.to_json()["requests"]["latency_ms"]["at_least"]
    assert "max" in at_least and "p99" in at_least
