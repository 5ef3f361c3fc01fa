"""The maximum of a pool that had set it before the capture attached: a pool that stands still and adds no thread is at
it."""

import pytest
from poolscope.attribution import attribute
from poolscope.capture.schema import enum
from poolscope.product import analyse
from poolscope.report.sections.captured import captured_section as card
from synthetic import MS, CaptureBuilder

LENGTH = 12_000 * MS


def card_parts(*given):
    """Returns the parts of the card, untyped."""
    return card(*given)


def standing(folder, *, launched=False, until=8000, state="blocked", queued_from=10, changes=(), known="default"):
    """Builds three workers that hold their items until `until` ms while two more are queued; then all items finish."""
    builder = CaptureBuilder(folder, length=LENGTH, launched=launched)
    for worker in range(200, 203):
        builder.item(0, MS, until * MS, worker, [(state, (until - 1) * MS)])
    if queued_from is not None:
        for i in range(2):
            builder.item(queued_from * MS, until * MS, (until + 10) * MS, 200 + i, [("running", 10 * MS)])
    for more, at in enumerate(changes, start=4):
        builder.change(at * MS, more)
    builder.rows["pool_limits"][0]["known"] = enum("pool_limits", "known", known)
    return attribute(builder.write()).pool


@pytest.mark.parametrize(
    ("options", "inferred"),
    [
        pytest.param({}, True, id="8 s, queued, idle cores"),
        pytest.param({"until": 3010}, True, id="for 3 s to the nanosecond, then a longer rest"),
        pytest.param({"until": 3009}, False, id="not for 3 s"),
        pytest.param({"queued_from": 5000}, True, id="queued for the last 3 s only"),
        pytest.param({"queued_from": 5001}, False, id="not queued for 3 s"),
        pytest.param({"queued_from": None}, False, id="nothing queued"),
        pytest.param({"state": "running"}, False, id="busy cores: the gate waits for them"),
        pytest.param({"changes": range(1000, 8000, 1000)}, False, id="it adds threads"),
        pytest.param({"known": "event"}, False, id="an event told the maximum"),
        pytest.param({"known": "look"}, False, id="it was read from memory"),
    ],
)
def test_a_pool_that_stands_still_and_adds_no_thread_is_at_its_maximum(options, inferred, tmp_path):
    pool = standing(tmp_path, **options)
    assert (pool.limits_known == "inferred") == inferred
    assert pool.maximum.value.tolist() == ([3] if inferred else [32767])


def test_a_launched_program_s_maximum_is_known(tmp_path):
    assert standing(tmp_path, launched=True).limits_known != "inferred"


def sampled(folder, *, samples=15, every=500, queued=True, moved=False):
    """Builds three workers that end an item every 100 ms for 10 s, with one more always queued, and hill climbing's
    samples."""
    builder = CaptureBuilder(folder, length=LENGTH, launched=False)
    builder.rows["pool_limits"][0]["known"] = enum("pool_limits", "known", "default")
    for i in range(300):
        at = i // 3 * 100 * MS
        builder.item(max(at - 300 * MS, 0) if queued else at, at, at + 100 * MS, 200 + i % 3, [("blocked", 100 * MS)])
    for i in range(samples):
        row = {"time": (1000 + i * every) * MS, "event": enum("hill_climbing", "event", "sample")}
        builder.rows["hill_climbing"].append(row)
    if moved:
        builder.change(5000 * MS, 4, "ClimbingMove")
    return attribute(builder.write()).pool


@pytest.mark.parametrize(
    ("options", "inferred"),
    [
        pytest.param({}, True, id="it never tries one more"),
        pytest.param({"samples": 12}, True, id="twelve samples"),
        pytest.param({"samples": 11}, False, id="too few samples"),
        pytest.param({"samples": 13, "every": 250}, True, id="over 3 s to the nanosecond"),
        pytest.param({"samples": 30, "every": 100}, False, id="not over 3 s"),
        pytest.param({"queued": False}, False, id="nothing queued"),
        pytest.param({"moved": True}, False, id="the goal moves"),
    ],
)
def test_hill_climbing_that_never_varies_the_goal_under_a_backlog_is_at_the_maximum(options, inferred, tmp_path):
    pool = sampled(tmp_path, **options)
    assert pool.maximum.value.tolist() == ([3] if inferred else [32767])


