"""Which code held the threads: charged exactly, and open where no evidence tells."""

import pytest
from blame_captures import DISPATCH, MONITOR, SLEEP, TASK, Stacks, blame_of
from poolscope.blame.kinds import kind_of, user_method
from poolscope.capture import open_capture
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def blocked_thread(folder, blocked, waiting=True):
    """One thread, whose first item blocks for these times with 1 ms of work after each; a second item waits meanwhile."""
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
    stacks.snapshot(200, 30 * MS, stacks.stack(SLEEP, "App.Wrong", DISPATCH))
    stacks.snapshot(200, 70 * MS, stacks.stack(SLEEP, "App.Nap", DISPATCH))
    stacks.snapshot(201, 110 * MS, stacks.stack(SLEEP, "App.OtherThread", DISPATCH))
    blame = blame_of(builder)
    assert table(blame) == {("App.Wait", "task-wait"): 0.06, ("App.Nap", "sleep"): 0.04, (None, "unknown"): 0.02}
    assert (blame.total_s, blame.unknown_s) == (pytest.approx(0.12), pytest.approx(0.02))
    assert [row["share"] for row in blame.to_json()] == [0.5, 0.333333, 0.166667]
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
