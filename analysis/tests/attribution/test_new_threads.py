"""The time from the creation of a new worker to its begin, as the capture shows it."""

import pytest
from poolscope.whatif.setting import new_thread_ns
from synthetic import MS, CaptureBuilder


def capture(folder, takes, ready=0.0):
    """Builds workers that begin `takes` ms after their creation and are ready for `ready` ms of that."""
    builder = CaptureBuilder(folder, length=1000 * MS)
    for n, ms in enumerate(takes):
        tid, born = 300 + n, (10 + 50 * n) * MS
        builder.rows["threads"].append({"tid": tid, "pid": 1, "name": "app", "start": born})
        builder.state(tid, born, born + ready * MS, "ready")
        begin = born + ms * MS
        builder.item(begin, begin, begin + 5 * MS, tid, [("running", 5 * MS)])
        builder.born[tid] = begin
    return builder.write()


def test_the_median_counts_without_the_time_in_which_there_was_no_core(tmp_path):
    assert new_thread_ns(capture(tmp_path, [0.3, 0.2, 0.4, 0.3, 9.0], ready=0.1)) == pytest.approx(0.2 * MS)


def test_of_two_new_workers_nothing_is_concluded(tmp_path):
    assert new_thread_ns(capture(tmp_path, [0.3, 0.3])) is None
