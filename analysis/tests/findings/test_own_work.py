"""Requests whose own code takes long."""

import pytest
from late_captures import fired, working
from service import web_service


@pytest.mark.fires("own-work")
@pytest.mark.parametrize(("state", "how"), [("blocked", "kept its thread blocked"), ("running", "computed")])
def test_requests_whose_own_code_takes_long_name_it(tmp_path, state, how):
    found, verdict = fired(working(tmp_path, state))
    assert verdict.id == "own-work", (verdict, list(found))
    assert verdict.text.startswith(f"2 of 43 requests were late because App.Price {how}, for up to 1.5 s")


@pytest.mark.quiet("own-work")
def test_requests_that_are_late_for_something_else_are_not_late_for_their_own_code(tmp_path):
    assert "own-work" not in fired(working(tmp_path / "quick", took=300))[0]
    assert "own-work" not in fired(web_service(tmp_path / "elsewhere", [20] * 30 + [1500] * 2 + [20] * 10))[0]
