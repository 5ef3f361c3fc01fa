"""Blame for the code that held threads: exact if an event shows it, and open if no evidence does."""

import numpy as np
import pytest
from blame_captures import DISPATCH, LOCK, MONITOR, SLEEP, TASK, Stacks, blame_of
from poolscope.capture import open_capture
from poolscope.naming.choice import kind_of, user_method
from poolscope.product import analyse
from poolscope.report.sections.blame import blame_section
from synthetic import MS, CaptureBuilder


def blame_parts(*given):
    """Returns the parts of the section, untyped."""
    return blame_section(*given)


COLLECTION = "System.Collections.Concurrent.BlockingCollection`1[System.__Canon]"


def blocked_thread(folder, blocked, waiting=True):
    """Builds one thread whose first item blocks for these times, with 1 ms of work after each, while a second item
    waits."""
    states = [s for ms in blocked for s in (("blocked", ms * MS), ("running", MS))]
    end = sum(duration for _, duration in states)
    builder = CaptureBuilder(folder, length=end + 10 * MS, limits=(1, 1))
    builder.item(0, 0, end, 200, states)
    if waiting:
        builder.item(0, end, end + MS, 200, [("running", MS)])
    return builder, Stacks(builder)


def table(blame):
    return {(row.method, row.kind): round(row.thread_s, 6) for row in blame.rows}


def test_each_blocked_stretch_goes_to_its_event_else_to_a_snapshot_within_it_else_nowhere(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60, 40, 20))
    stacks.wait(200, 0, 60 * MS + 50_000, stacks.stack(MONITOR, TASK, "App.Wait", DISPATCH))
    stacks.snapshot(200, 59 * MS, stacks.stack(SLEEP, "App.Wrong", DISPATCH))
    stacks.snapshot(200, 65 * MS, stacks.stack(SLEEP, "App.Nap", DISPATCH))
    # Two snapshots at one time give no beat to estimate by.
    stacks.snapshot(201, 71 * MS, stacks.stack(SLEEP, "App.OtherThread", DISPATCH))
    blame = blame_of(builder)
    assert table(blame) == {("App.Wait", "task-wait"): 0.06, ("App.Nap", "sleep"): 0.04, (None, "unknown"): 0.02}
    assert (blame.total_s, blame.unknown_s) == (pytest.approx(0.12), pytest.approx(0.02))
    rows = blame.to_json()
    assert [row["share"] for row in rows] == [0.5, 0.333333, 0.166667]
    assert [(row["samples"], row["samples_of"]) for row in rows] == [(1, 2), (1, 2), (0, 2)]
    # The rest may belong to any row.
    assert [(row["share_low"], row["share_high"]) for row in rows] == [(0.5, 0.666667), (0.333333, 0.5), (0, 0.166667)]
    assert blame.to_json()[0]["stacks"][0]["frames"] == [MONITOR, TASK, "App.Wait", DISPATCH]


def test_blocking_while_nothing_waits_is_nobodys_fault(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60,), waiting=False)
    stacks.wait(200, 0, 60 * MS, stacks.stack(MONITOR, "App.Wait"))
    blame = blame_of(builder)
    assert blame.rows == [] and blame.total_s == 0


def test_a_wait_inside_a_contention_is_a_lock(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60,))
    stack = stacks.stack("System.Threading.Monitor.Enter", "App.Guarded", DISPATCH)
    stacks.wait(200, 0, 61 * MS, stack, "contention")
    stacks.wait(200, 1000, 60 * MS, stacks.stack("System.Threading.WaitHandle.WaitOneNoCheck", "App.Guarded"), "wait")
    assert table(blame_of(builder)) == {("App.Guarded", "lock"): 0.06}


def test_an_event_that_covers_little_of_a_stretch_does_not_tell_of_it(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60,))
    builder.as_given = True
    stacks.wait(200, 0, 20 * MS, stacks.stack(MONITOR, "App.Wait"))
    assert table(blame_of(builder)) == {(None, "unknown"): 0.06}


def test_an_event_without_a_stack_still_tells_the_kind(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60, 40))
    stacks.wait(200, 0, 60 * MS, -1, "contention")
    stacks.wait(200, 61 * MS, 101 * MS, -1)
    assert table(blame_of(builder)) == {(None, "lock"): 0.06, (None, "wait-handle"): 0.04}


