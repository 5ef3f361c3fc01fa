"""A service that is silent for far longer than usual. Times are ms."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from late_captures import fired, polled
from poolscope.attribution.causes.socket_io import CONNECTED, Sends
from poolscope.measures.services import find_silences
from synthetic import MS


def silences(gaps, role=CONNECTED):
    """Builds questions one after another on one connection, each answered after its gap in ms."""
    asked = np.cumsum([0, *gaps[:-1]]) * MS + np.arange(len(gaps)) * MS
    count = len(gaps)
    io: Any = SimpleNamespace(
        role=np.array([role]),
        remote=np.array(["cache:6379"], dtype=object),
        sends=Sends(np.zeros(count, dtype=np.int64), asked, np.zeros(count, dtype=np.int64)),
        arrival_socket=np.zeros(count, dtype=np.int64),
        arrival_time=asked + np.array(gaps) * MS,
    )
    return find_silences(io, int(asked[-1] + 10_000 * MS))


def test_a_service_is_silent_where_it_takes_far_longer_than_it_usually_does():
    (silence,) = silences([2] * 12 + [3000] + [2] * 3)
    assert silence.endpoint == "cache:6379" and (silence.end - silence.start).tolist() == [3000 * MS]
    assert silences([2] * 12 + [900] + [2] * 3) == []
    assert silences([2000] * 12 + [3000] + [2000] * 3) == [], "it always takes long"
    assert silences([2] * 5 + [3000]) == [], "too few to know what is usual"


@pytest.mark.parametrize("poll", [(), ((50, 2600), (2602, 5300))])
def test_a_long_poll_on_a_connection_of_its_own_is_no_silence(tmp_path, poll):
    found, verdict = fired(polled(tmp_path, poll))
    assert verdict.id == "cannot-tell" and "slow-service" not in found


@pytest.mark.parametrize("poll", [(), ((50, 2600), (2602, 5300))])
def test_a_service_that_is_silent_on_the_connection_that_requests_share_is_named(tmp_path, poll):
    _, verdict = fired(polled(tmp_path, poll, silent=1550))
    assert verdict.id == "slow-service" and "10.0.0.9:6379 was silent for up to 1.55 s" in verdict.text
