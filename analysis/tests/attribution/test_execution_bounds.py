"""Bounds of each part of an execution if the kernel tier does not record it exactly."""

from poolscope.attribution import attribute
from synthetic import MS, CaptureBuilder


def bounds(builder):
    """Returns (least, most) of each part of the only item in ms, and its unresolved time."""
    found = attribute(builder.write()).bounds
    if found is None:
        return None
    parts = {name: tuple(int(b[0]) / MS for b in getattr(found, name)) for name in ("cpu", "blocked", "ready")}
    return {**parts, "unresolved": int(found.unresolved[0]) / MS}


def item(folder, tier, states, begin=5, end=25):
    builder = CaptureBuilder(folder, length=400 * MS, tier=tier)
    if tier == "schedstat":
        builder.manifest["streams"] = [{"file": "schedstat.bin", "tier": tier, "poll_step_ns": 10 * MS}]
    return builder.item(0, begin * MS, end * MS, 200, states)


def test_under_switch_any_part_of_blocked_time_may_have_been_a_wait_for_a_core(tmp_path):
    made = item(tmp_path, "switch", [("running", 8 * MS), ("ready", 5 * MS), ("blocked", 7 * MS)])
    assert bounds(made) == {"cpu": (8, 8), "blocked": (0, 7), "ready": (5, 12), "unresolved": 0}


def polled(folder, states):
    """Returns the bounds of an item of 300 ms with these states, polled every 10 ms."""
    made, at = item(folder, "schedstat", (), 0, 300), 0
    for state, length in states:
        made.state(200, at * MS, (at + length) * MS, state)
        at += length
    for row in made.rows["thread_states"]:
        row["resolution"] = 10 * MS
    return bounds(made)


def test_under_schedstat_only_a_step_s_length_at_either_end_of_the_item_is_open(tmp_path):
    """In these two steps the worker may have done other work before or after the item. The steps between them belong to
    the item alone."""
    states = (("blocked", 60), ("ready", 40), ("blocked", 100), ("ready", 100))
    assert polled(tmp_path, states) == {"cpu": (0, 20), "blocked": (150, 170), "ready": (130, 150), "unresolved": 20}


def test_under_schedstat_a_thread_that_ran_may_lack_a_tick_in_the_first_reading_and_in_the_last(tmp_path):
    states = (("blocked", 60), ("running", 40), ("ready", 10), ("running", 70), ("blocked", 20), ("running", 100))
    assert polled(tmp_path, states) == {"cpu": (190, 230), "blocked": (60, 100), "ready": (0, 40), "unresolved": 20}


def test_with_tracepoints_nothing_is_open(tmp_path):
    assert bounds(item(tmp_path, "tracepoint", [("running", 20 * MS)])) is None