def test_what_has_no_stack_comes_last_however_much_it_is(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (10, 90))
    stacks.snapshot(200, 5 * MS, stacks.stack(SLEEP, "App.Nap", DISPATCH))
    assert [(r["method"], r["share"]) for r in blame_of(builder).to_json()] == [("App.Nap", 0.1), (None, 0.9)]


def test_names_that_are_missing_are_counted(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60,))
    stacks.snapshot(200, 30 * MS, stacks.stack(None, SLEEP, None, "App.Nap"))
    content = analyse(builder.write()).to_json()
    assert (content["coverage"]["stack_frames"], content["coverage"]["unresolved_frames"]) == (4, 2)
    assert content["coverage"]["held_ms"] == 60 and content["coverage"]["unblamed_ms"] == 0
    assert content["blame"][0]["method"] == "App.Nap" and content["blame"][0]["kind"] == "sleep"


def half_hit(folder, snapshots, told=False):
    """Builds one thread that blocks for 500 ms, twice as often as there are `snapshots`. A snapshot hits every second
    block, at distances of half to one and a half beats."""
    blocks = 2 * snapshots
    builder, stacks = blocked_thread(folder, (500,) * blocks)
    nap = stacks.stack(SLEEP, "App.Nap", DISPATCH)
    rng = np.random.default_rng(1)
    for i in range(0, blocks, 2):
        stacks.snapshot(200, int((i * 501 + 250 + 240 * rng.uniform(-1, 1)) * MS), nap)
    if told:
        for i in range(1, blocks, 2):
            stacks.wait(200, i * 501 * MS, (i * 501 + 500) * MS, stacks.stack(MONITOR, "App.Wait", DISPATCH))
    return builder


def test_what_no_snapshot_hit_is_estimated_from_what_one_did_and_the_error_is_said(tmp_path):
    analysis = analyse(half_hit(tmp_path, 50).write())
    row = analysis.to_json()["blame"][0]
    assert (row["method"], row["kind"]) == ("App.Nap", "sleep")
    assert row["thread_s"] == pytest.approx(50.0, rel=0.05)
    assert row["estimated_s"] == pytest.approx(25.0, rel=0.1)
    assert row["named_share"] == pytest.approx(0.5, abs=0.03)
    # Methods that fifty snapshots missed may still account for 6 % of the sampled time.
    assert row["share_low"] == pytest.approx(0.05 ** (1 / 50), abs=0.005)
    assert row["share_high"] == pytest.approx(1.0, abs=0.01)
    assert (row["samples"], row["samples_of"]) == (50, 50)
    coverage = analysis.coverage
    assert coverage.held_ms == pytest.approx(50_000)
    assert coverage.estimated_ms + coverage.unblamed_ms == pytest.approx(25_000)
    assert coverage.estimate_snapshots == 50
    rows = analysis.to_json()["blame"]
    assert sum(r["thread_s"] for r in rows) == pytest.approx(50.0), "an estimate moves time, it makes none"
    shown = blame_parts(analysis.to_json())["rows"][0]
    assert "50 of 50 samples" in shown["known_by"] and shown["interval"] == "at least 94 %"


def test_where_every_block_has_a_snapshot_there_is_nothing_to_move(tmp_path):
    # A standing pool: each block is longer than the beat, so snapshots hit all of them.
    builder, stacks = blocked_thread(tmp_path, (2000,) * 4)
    nap = stacks.stack(SLEEP, "App.Nap", DISPATCH)
    for beat in range(8):
        stacks.snapshot(200, beat * 1000 * MS + 500 * MS, nap)
    rows = blame_of(builder).to_json()
    assert [(row["method"], row["thread_s"], row["estimated_s"]) for row in rows] == [("App.Nap", 8.0, 0)]


@pytest.mark.parametrize(("snapshots", "least"), [(2, 0.5), (5, 0.549), (10, 0.741)])
def test_few_snapshots_estimate_too_with_a_wide_interval(tmp_path, snapshots, least):
    rows = analyse(half_hit(tmp_path, snapshots).write()).to_json()["blame"]
    assert rows[0]["method"] == "App.Nap" and rows[0]["share"] >= 0.9
    assert rows[0]["share_low"] == pytest.approx(least, abs=0.02)
    assert rows[0]["share_high"] == pytest.approx(1.0, abs=1e-6)


