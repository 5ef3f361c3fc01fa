"""The owner of a lock: which thread it was, what it was doing, and what the report says about it."""

import pytest
from blame_captures import DISPATCH, LOCK, SLEEP, TASK, Stacks, blame_of
from poolscope.base.stages import Results
from poolscope.product import analyse
from poolscope.report.sections.blame import blame_section
from synthetic import MS, CaptureBuilder
from ways import way  # noqa: F401

pytestmark = pytest.mark.usefixtures("way")  # the extension cuts states, NumPy searches for them

OWNER, WAITER = 200, 201


def blame_parts(*given):
    """Returns the parts of the section, untyped."""
    return blame_section(*given)


def two_threads(folder, owner_states, told=OWNER, lock=7):
    """Builds an owner whose item goes through `owner_states` for 100 ms and a waiter that waits for the lock from 10 to
    90 ms. A third item waits in the queue."""
    builder = CaptureBuilder(folder, length=200 * MS, limits=(2, 2))
    builder.thread(OWNER, 100, ".NET TP Worker").thread(WAITER, 100, ".NET TP Worker")
    builder.item(0, 0, 100 * MS, OWNER, owner_states)
    builder.item(0, 0, 100 * MS, WAITER, [("running", 10 * MS), ("blocked", 80 * MS), ("running", 10 * MS)])
    builder.item(0, 100 * MS, 110 * MS, OWNER, [("running", 10 * MS)])
    stacks = Stacks(builder)
    row = stacks.wait(WAITER, 10 * MS, 90 * MS, stacks.stack(LOCK, "App.Enter", DISPATCH), "contention")
    row.update(object=lock, owner_tid=told)
    return builder, stacks


def held_by(builder):
    row = blame_of(builder).to_json()[0]
    assert (row["method"], row["kind"]) == ("App.Enter", "lock")
    return row["held_by"]


SLEEPER = [("running", 20 * MS), ("blocked", 60 * MS), ("ready", 5 * MS), ("running", 15 * MS)]


def test_the_owner_is_named_with_its_states_its_item_and_its_stack(tmp_path):
    builder, stacks = two_threads(tmp_path, SLEEPER)
    stacks.snapshot(OWNER, 50 * MS, stacks.stack(SLEEP, "App.Hold", DISPATCH))
    held = held_by(builder)
    owner = held["owners"][0]
    assert (held["threads"], owner["tid"], owner["name"], owner["item"]) == (1, OWNER, ".NET TP Worker", 0)
    # The wait lasts from 10 to 90 ms.
    assert owner["was"] == {"cpu": 0.015, "blocked": 0.06, "ready": 0.005}
    assert owner["thread_s"] == held["thread_s"] == 0.08
    assert (owner["method"], owner["kind"], owner["known_by"]) == ("App.Hold", "sleep", "snapshot")
    assert owner["stack"] == [SLEEP, "App.Hold", DISPATCH]


def test_a_wait_event_of_the_owner_says_what_it_waited_for(tmp_path):
    builder, stacks = two_threads(tmp_path, SLEEPER)
    stacks.snapshot(OWNER, 85 * MS, stacks.stack("App.Other", DISPATCH))
    stacks.wait(OWNER, 20 * MS, 80 * MS, stacks.stack("System.Threading.Monitor.Wait", TASK, "App.Result", DISPATCH))
    owner = held_by(builder)["owners"][0]
    assert (owner["method"], owner["kind"], owner["known_by"]) == ("App.Result", "task-wait", "event")


def test_an_owner_that_computes_has_no_kind_of_wait(tmp_path):
    builder, stacks = two_threads(tmp_path, [("running", 100 * MS)])
    stacks.snapshot(OWNER, 50 * MS, stacks.stack("App.Compute", DISPATCH))
    owner = held_by(builder)["owners"][0]
    assert owner["was"] == {"cpu": 0.08, "blocked": 0, "ready": 0}
    assert (owner["method"], owner["kind"]) == ("App.Compute", None)


def test_what_the_owner_did_before_and_after_is_not_said(tmp_path):
    builder, stacks = two_threads(tmp_path, SLEEPER)
    stacks.snapshot(OWNER, 5 * MS, stacks.stack("App.Before", DISPATCH))
    stacks.snapshot(OWNER, 95 * MS, stacks.stack("App.After", DISPATCH))
    owner = held_by(builder)["owners"][0]
    assert (owner["method"], owner["known_by"], owner["stack"]) == (None, None, [])


def test_an_owner_that_is_not_told_is_not_invented(tmp_path):
    builder, _ = two_threads(tmp_path, SLEEPER, told=-1)
    assert held_by(builder) is None


