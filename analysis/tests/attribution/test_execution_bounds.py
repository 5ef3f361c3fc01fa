"""Between which bounds each part of an execution lies where the kernel's words leave it open."""

import pytest
from poolscope.attribution import attribute
from synthetic import MS, CaptureBuilder


def bounds(builder):
    """(least, most) of each part of the only item, ms, and what is unresolved."""
    found = attribute(builder.write()).bounds
    if found is None:
        return None
    parts = {name: tuple(int(b[0]) / MS for b in getattr(found, name)) for name in ("cpu", "blocked", "ready")}
    return {**parts, "unresolved": int(found.unresolved[0]) / MS}


def item(folder, tier, states):
    builder = CaptureBuilder(folder, length=100 * MS, tier=tier)
    if tier == "schedstat":
        builder.manifest["streams"] = [{"file": "schedstat.bin", "tier": tier, "poll_step_ns": 10 * MS}]
    return builder.item(0, 5 * MS, 25 * MS, 200, states)


def test_under_switch_any_part_of_blocked_time_may_have_been_a_wait_for_a_core(tmp_path):
    made = item(tmp_path, "switch", [("running", 8 * MS), ("ready", 5 * MS), ("blocked", 7 * MS)])
    assert bounds(made) == {"cpu": (8, 8), "blocked": (0, 7), "ready": (5, 12), "unresolved": 0}


def test_under_schedstat_only_the_steps_at_either_end_of_the_item_are_open(tmp_path):
    """Steps of 10 ms; the item from 5 to 25 ms has all of the second one, and a half of the first and of the third."""
    made = item(tmp_path, "schedstat", ())
    for start, state, length in ((0, "blocked", 6), (6, "running", 4), (10, "blocked", 3), (13, "running", 7)):
        made.state(200, start * MS, (start + length) * MS, state)
    made.state(200, 20 * MS, 22 * MS, "ready").state(200, 22 * MS, 30 * MS, "running")
    for row in made.rows["thread_states"]:
        row["resolution"] = 10 * MS
    found = bounds(made)
    assert found["unresolved"] == 20 == sum(found[name][1] - found[name][0] for name in ("cpu",))
    assert found["blocked"] == (0, 20) and found["ready"] == (0, 20)


def test_with_tracepoints_nothing_is_open(tmp_path):
    assert bounds(item(tmp_path, "tracepoint", [("running", 20 * MS)])) is None
