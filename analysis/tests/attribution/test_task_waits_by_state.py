"""Synchronous waits for tasks without a wait event: on .NET 8, and those that began before a late capture."""

import pytest
from poolscope.attribution import attribute
from poolscope.measures.tasks import NO_WAIT_EVENTS, blocked_after_announcement, standing_in_task_waits
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder
from synthetic_stacks import Stacks

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
WAIT = ("System.Threading.Monitor.Wait", "System.Threading.Tasks.Task.InternalWaitCore", "App.Get", DISPATCH)
SLEEP = ("System.Threading.Thread.Sleep", "App.Poll", DISPATCH)


def blocked_after(builder):
    """Returns the waits as (item, start ms, end ms)."""
    capture = builder.write()
    item, start, end = blocked_after_announcement(capture, attribute(capture))
    return [(int(i), int(s) // MS, int(e) // MS) for i, s, e in zip(item, start, end, strict=True)]


def one_item(folder, states, announced, **options):
    """Builds an item that goes through these (state, ms) from 100 ms on, with TaskWaitBegin at these times of its
    worker."""
    builder = CaptureBuilder(folder, length=5000 * MS)
    end = 100 + sum(ms for _, ms in states)
    builder.item(0, 100 * MS, end * MS, 200, [(state, ms * MS) for state, ms in states])
    for at in announced:
        builder.task_wait(options.get("tid", 200), at * MS, behavior=options.get("behavior", "synchronous"))
    return builder


RUN, BLOCK = "running", "blocked"
ONE_BLOCK = [(RUN, 10), (BLOCK, 500), (RUN, 10)]


@pytest.mark.parametrize(
    ("states", "announced", "options", "waits"),
    [
        pytest.param(ONE_BLOCK, [105], {}, [(0, 105, 610)], id="one"),
        pytest.param(ONE_BLOCK, [105], {"behavior": "asynchronous"}, [], id="an await blocks nobody"),
        pytest.param(ONE_BLOCK, [105], {"tid": 300}, [], id="of another thread"),
        pytest.param(ONE_BLOCK, [50], {}, [], id="before the item"),
        pytest.param(ONE_BLOCK, [615], {}, [], id="over before it blocked"),
        pytest.param([(RUN, 100)], [105], {}, [], id="done while it still spun"),
        # A lock on the way: the longest stretch is the wait.
        pytest.param([(RUN, 10), (BLOCK, 3), (RUN, 1), (BLOCK, 500), (RUN, 1)], [105], {}, [(0, 105, 614)], id="longest"),
        # Each announcement reaches until the next one.
        pytest.param([(RUN, 10), (BLOCK, 50), (RUN, 10), (BLOCK, 500), (RUN, 1)], [105, 165], {},
                     [(0, 105, 160), (0, 165, 670)], id="two"),
    ],
)  # fmt: skip
def test_it_lasts_as_long_as_the_thread_is_blocked_after_its_announcement(states, announced, options, waits, tmp_path):
    assert blocked_after(one_item(tmp_path, states, announced, **options)) == waits


def test_each_item_has_its_own_and_no_items_have_none(tmp_path):
    builder = CaptureBuilder(tmp_path / "none", length=1000 * MS)
    builder.task_wait(200, 5 * MS)
    assert blocked_after(builder) == []
    builder = CaptureBuilder(tmp_path / "some", length=5000 * MS)
    for i in range(3):
        at = i * 1000 * MS
        builder.item(at, at, at + 400 * MS, 200 + i % 2, [(RUN, 10 * MS), (BLOCK, 380 * MS), (RUN, 10 * MS)])
        builder.task_wait(200 + i % 2, at + 5 * MS)
    assert blocked_after(builder) == [(0, 5, 390), (1, 1005, 1390), (2, 2005, 2390)]


@pytest.mark.parametrize("limits", [[], [NO_WAIT_EVENTS]])
def test_on_a_runtime_without_wait_events_the_verdict_rests_on_them(limits, tmp_path):
    """Twelve items of one second block on .Result on two threads; without wait events only TaskWaitBegin shows it."""
    builder = CaptureBuilder(tmp_path, length=8000 * MS, limits=(2, 32767))
    builder.manifest["target"]["limits"] = limits
    for i in range(12):
        at = i // 2 * 1000 * MS
        builder.item(i * MS, max(at, i * MS), at + 1000 * MS, 200 + i % 2, [(BLOCK, at + 1000 * MS - max(at, i * MS))])
        builder.task_wait(200 + i % 2, max(at, i * MS), task=i)
    found = {f.id for f in analyse(builder.write()).findings}
    assert ("sync-over-async" in found) == bool(limits)


@pytest.mark.parametrize(
    ("first", "later", "waiting"),
    [(WAIT, SLEEP, 1), (SLEEP, WAIT, 0)],
    ids=["it waited from the start", "a later wait is an event's"],
)
def test_who_stood_in_a_wait_for_a_task_since_before_the_capture(first, later, waiting, tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, launched=False)
    stacks = Stacks(builder)
    builder.thread(200, 100, ".NET TP Worker").state(200, 0, 3000 * MS, BLOCK)
    stacks.snapshot(200, 5 * MS, stacks.stack(*first))
    stacks.snapshot(200, 900 * MS, stacks.stack(*later))
    builder.item(MS, 3000 * MS, 3001 * MS, 200, [(RUN, MS)])
    capture = builder.write()
    standing = standing_in_task_waits(capture, attribute(capture))
    assert standing.integral(0, 5000 * MS) == pytest.approx(waiting * 3000 * MS), "up to its worker's first event"


def test_nobody_stands_where_no_snapshot_tells(tmp_path):
    builder = CaptureBuilder(tmp_path, length=5000 * MS, launched=False)
    builder.item(MS, 3000 * MS, 3001 * MS, 200, [(RUN, MS)])
    capture = builder.write()
    assert standing_in_task_waits(capture, attribute(capture)).integral(0, 5000 * MS) == 0