def test_without_snapshots_the_rest_is_open(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (500, 500))
    stacks.wait(200, 0, 500 * MS, stacks.stack(MONITOR, "App.Wait", DISPATCH))
    rows = analyse(builder.write()).to_json()["blame"]
    assert [(r["method"], r["share"], r["share_high"]) for r in rows] == [("App.Wait", 0.5, 1), (None, 0.5, 0.5)]


def test_what_an_event_tells_of_is_never_estimated(tmp_path):
    rows = analyse(half_hit(tmp_path, 50, told=True).write()).to_json()["blame"]
    assert {(r["method"], r["share"]) for r in rows} == {("App.Nap", 0.5), ("App.Wait", 0.5)}
    assert all(r["estimated_s"] == 0 for r in rows)


def test_what_a_snapshot_itself_stops_is_nobodys_block(tmp_path):
    # The profiler suspends a computing thread to walk its stack. No code of the thread caused these 2 ms.
    builder = CaptureBuilder(tmp_path, length=200 * MS, limits=(1, 1))
    builder.item(0, 0, 100 * MS, 200, [("running", 50 * MS), ("blocked", 2 * MS), ("running", 48 * MS)])
    builder.item(0, 100 * MS, 110 * MS, 200, [("running", 10 * MS)])
    builder.suspension(49 * MS, 52 * MS)
    stacks = Stacks(builder)
    stacks.snapshot(200, 51 * MS, stacks.stack("App.Compute", DISPATCH))
    assert blame_of(builder).rows == []


def test_the_findings_name_the_method_that_blocks(tmp_path):
    finding = next(f for f in analyse(half_hit(tmp_path, 50).write()).findings if f.id == "blocked-at-cap")
    assert "in App.Nap use await Task.Delay instead of Thread.Sleep" in finding.advice[0]
    said = next(e for e in finding.evidence if "App.Nap" in e)
    assert "sleep, Thread.Sleep; estimated from 50 of 50 samples, at least 94 %" in said


def test_a_finding_points_at_no_method_that_may_be_a_minor_one(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (400, 350, 250))
    stacks.snapshot(200, 200 * MS, stacks.stack(SLEEP, "App.Nap", DISPATCH))
    finding = next(f for f in analyse(builder.write()).findings if f.id == "blocked-at-cap")
    assert "await the blocking call instead" in finding.advice[0]
    assert any("App.Nap for 40 % of the time: sleep" in e for e in finding.evidence)


def test_nobody_is_told_to_await_a_lock(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (4000,))
    stacks.wait(200, 0, 4000 * MS, stacks.stack(LOCK, "App.Enter", DISPATCH), "contention")
    finding = next(f for f in analyse(builder.write()).findings if f.id == "blocked-at-cap")
    assert "shorten the critical section that App.Enter waits for" in finding.advice[0]
    assert "await the" not in finding.advice[0]


@pytest.mark.parametrize("table", ["stacks", "frames"])
def test_without_stacks_nothing_is_claimed(tmp_path, table):
    builder, _ = blocked_thread(tmp_path, (60,))
    builder.write()
    (tmp_path / "tables" / f"{table}.npz").unlink()
    assert analyse(open_capture(tmp_path)).to_json()["blame"] is None