def test_the_lock_goes_to_the_thread_whose_wait_ends_and_all_who_wait_count(tmp_path):
    # Threads 201 to 204 wait for 200 until 40 ms; then each in turn holds the lock for 40 ms.
    builder = CaptureBuilder(tmp_path, length=400 * MS, limits=(5, 5))
    stacks = Stacks(builder)
    stack = stacks.stack(LOCK, "App.Enter", DISPATCH)
    builder.item(0, 0, 40 * MS, 200, [("blocked", 40 * MS)])
    for i in range(1, 5):
        got = i * 40 * MS
        builder.item(0, 0, got + 40 * MS, 200 + i, [("blocked", got), ("blocked", 40 * MS)])
        stacks.wait(200 + i, 0, got, stack, "contention").update(object=7, owner_tid=200)
        stacks.snapshot(200 + i, got + 20 * MS, stacks.stack(SLEEP, "App.Hold", DISPATCH))
    builder.item(0, 300 * MS, 310 * MS, 200, [("running", 10 * MS)])
    held = held_by(builder)
    assert {o["tid"]: o["thread_s"] for o in held["owners"]} == {200: 0.16, 201: 0.12, 202: 0.08, 203: 0.04}
    assert held["threads"] == 4 and held["thread_s"] == pytest.approx(0.4)
    assert (held["method"], held["kind"]) == ("App.Hold", "sleep")


def test_a_thread_that_waits_for_a_lock_is_not_its_owner(tmp_path):
    # The owner releases the lock without an event and waits itself. From then on no owner is known.
    builder, stacks = two_threads(tmp_path, [("running", 50 * MS), ("blocked", 50 * MS)])
    stack = stacks.stack(LOCK, "App.Enter", DISPATCH)
    stacks.wait(OWNER, 50 * MS, 100 * MS, stack, "contention").update(object=7, owner_tid=-1)
    owner = held_by(builder)["owners"][0]
    assert (owner["tid"], owner["thread_s"]) == (OWNER, 0.04)


def test_a_stack_of_a_cpu_sample_tells_where_an_owner_computes(tmp_path):
    import pandas as pd

    builder, stacks = two_threads(tmp_path, [("running", 100 * MS)])
    stack = stacks.stack("App.Spin", DISPATCH)
    capture = builder.write()
    start = capture.window[0]
    rows = {"time": [start + 50 * MS, start + 60 * MS], "cpu": [0, 0], "pid": [100, 100], "tid": [OWNER, OWNER]}
    capture._tables = Results({"cpu_samples": pd.DataFrame({**rows, "stack": [stack, -1]})})
    owner = analyse(capture).to_json()["blame"][0]["held_by"]["owners"][0]
    assert (owner["method"], owner["known_by"]) == ("App.Spin", "cpu-sample")


def test_the_report_says_it_in_words(tmp_path):
    builder, stacks = two_threads(tmp_path, SLEEPER)
    stacks.snapshot(OWNER, 50 * MS, stacks.stack(SLEEP, "App.Hold", DISPATCH))
    said = blame_parts(analyse(builder.write()).to_json())["rows"][0]["held_by"]
    assert said == [
        "Held by thread 200 (.NET TP Worker): blocked 75 %, running 19 %, waiting for a core 6 %; sleep in App.Hold "
        "(snapshot)."
    ]


def test_a_convoy_on_enough_threads_says_what_the_owners_did_though_no_item_waits_for_a_thread(tmp_path):
    builder = CaptureBuilder(tmp_path, length=500 * MS, limits=(10, 10))
    stacks = Stacks(builder)
    stack = stacks.stack(LOCK, "App.Enter", DISPATCH)
    for i in range(10):
        got = i * 40 * MS
        builder.item(0, 0, got + 40 * MS, 200 + i, [("blocked", got), ("blocked", 40 * MS)])
        if got:
            stacks.wait(200 + i, 0, got, stack, "contention").update(object=7, owner_tid=200)
        stacks.snapshot(200 + i, got + 20 * MS, stacks.stack(SLEEP, "App.Hold", DISPATCH))
    analysis = analyse(builder.write())
    assert analysis.verdict.id == "lock-convoy" and analysis.to_json()["blame"] == []
    said = next(f for f in analysis.findings if f.id == "lock-convoy").evidence[-1]
    assert said == (
        "While items waited for it, the 9 threads that held it were blocked 100 % of that time, mostly in App.Hold (sleep)."
    )


def test_a_stack_that_lost_the_owner_s_method_is_taken_for_the_only_one_that_has_it(tmp_path):
    builder, stacks = two_threads(tmp_path, SLEEPER)
    for at, frames in ((30, (SLEEP, DISPATCH)), (40, (SLEEP, DISPATCH)), (50, (SLEEP, "App.Hold", DISPATCH))):
        stacks.snapshot(OWNER, at * MS, stacks.stack(*frames))
    held = held_by(builder)
    assert held["method"] == held["owners"][0]["method"] == "App.Hold"
