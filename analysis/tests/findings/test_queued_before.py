"""A queue that was full right before the recording and empty in it: the recording does not rule out late items."""

import pytest

from poolscope.product.analysis import analyse
from synthetic import BASE, MS, CaptureBuilder

LOOK = {"minimum": 2, "maximum": 32767, "goal": 2, "queued": []}


def attached(folder, counted, looked, ended, look_at=-200):
    """Builds items that start at once, after a reading of the counters 450 ms before the first event and after the
    look."""
    builder = CaptureBuilder(folder, length=4000 * MS, launched=False)
    for at in range(0, 3000, 10):
        builder.item(at * MS, at * MS, (at + 2) * MS, 200, [("running", 2 * MS)])
    builder.manifest["look"] = LOOK | {"time_ns": BASE + look_at * MS, "queue_length": looked}
    for time, queued, done in ((-450, counted, 0), (50, 0, ended)):
        row = {"since": (time - 500) * MS, "time": time * MS, "queue_length": queued, "completed": done}
        builder.rows["pool_counters"].append(row | {"threads": 2, "compiling": 0})
    return analyse(builder.write()).verdict


def test_a_queue_that_was_full_before_the_recording_is_not_called_healthy(tmp_path):
    verdict = attached(tmp_path, counted=33, looked=35, ended=66)
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert "for 250 ms right before the recording at least 33 work items were queued" in verdict.text


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"counted": 0, "looked": 33, "ended": 66}, id="it filled in a moment"),
        pytest.param({"counted": 33, "looked": 0, "ended": 66}, id="it was empty at the look"),
        pytest.param({"counted": 33, "looked": 33, "ended": 9000}, id="items left it at once"),
        pytest.param({"counted": 2, "looked": 2, "ended": 4}, id="too few to matter"),
        pytest.param({"counted": 33, "looked": 33, "ended": 66, "look_at": -2000}, id="long before"),
    ],
)
def test_a_queue_that_kept_nobody_waiting_says_nothing(told, tmp_path):
    verdict = attached(tmp_path, **told)
    assert (verdict.id, verdict.confidence) == ("healthy", "high")
