"""The clocks of clients and servers, compared with the page's."""

import json
from typing import Any

import pytest
from zoo.clocks import clocks, main
from zoo.clocks_table import markdown

REQUESTS: Any = {"answered": 2, "parts_ms": {"services": 9.0, "cpu": 2.0, "other": 0.5}}


@pytest.fixture
def run(tmp_path):
    """run(requests, calls, server log) returns the clocks of a run with two answered requests of 10 and 14 ms."""

    def make(requests, calls=None, finding=None, **servers):
        page = {"requests": requests, "calls": calls, "verdict": {"id": (finding or {"id": "healthy"})["id"]}}
        (tmp_path / "pg-1.json").write_text(json.dumps(page | {"findings": [finding] if finding else []}))
        log = tmp_path / "pg-1.clients.csv"
        log.write_text("7,/orders/2,1000000,11000000\n7,/orders/2,1000000,15000000\n7,/orders/2,1000000,0\n")
        for name, text in servers.items():
            (tmp_path / f"pg-1.{name}.log").write_text(text)
        return clocks(log, tmp_path)

    return make


def test_the_clients_mean_is_of_what_was_answered(run):
    found = run(REQUESTS)
    assert (found.run, found.sent, found.answered, found.client_ms) == ("pg-1", 3, 2, 12.0)
    assert (found.page_answered, found.page_ms, found.services_ms, found.server_ms) == (2, 11.5, 9.0, None)
    assert found.explained == pytest.approx(1 - 0.5 / 11.5)


def test_what_the_verdict_has_a_place_for_is_explained(run):
    assert run(REQUESTS, finding={"id": "slow-service", "item_seconds": 0.0004}).explained == pytest.approx(
        1 - 0.3 / 11.5
    )
    assert run(REQUESTS, finding={"id": "slow-service", "item_seconds": 9.0}).explained == 1.0
    assert run(REQUESTS, finding={"id": "injection-delay", "item_seconds": 9.0}).explained < 1.0


def test_postgres_is_divided_among_answered_requests_and_nginx_by_its_lines(run):
    lines = "1.5 9 LOG:  duration: 4.5 ms\n1.6 9 LOG:  duration: 13.5 ms\n"
    assert run(REQUESTS, postgres=lines).server_ms == 9.0


def test_nginx_counts_what_was_answered(run):
    lines = "1.5 0.020 0.010 200 /a\n1.6 0.030 0.014 200 /a\n1.7 7.000 7.000 499 /a\n"
    assert run(REQUESTS, nginx=lines).server_ms == pytest.approx(12)


def test_calls_stand_in_where_there_are_no_requests_and_parts_may_be_missing(run):
    assert run(None, {"count": 5, "latency_ms": {"mean": 2.0}}).page_ms == 2.0
    assert run({**REQUESTS, "parts_ms": None}).services_ms is None
    assert run(None).page_answered is None


def test_the_table_has_a_line_a_run_whose_page_is_kept(run, tmp_path, capsys):
    run(REQUESTS)
    (tmp_path / "other-1.clients.csv").write_text("")
    main(tmp_path, tmp_path)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["run", "pg-1"]


ROW = {
    "run": "pg-async-net10.0-launched-1",
    "sent": 10,
    "answered": 10,
    "client_ms": 100.0,
    "page_answered": 10,
    "page_ms": 96.0,
    "explained": 0.99,
    "services_ms": 40.0,
    "server_ms": 50.0,
    "server": "postgres",
}


def test_the_page_counts_what_is_near_and_what_is_explained():
    said = markdown([ROW, ROW | {"page_ms": 94.0, "explained": 0.5}, ROW | {"page_answered": 9}])
    assert "In 2 of 3 runs the page has exactly the requests" in said
    assert "of the clients' clocks: 1 of 2 runs" in said and "explained: 1 of 2 runs" in said
    assert "the server's own clock: 0 of 2 runs" in said
    assert said.splitlines()[-1] == (
        "| `pg-async` | 2 | 20 of 20 | 100.0 | 95.0 | -6.00 ms (-6.0 %) | 74.5 % | 50.0 | 40.0 | -10.00 ms (-20.0 %) |"
    )


def test_a_server_is_compared_only_if_all_requests_were_answered():
    assert markdown([ROW | {"sent": 11}]).splitlines()[-1].endswith("| 99.0 % |  |  |  |")
    nginx = ROW | {"sent": 11, "server": "nginx", "server_ms": 97.0}
    assert markdown([nginx]).splitlines()[-1].endswith("| 97.0 | 96.0 | -1.00 ms (-1.0 %) |")