@pytest.mark.parametrize(
    ("called", "kind"),
    [
        ([SLEEP], "sleep"),
        ([MONITOR, "System.Threading.ManualResetEventSlim.Wait", TASK], "task-wait"),
        ([MONITOR, "System.Threading.SemaphoreSlim.Wait"], "semaphore"),
        (["System.Threading.WaitHandle.WaitOneNoCheck", "System.Threading.WaitHandle.WaitOne"], "wait-handle"),
        (["System.Threading.WaitHandle.WaitOneNoCheck", "System.Threading.Lock.TryEnterSlow"], "lock"),
        (["System.Threading.Monitor.Enter_Slowpath"], "lock"),
        ([MONITOR], "condition"),
        (
            [MONITOR, "System.Threading.SemaphoreSlim.Wait", f"{COLLECTION}.TryTakeWithNoTimeValidation"],
            "blocking-collection",
        ),
        (["System.Threading.Monitor.Enter", "System.Lazy`1[System.__Canon].CreateValue"], "initialisation"),
        ([MONITOR, "System.Threading.ReaderWriterLockSlim.TryEnterWriteLockCore"], "reader-writer-lock"),
        (
            ["Interop+Sys.GetAddrInfo", "System.Net.NameResolutionPal.TryGetAddrInfo", "System.Net.Dns.GetHostEntry"],
            "dns",
        ),
        (["System.Threading.WaitHandle.WaitOne", "System.Diagnostics.Process.WaitForExit"], "process"),
        (["Interop+Sys.Receive", "System.Net.Sockets.NetworkStream.Read", "System.Net.Http.HttpClient.Send"], "socket"),
        (["Interop+Sys.<Receive>g____PInvoke|1_0", "System.Net.Sockets.SocketPal.SysReceive"], "socket"),
        ([MONITOR, "System.Net.Sockets.SocketAsyncContext.PerformSyncOperation"], "socket"),
        (["System.IO.RandomAccess.ReadAtOffset", "System.IO.FileStream.Read"], "file"),
        (["System.Threading.Thread.Join"], "wait-handle"),
        (["System.GC.Collect"], "unknown"),
        ([None], "unknown"),
        ([], "unknown"),
    ],
)
def test_the_kind_is_what_the_users_code_called(called, kind):
    assert kind_of([*called, "App.Work", TASK, SLEEP]) == kind


def test_the_users_method_is_the_nearest_to_the_leaf_that_is_not_the_frameworks():
    assert user_method([None, SLEEP, "App.Inner", "App.Outer", DISPATCH]) == "App.Inner"
    assert user_method([None, SLEEP, DISPATCH]) == SLEEP
    assert user_method([None]) is None


def test_one_place_is_one_row_where_the_frames_of_its_events_have_no_names(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60, 40))
    stacks.wait(200, 0, 60 * MS + 50_000, stacks.stack(None, None, "App.Fetch", DISPATCH))
    stacks.snapshot(200, 65 * MS, stacks.stack("System.Net.Sockets.Socket.Receive", "App.Fetch", DISPATCH))
    assert table(blame_of(builder)) == {("App.Fetch", "socket"): 0.1}


def test_ways_into_one_call_of_a_library_are_one_row_and_named_by_the_costliest(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60, 40))
    build, http = "System.Security.Cryptography.X509Certificates.X509Chain.Build", "System.Net.Http.HttpConnection"
    stacks.snapshot(200, 5 * MS, stacks.stack(MONITOR, f"{http}Waiter.Wait", build, DISPATCH))
    stacks.snapshot(200, 65 * MS, stacks.stack(MONITOR, f"{http}.Fill", build, DISPATCH))
    assert table(blame_of(builder)) == {(f"{http}Waiter.Wait", "certificate"): 0.1}


def test_two_libraries_that_make_the_same_call_stay_two_rows(tmp_path):
    builder, stacks = blocked_thread(tmp_path, (60, 40))
    receive = "System.Net.Sockets.Socket.Receive"
    stacks.snapshot(200, 5 * MS, stacks.stack(receive, "System.Data.Odbc.Command.Read", DISPATCH))
    stacks.snapshot(200, 65 * MS, stacks.stack(receive, "System.Net.Http.HttpClient.Send", DISPATCH))
    assert sorted(method for method, _ in table(blame_of(builder))) == [
        "System.Data.Odbc.Command.Read",
        "System.Net.Http.HttpClient.Send",
    ]


@pytest.mark.parametrize(
    ("constructing_ms", "kind"), [((20, 50), "initialisation"), ((), "unknown"), ((150,), "unknown")]
)
def test_a_method_that_waits_for_its_class_waits_for_the_thread_that_runs_the_static_constructor(
    tmp_path, constructing_ms, kind
):
    builder, stacks = blocked_thread(tmp_path, (60, 40, 100))
    stacks.snapshot(200, 59 * MS, stacks.stack("App.Tables.Rate", "App.Compute", DISPATCH))
    for ms in constructing_ms:
        stacks.snapshot(
            201, ms * MS, stacks.stack(SLEEP, "App.Tables..cctor", "App.Tables.Rate", "App.Other", DISPATCH)
        )
    assert ("App.Tables.Rate", kind) in table(blame_of(builder))
