"""One scenario of the what-if check, on real processes."""

import sys

import pytest

from whatif import capturing, figures
from whatif.scenario import ITEMS, TRUTH, Change, Program, Scenario

pytestmark = [pytest.mark.live, pytest.mark.skipif(sys.platform != "linux", reason="captures are taken on Linux")]

BASE = ("batch-block-10", "--count", "8", "--work-ms", "200")
MORE = Change("exactly 8 threads", Program((*BASE, "--min-threads", "8", "--max-threads", "8")), {})
STUCK = Change(
    "deadlock",
    Program(
        ("barrier-default", "--count", "5"),
        environment=(
            ("DOTNET_ThreadPool_ForceMinWorkerThreads", "4"),
            ("DOTNET_ThreadPool_ForceMaxWorkerThreads", "4"),
        ),
    ),
    {},
    deadlock=True,
)
SMALL = Scenario("small", Program((*BASE, "--min-threads", "2", "--max-threads", "2")), (MORE, STUCK))


@pytest.fixture(autouse=True)
def captures(tmp_path, monkeypatch):
    monkeypatch.setattr(capturing, "CAPTURES", tmp_path)
    monkeypatch.setattr(capturing, "STUCK_AFTER_S", 1.0)


def test_more_threads_are_measured_to_wait_less():
    base = figures.measure(capturing.record(SMALL, None, 0))
    more = figures.measure(capturing.record(SMALL, MORE, 1))
    for who in (ITEMS, TRUTH):
        assert base[who]["items"] == more[who]["items"] == 8
        # Four rounds of 200 ms on two threads, one on eight: no item sleeps for less, even on a busy machine.
        assert base[who]["wait_ms"]["mean"] > 250 and base[who]["end_ms"] > 790
        assert more[who]["wait_ms"]["mean"] < 0.4 * base[who]["wait_ms"]["mean"]
        assert more[who]["end_ms"] < 0.75 * base[who]["end_ms"]
        assert base[who]["unfinished"] == 0


def test_tasks_with_threads_of_their_own_are_measured_as_tasks():
    dedicated = Change("LongRunning", Program(("barrier-long-running", "--count", "20")), {"dedicated": True})
    made = figures.measure(capturing.record(SMALL, dedicated, 1))
    assert made[ITEMS]["items"] == 0
    assert made[TRUTH]["items"] == 20 and made[TRUTH]["unfinished"] == 0
    assert 0 < made[TRUTH]["wait_ms"]["mean"] < made[TRUTH]["end_ms"] < 1000


def test_a_run_without_an_end_is_ended_and_seen():
    stuck = figures.measure(capturing.record(SMALL, STUCK, 1))[ITEMS]
    assert stuck["items"] == stuck["unfinished"] == 5