def statistics(folder, rows, *, changes=(), queued=True, known="default"):
    """Builds three workers with a backlog, and one row of hill climbing's statistics a second: (control setting,
    magnitude, ratio)."""
    builder = CaptureBuilder(folder, length=LENGTH, launched=False)
    builder.rows["pool_limits"][0]["known"] = enum("pool_limits", "known", known)
    for i in range(300):
        at = i // 3 * 100 * MS
        builder.item(max(at - 300 * MS, 0) if queued else at, at, at + 100 * MS, 200 + i % 3, [("blocked", 100 * MS)])
    for second, (setting, magnitude, ratio) in enumerate(rows, start=1):
        row = {"time": second * 1000 * MS, "event": enum("hill_climbing", "event", "stats"), "duration": 1.0}
        row |= {"new_control_setting": setting, "new_thread_wave_magnitude": magnitude}
        builder.rows["hill_climbing"].append(row | {"throughput_ratio": ratio, "confidence": 2.0})
    for at, goal, reason in changes:
        builder.change(at * MS, goal, reason)
    return attribute(builder.write()).pool


@pytest.mark.parametrize(
    ("rows", "options", "maximum"),
    [
        pytest.param([(3.0, 1, 0.0)] * 3, {}, 3, id="three crests of a wave without a thread more"),
        pytest.param([(3.0, 1, 0.0)] * 2, {}, None, id="a crest may be still to come"),
        pytest.param([(2.0, 1, 0.0)] * 3, {}, None, id="it wanted no more than there were"),
        pytest.param([(3.0, 1, 0.0)] * 3, {"queued": False}, None, id="nothing queued"),
        pytest.param([(3.0, 1, 0.0)] * 3, {"known": "event"}, None, id="an event told the maximum"),
        # A ratio of 0.5 over a second raises the control setting by 4 * 0.5 ** 2 = 1 thread.
        pytest.param(
            [(2.5, 1, 0.0), (3.0, 1, 0.5)], {}, 4, id="raised by half a thread instead of one: cut off at 4 less 1"
        ),
        pytest.param([(2.5, 1, 0.0), (3.5, 1, 0.5)], {}, None, id="raised by all of it"),
        pytest.param([(3.0, 1, 0.0), (3.0, 1, 0.5)], {}, None, id="not raised at all, as above 95 % CPU"),
        pytest.param([(2.5, 1, 0.0), (2.75, 1, 0.5)], {}, None, id="a maximum is a whole number"),
        pytest.param(
            [(2.5, 1, 0.0), (3.0, 1, 0.5)],
            {"changes": [(1500, 3, "Starvation")]},
            None,
            id="the gate changed the setting meanwhile",
        ),
    ],
)
def test_hill_climbing_s_statistics_tell_the_maximum(rows, options, maximum, tmp_path):
    pool = statistics(tmp_path, rows, **options)
    assert (pool.limits_known == "inferred") == (maximum is not None)
    assert pool.maximum.value.tolist() == [maximum or 32767]


def test_a_pool_that_does_not_grow_under_a_backlog_may_be_full(tmp_path):
    assert statistics(tmp_path / "flat", []).may_be_full
    assert not statistics(tmp_path / "known", [], known="event").may_be_full
    assert not statistics(tmp_path / "idle", [], queued=False).may_be_full
    assert not statistics(tmp_path / "grows", [], changes=[(1500, 4, "Starvation")]).may_be_full
    assert not statistics(tmp_path / "told", [(3.0, 1, 0.0)] * 3).may_be_full


def test_what_the_recorder_read_from_memory_takes_the_place_of_what_is_inferred(tmp_path):
    builder = CaptureBuilder(tmp_path, length=LENGTH, launched=False, limits=(2, 7))
    builder.item(0, MS, 5000 * MS, 200, [("blocked", 4999 * MS)])
    builder.rows["pool_limits"][0]["known"] = enum("pool_limits", "known", "look")
    queued = [{"method": "Shop.Orders.Save", "kind": "delegate", "count": 790}]
    builder.manifest["look"] = {
        "time_ns": 1,
        "minimum": 2,
        "maximum": 7,
        "goal": 5,
        "queue_length": 817,
        "queued": queued,
    }
    builder.manifest["look_at_end"] = {**builder.manifest["look"], "queue_length": 1, "queued": []}
    analysis = analyse(builder.write())
    pool = analysis.attribution.pool
    assert (pool.goal.value[0], pool.goal_known, pool.limits_known, pool.may_be_full) == (5, True, "look", False)
    process = dict(card_parts(analysis.to_json())["groups"])["Process"]
    assert dict(process)["Queued at the start"] == "817 items: 790 of Shop.Orders.Save, 27 of other methods"
    assert dict(process)["Queued at the end"] == "1 item"
    assert dict(process)["Minimum threads"] == "2 (read from its memory when the recording began)"
