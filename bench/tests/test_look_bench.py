"""The arithmetic and the page of `bench look`."""

import pytest
from look import clients, damaged, page, queued, restless

DUMPS = """dump             3000 inputs  210.3 s  most allocated 26 MiB  peak 175 MiB  slowest 1489 ms  0 findings
    1900  blocked-at-cap
    1000  too little of the pool
      66  reader died: refused: the reader broke off
      30  reader died: cannot-tell, not complete
       3  without end: refused: the reader took more than 5 s of CPU time
       1  without end: cannot-tell
"""


def test_counts_of_a_growing_queue_are_within_those_around_the_look():
    own = [{"A.Run": 90, "B.Load": 10}, {"A.Run": 110, "B.Load": 10}]
    assert queued.compare({"A.Run<System.Int32>": 100, "B.Load": 10}, own)["off"] == 0
    assert queued.compare({"A.Run": 116, "B.Load": 10}, own)["off"] == pytest.approx(6 / 120)
    assert queued.compare({"C.Other": 5, "A.Run": 100, "B.Load": 10}, own)["off"] == pytest.approx(5 / 120)
    assert queued.compare({}, [])["off"] is None


def test_a_class_alone_stands_for_its_only_method():
    own = [{"A.Run (lambda)": 10, "B.Load": 3}]
    assert queued.compare({"A (lambda)": 10, "B (a method of it)": 3}, own)["off"] == 0
    assert queued.compare({"A (lambda)": 10}, [{"A.Run": 5, "A.Stop": 5}])["off"] == pytest.approx(2.0)


def test_latencies_count_from_when_a_request_was_due_and_without_the_start():
    log = "number,outcome,intended,sent,ended\n"
    log += "".join(f"{i},ok,{i * 10**9},{i * 10**9 + 5},{i * 10**9 + (i + 1) * 10**6}\n" for i in range(6))
    log += "6,error,6000000000,0,0\n"
    assert clients.latencies(log, 3.0) == [4.0, 5.0, 6.0]
    assert clients.quantile([1.0, 2.0, 3.0, 4.0], 0.99) == 4.0


def test_a_limit_that_the_pool_never_had_is_wrong_and_a_refusal_is_not():
    row = {"seconds": 1.2, "exit": 0, "said": "", "minimum": 3, "maximum": 50, "target_lives": True}
    refused = {**row, "exit": 3, "said": "one line", "minimum": None, "maximum": None, "seconds": 2.5}
    counted = restless.totals([row, {**row, "maximum": 3}, refused])
    assert (counted["answered"], counted["refused_in_one_line"], counted["wrong_limits"]) == (2, 1, 1)
    assert (counted["over_2_s"], counted["seconds_max"]) == (1, 2.5)


def test_what_the_fuzzer_printed_is_counted():
    row = damaged.parse(DUMPS)
    assert damaged.totals([row, row]) == {
        "inputs": 6000,
        "answered": 2 * (1900 + 30 + 1),
        "refused_in_one_line": 2 * (1000 + 66 + 3),
        "reader_died": 192,
        "reader_ended_by_limit": 8,
        "findings": 0,
        "peak_mib": 175,
    }
    with pytest.raises(ValueError):
        damaged.parse("something else")


def test_the_page_has_a_row_a_kind_and_names_what_was_not_right():
    sick = {
        "program": "checkout-result",
        "kind": "sick",
        "framework": "net10.0",
        "source": "process",
        "verdict": "sync-over-async",
        "right": True,
        "holder": "A.Run",
        "holder_right": True,
        "cause_in_healthy": False,
        "first_s": 0.5,
    }
    busy = {**sick, "program": "import-poller", "first_s": 9.9, "pressure_before": 80.0}
    wrong = {**sick, "program": "tax-service", "right": None, "verdict": "cannot-tell", "holder_right": False}
    made = page.markdown({"until": "2026-11-27", "machine": "2 cores", "zoo": [sick, busy, wrong]})
    assert (
        "| .NET 10 | process | 3 sick | 2 of 3 | 2 of 3 | 1 |  | 0.50 s, 0.50 s (2 on a quiet machine), load not recorded |"
        in made
    )
    assert "- tax-service, .NET 10, process: `cannot-tell`, method A.Run" in made
