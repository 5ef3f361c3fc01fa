"""Clients' and servers' own clocks beside the page's."""

import json

import pytest
from zoo.clocks import clocks, main

REQUESTS = {"count": 3, "latency_ms": {"mean": 11.5}, "parts_ms": {"services": 9.0}}


@pytest.fixture
def run(tmp_path):
    """run(requests, calls, server log) -> the clocks of a run with two answered requests of 10 and 14 ms."""

    def make(requests, calls=None, **servers):
        (tmp_path / "pg-1.json").write_text(json.dumps({"requests": requests, "calls": calls}))
        log = tmp_path / "pg-1.clients.csv"
        log.write_text("7,/orders/2,1000000,11000000\n7,/orders/2,1000000,15000000\n7,/orders/2,1000000,0\n")
        for name, text in servers.items():
            (tmp_path / f"pg-1.{name}.log").write_text(text)
        return clocks(log, tmp_path)

    return make


def test_the_clients_mean_is_of_what_was_answered(run):
    found = run(REQUESTS)
    assert (found.run, found.sent, found.answered, found.client_ms) == ("pg-1", 3, 2, 12.0)
    assert (found.page_requests, found.page_ms, found.services_ms, found.server_ms) == (3, 11.5, 9.0, None)


def test_postgres_is_divided_among_answered_requests_and_nginx_by_its_lines(run):
    lines = "1.5 9 LOG:  duration: 4.5 ms\n1.6 9 LOG:  duration: 13.5 ms\n"
    assert run(REQUESTS, postgres=lines).server_ms == 9.0


def test_nginx_counts_what_was_answered(run):
    lines = "1.5 0.020 0.010 200 /a\n1.6 0.030 0.014 200 /a\n1.7 7.000 7.000 499 /a\n"
    assert run(REQUESTS, nginx=lines).server_ms == pytest.approx(12)


def test_calls_stand_in_where_there_are_no_requests_and_parts_may_be_missing(run):
    assert run(None, {"count": 5, "latency_ms": {"mean": 2.0}}).page_ms == 2.0
    assert run({**REQUESTS, "parts_ms": None}).services_ms is None
    assert run(None).page_requests is None


def test_the_table_has_a_line_a_run_whose_page_is_kept(run, tmp_path, capsys):
    run(REQUESTS)
    (tmp_path / "other-1.clients.csv").write_text("")
    main(tmp_path, tmp_path)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["run", "pg-1"]
