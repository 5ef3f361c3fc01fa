"""A service that requests wait for becomes slow."""

from __future__ import annotations

import pytest
from poolscope.product import analyse
from service import web_service

USUAL = [20] * 12


def fired(analysis):
    return {f.id: f for f in analysis.findings}


@pytest.mark.fires("slow-service")
def test_a_service_that_became_slow_is_the_verdict(tmp_path):
    analysis = analyse(web_service(tmp_path, [*USUAL, *[800] * 10, *USUAL], remote="10.0.0.9:5432").write())

    assert analysis.verdict.id == "slow-service"
    finding = fired(analysis)["slow-service"]
    assert "healthy" not in fired(analysis)
    assert finding.item_seconds == pytest.approx(10 * 0.78)
    assert "10 of 34 answers of 10.0.0.9:5432 took 800 ms (median)" in finding.evidence[0]
    assert "the others took 20 ms: 40.0 times as long" in finding.evidence[0]
    assert analysis.verdict.text.startswith("10 of 34 requests were answered late because 10.0.0.9:5432 answered late")
    window = finding.where.windows[0]
    assert 1.0 < window.from_s < 1.6 and 2.0 < window.to_s < 3.2


@pytest.mark.quiet("slow-service")
@pytest.mark.parametrize(
    "took",
    [
        pytest.param([800] * 30, id="always slow: nothing to compare with"),
        pytest.param([20, 800] * 15, id="slow and quick answers in turn: it did not become slow"),
        pytest.param([*USUAL, *[55] * 10, *USUAL], id="slower, and nobody notices"),
        pytest.param([*USUAL, *[800] * 3, *USUAL], id="too few to tell"),
        pytest.param([*USUAL, *[120] * 8, *USUAL], id="too little in all"),
    ],
)
def test_what_is_no_slow_service(tmp_path, took):
    analysis = analyse(web_service(tmp_path, took).write())

    assert "slow-service" not in fired(analysis)
    assert analysis.verdict.id == "healthy"


def test_the_verdict_speaks_of_requests(tmp_path):
    analysis = analyse(web_service(tmp_path, [40] * 10).write())

    assert analysis.verdict.text.endswith(
        " 10 answered requests took 51 ms on average, 78 % of it waiting for other services."
    )


def test_of_too_few_requests_nothing_is_said(tmp_path):
    builder = web_service(tmp_path, [40] * 10)
    builder.rows["socket_io"] = [row for row in builder.rows["socket_io"] if row["socket"] < 8]

    assert "answered requests" not in analyse(builder.write()).verdict.text


def test_where_no_answer_of_a_service_was_seen_it_is_not_checked(tmp_path):
    web = web_service(tmp_path, USUAL)
    web.rows["socket_io"] = [row for row in web.rows["socket_io"] if row["socket"] >= 100]
    rule = next(r for r in analyse(web.write()).rules if r.id == "slow-service")

    assert rule.status == "not-applicable"
