"""The only thread that reads a socket is busy elsewhere while data lies unread. Times are ms."""

import pytest
from late_captures import READER, fired, held
from service import web_service


@pytest.mark.fires("reader-held")
def test_a_thread_that_alone_reads_and_is_elsewhere_is_named_with_its_method(tmp_path):
    found, verdict = fired(held(tmp_path))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert f"thread {READER} (.NET Sockets), which reads it, was in App.Bid" in verdict.text
    assert "INLINE_COMPLETIONS" in found["reader-held"].advice[0]


def test_what_held_up_most_requests_is_found_although_it_raises_their_median(tmp_path):
    found, verdict = fired(held(tmp_path, quick=3, often=8))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert verdict.text.startswith("8 of 11 requests were late while data lay unread for up to 1.5 s")
    assert "lying unread" not in verdict.text
    assert len(found["healthy"].advice) == 0, "no reader of a place is sent elsewhere"


@pytest.mark.quiet("reader-held")
@pytest.mark.parametrize("took", [[20] * 40, [20] * 20 + [1500] * 2 + [20] * 20])
def test_data_that_is_read_at_once_was_held_by_nobody(tmp_path, took):
    assert "reader-held" not in fired(web_service(tmp_path, took))[0]
