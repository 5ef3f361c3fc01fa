"""Requests whose clients receive the answer slowly."""

import pytest
from late_captures import downloads, fired


@pytest.mark.fires("client-side")
def test_requests_whose_clients_take_the_answer_slowly(tmp_path):
    found, verdict = fired(downloads(tmp_path))
    assert (verdict.id, verdict.confidence) == ("client-side", "high"), (verdict, list(found))
    assert verdict.text.startswith(
        "2 of 40 requests took long because their clients were slow to take the answer, for up to 1.5 s"
    )
    assert verdict.text.endswith("The first byte of an answer went out 3 ms after its request arrived, on average.")


def test_a_route_whose_clients_are_always_slow_may_have_been_missed_by_nobody(tmp_path):
    _, verdict = fired(downloads(tmp_path, path="/maps"))
    assert (verdict.id, verdict.confidence) == ("client-side", "medium")
    assert any("their users may not mind" in reason for reason in verdict.reasons)


@pytest.mark.quiet("client-side")
@pytest.mark.parametrize(
    "other",
    [{"full": 0}, {"full": 700}, {"full": 900, "resumes": 900}],
    ids=["the server produced slowly", "less than half of it", "less than a second"],
)
def test_answers_that_take_long_for_another_reason_are_not_their_clients(tmp_path, other):
    assert "client-side" not in fired(downloads(tmp_path, **other))[0]
