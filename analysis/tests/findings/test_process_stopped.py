"""A stopped process: all of its threads stood still at once."""

import pytest
from late_captures import fired
from synthetic import MS, CaptureBuilder


def stopped(folder, state=4, threads=(200, 201, 202), back=5000, others=0):
    """Builds one item from 1,900 to 6,000. `threads` of its process leave their cores in `state` at 2,000; `others` do
    not."""
    builder = CaptureBuilder(folder, length=10_000 * MS)
    builder.item(
        1900 * MS, 1900 * MS, 6000 * MS, 200, [("running", 100 * MS), ("blocked", 3000 * MS), ("running", 1000 * MS)]
    )
    for tid in range(300, 300 + others):
        builder.thread(tid, 100, "worker")
    for number, tid in enumerate(threads):
        builder.thread(tid, 100, "worker")
        times = ((2000 * MS + number, tid, state, 0), (back * MS + number, 0, 0, tid))
        for time, out, left_as, into in times:
            builder.rows["switches"].append(
                {"time": time, "cpu": 0, "prev_tid": out, "prev_state": left_as, "next_tid": into}
            )
    builder.rows["switches"].sort(key=lambda row: row["time"])
    return builder


@pytest.mark.fires("process-stopped")
@pytest.mark.parametrize("state", [4, 8, 0x104])
def test_a_process_whose_threads_all_stood_still_was_stopped(tmp_path, state):
    found, verdict = fired(stopped(tmp_path, state))
    assert verdict.id == "process-stopped"
    assert "stopped once, 3 s in all" in found["process-stopped"].number
    assert verdict.text.startswith(
        "The whole process was stopped once, for up to 3 s, while 1 work item was under way."
    )


@pytest.mark.quiet("process-stopped")
@pytest.mark.parametrize(
    "other",
    [{"state": 1}, {"threads": (200, 201)}, {"back": 2500}, {"others": 17}],
    ids=["asleep", "one was looked at", "short", "3 of 20 threads"],
)
def test_what_is_no_stopped_process(tmp_path, other):
    assert "process-stopped" not in fired(stopped(tmp_path, **other))[0]
