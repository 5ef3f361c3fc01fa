"""Advice names the reader's own code: the method, the source line, the call that blocks, and its replacement."""

from types import SimpleNamespace
from typing import Any

import pytest
from poolscope.evidence.culprit import Culprit, free_the_threads, place_words
from poolscope.evidence.measured import Measured
from poolscope.findings.advice import shorten_the_lock
from poolscope.naming.calls import call_of

PLACE = "Import.cs:9"


def culprit(kind, call, instead, least=0.9, **other):
    return Culprit("Shop.Import.Run", kind, 1.0, least, 0.0, place=PLACE, call=call, instead=instead, **other)


@pytest.mark.parametrize(
    ("kind", "call", "instead", "says"),
    [
        ("condition", "Monitor.Wait", "await a Channel", f"({PLACE}) await a Channel instead of Monitor.Wait"),
        ("sleep", "Thread.Sleep", "await Task.Delay", f"({PLACE}) use await Task.Delay instead of Thread.Sleep"),
        ("task-wait", ".Result", "await", f"({PLACE}) await the task instead of blocking on .Result"),
        ("socket", "the socket call", None, f"({PLACE}) replace the socket call with its asynchronous version"),
        ("lock", "lock", None, f"shorten the critical section that Shop.Import.Run ({PLACE}) waits for"),
        ("reader-writer-lock", "ReaderWriterLockSlim", None, "shorten the critical section"),
        ("initialisation", "Lazy.Value", "await a Lazy<Task>", "before the first item needs it, or await a Lazy<Task>"),
        ("unknown", None, None, f"await the blocking call in Shop.Import.Run ({PLACE})"),
    ],
)
def test_advice_says_what_to_change_and_where(kind, call, instead, says):
    assert says in free_the_threads(culprit(kind, call, instead))


def test_advice_for_a_call_that_no_await_frees():
    assert "(Import.cs:9), for Dns.GetHostEntry: keep them" in free_the_threads(
        culprit("dns", "Dns.GetHostEntry", None, advice="keep them")
    )
    assert "that library blocks the thread" in free_the_threads(culprit("socket", "Client.Fetch", None, library=True))
    inlined = free_the_threads(culprit("task-wait", ".Result", "await", own=False, inlined=True))
    assert "an endpoint of yours calls .Result: await there" in inlined and "none of your own" not in inlined
    assert inlined.endswith("the requests tell its route.")
    routed = free_the_threads(
        culprit("task-wait", ".Result", "await", own=False, inlined=True, route="GET /checkout/{id}")
    )
    assert routed.endswith("; GET /checkout/{id} had nearly all time of the requests.")
    nobodys = free_the_threads(culprit("socket", "Socket.Receive", "await Socket.ReceiveAsync", own=False))
    assert "none of your own methods" in nobodys and "ReceiveAsync" not in nobodys


def test_advice_names_no_method_that_may_be_a_minor_one():
    unclear = culprit("sleep", "Thread.Sleep", "await Task.Delay", least=0.4)
    assert "Shop" not in free_the_threads(unclear) and "Shop" not in free_the_threads(None)


def test_no_advice_to_await_what_then_blocks_another_pool_thread():
    said = free_the_threads(culprit("file", "File.ReadAllText", "await File.ReadAllTextAsync", awaits=False))
    assert f"make File.ReadAllText in Shop.Import.Run ({PLACE}) on a thread of its own" in said
    assert "use await" not in said


@pytest.mark.parametrize(
    ("tier", "method", "blocks"),
    [
        ("tracepoint", "System.IO.File.ReadAllText", True),
        ("none", "System.IO.Strategies.OSFileStreamStrategy (constructor)", True),
        ("tracepoint", "System.IO.Pipes.PipeStream.Read", False),
        ("tracepoint", "System.Threading.Thread.Sleep", False),
        ("etw", "System.IO.File.ReadAllText", False),
    ],
)
def test_on_linux_awaiting_a_file_only_moves_the_block(tier, method, blocks):
    rows = [SimpleNamespace(call=call_of(method), thread_s=3.0), SimpleNamespace(call=None, thread_s=1.0)]
    capture: Any = SimpleNamespace(kernel_tier=tier)
    blame: Any = SimpleNamespace(rows=rows, total_s=4.0)
    measured = Measured(capture, None, None, blame)
    assert measured._await_would_block is blocks


def test_the_evidence_says_how_much_it_rests_on():
    said = Culprit(
        "Shop.Import.Run", "sleep", 1.0, 0.78, 0.9, samples=154, samples_of=154, place=PLACE, call="Thread.Sleep"
    ).sentence()
    assert f"in Shop.Import.Run ({PLACE}) for 100 % of the time: sleep, Thread.Sleep" in said
    assert "estimated from 154 of 154 samples, at least 78 %" in said


def test_code_that_is_the_frameworks_is_said_to_be():
    assert culprit("socket", None, None, own=False).where == f"Shop.Import.Run (not your code) ({PLACE})"


@pytest.mark.parametrize("file", ["/src/shop/Import.cs", "C:\\src\\shop\\Import.cs", "Import.cs"])
def test_a_source_line_is_said_without_its_folders(file):
    assert place_words(file, 9) == PLACE


@pytest.mark.parametrize(
    ("own", "where"), [(True, "In Shop.Log.Write, for Console.WriteLine: "), (False, "For Console.")]
)
def test_nobody_can_shorten_the_console_s_own_lock(own, where):
    row = SimpleNamespace(
        kind="lock", method="Shop.Log.Write", place=None, own=own, call=call_of("System.Console.WriteLine")
    )
    evidence: Any = SimpleNamespace(blame=SimpleNamespace(rows=[row]), lock_owners=None)
    said = shorten_the_lock(evidence)
    assert said.startswith(where) and "write less to the console" in said and "critical section" not in said
