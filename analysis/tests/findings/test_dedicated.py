"""Tasks with threads of their own never wait for the pool, but the report can still say how soon they start."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def captured(path, delay, tids=(200, 201, 202)):
    builder = CaptureBuilder(path, length=1000 * MS)
    for task, tid in enumerate(tids):
        row = {"task_id": task, "scheduled": 10 * MS, "started": 10 * MS + delay, "completed": 500 * MS}
        builder.rows["tasks"].append({**row, "scheduled_tid": 100, "started_tid": tid, "creating_task_id": -1})
    return analyse(builder.write())


@pytest.mark.parametrize(("delay", "verdict"), [(MS, "healthy"), (49 * MS, "healthy"), (51 * MS, "no-work")])
def test_long_running_tasks_that_start_at_once_are_healthy(tmp_path, delay, verdict):
    analysis = captured(tmp_path, delay)
    assert analysis.verdict.id == verdict
    assert ("healthy" in [f.id for f in analysis.findings]) is (verdict == "healthy")
    assert ("3 tasks" in analysis.verdict.text) is (verdict == "healthy")


def test_a_task_that_its_scheduler_ran_itself_waited_for_no_thread(tmp_path):
    assert captured(tmp_path, MS, tids=(100, 100)).verdict.id == "no-work"
