"""The requests that are followed, and those that count as missing. Times are ms."""

import pytest
from poolscope.attribution import attribute
from poolscope.measures.requests import measure_requests
from poolscope.whatif.requests import follow_requests
from service import ENGINE, EPOLL, web_service
from synthetic import MS


def unanswered(tmp_path, took, gone):
    """Builds a 31st request, which came at 3049, takes `took` in the application and has no answer; the others take
    26."""
    builder = web_service(tmp_path, [20] * 30)
    end = 3054 + took
    running = [("running", 2 * MS)]
    builder.item(3050 * MS, 3051 * MS, 3053 * MS, 1990, running, enqueue_tid=EPOLL, work_id=ENGINE)
    running = [("running", (end + 1 - 3053) * MS)]
    builder.item(3052 * MS, 3053 * MS, (end + 1) * MS, 1991, running, enqueue_tid=1990)
    closes = [(3053 * MS, "ended", 0)] if gone else []
    builder.connection((3049 * MS, "arrived", 50), (3052 * MS, "read", 50, 1990), *closes)
    builder.request(3054 * MS, 1991, end * MS, 1991, connection="C99")
    capture = builder.write()
    attribution = attribute(capture)
    return follow_requests(capture, attribution, measure_requests(capture, attribution))


@pytest.mark.parametrize(
    "took, gone, followed",
    [(1, False, True), (1, True, False), (10, True, False), (20, True, True)],
)
def test_what_the_application_gave_up_because_the_client_had_gone_was_not_served(tmp_path, took, gone, followed):
    found = unanswered(tmp_path, took, gone)
    assert len(found.arrived) == 30 + followed
    assert found.missing.tolist() == ([] if followed else [3049 * MS])
    assert found.is_answered.sum() == 30 and found.unfinished == 0
