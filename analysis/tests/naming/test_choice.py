"""Which frame of a stack is named, and which call blocked."""

import pytest
from poolscope.blame.kinds import KIND_WORDS, call_in, user_method
from poolscope.naming.calls import CALLS

DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
SLEEP = "System.Threading.Thread.Sleep"
MONITOR = "System.Threading.Monitor.Wait"
TASK = "System.Threading.Tasks.Task."
GENERIC_TASK = "System.Threading.Tasks.Task`1[System.__Canon]."
MVC = "Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor+VoidResultExecutor.Execute"
KESTREL = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol+<ProcessRequests>d__1.MoveNext"


@pytest.mark.parametrize(
    ("stack", "method"),
    [
        ([None, SLEEP, "Shop.Inner", "Shop.Outer", DISPATCH], "Shop.Inner"),
        ([SLEEP, "dynamicClass.lambda_method1", "Shop.Outer", DISPATCH], "Shop.Outer"),
        ([SLEEP, "System.Linq.Enumerable.Count", "Shop+<Get>d__3.MoveNext", DISPATCH], "Shop.Get"),
        # Only code of the framework's: what names the call, past the machinery that waits and the one that called it.
        (
            ["Interop+Sys.Receive", "System.Net.Sockets.Socket.Receive", "System.Net.Http.HttpClient.Send", DISPATCH],
            "System.Net.Http.HttpClient.Send",
        ),
        ([MONITOR, TASK + "InternalWait", TASK + "Wait", "dynamicClass.lambda_method1", MVC, DISPATCH], TASK + "Wait"),
        ([None, SLEEP, DISPATCH], SLEEP),
        ([None], None),
        ([], None),
    ],
)
def test_the_method_is_the_users_nearest_to_the_leaf(stack, method):
    assert user_method(stack) == method


@pytest.mark.parametrize(
    ("called", "call", "instead"),
    [
        ([SLEEP], "Thread.Sleep", "await Task.Delay"),
        (
            [MONITOR, TASK + "SpinThenBlockingWait", TASK + "InternalWaitCore", GENERIC_TASK + "GetResultCore"],
            ".Result",
            "await",
        ),
        ([MONITOR, TASK + "InternalWait", TASK + "Wait"], ".Wait()", "await"),
        ([MONITOR, TASK + "InternalWait"], ".Result or .Wait()", "await"),
        (
            [MONITOR, TASK + "InternalWait", "System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccess"],
            ".GetAwaiter().GetResult()",
            "await",
        ),
        ([MONITOR, TASK + "WaitAllCore"], "Task.WaitAll", "await Task.WhenAll"),
        (
            [MONITOR, "System.Threading.SemaphoreSlim.WaitUntilCountOrTimeout"],
            "SemaphoreSlim.Wait",
            "await SemaphoreSlim.WaitAsync",
        ),
        (
            [MONITOR, "System.Threading.ManualResetEventSlim.Wait"],
            "ManualResetEventSlim.Wait",
            "await a TaskCompletionSource",
        ),
        (
            [
                MONITOR,
                "System.Threading.SemaphoreSlim.Wait",
                "System.Collections.Concurrent.BlockingCollection`1[System.Int32].Take",
            ],
            "BlockingCollection.Take",
            "await ChannelReader.ReadAsync",
        ),
        (
            ["System.Net.Http.HttpConnection.Send", "System.Net.Http.HttpClient.Send"],
            "HttpClient.Send",
            "await HttpClient.SendAsync",
        ),
        (["Interop+Sys.Receive", "System.Net.Sockets.Socket.Receive"], "Socket.Receive", "await Socket.ReceiveAsync"),
        (
            ["System.Net.NameResolutionPal.TryGetAddrInfo", "System.Net.Dns.GetHostEntry"],
            "Dns.GetHostEntry",
            "await Dns.GetHostEntryAsync",
        ),
        (
            ["System.Diagnostics.Process.WaitForExitCore", "System.Diagnostics.Process.WaitForExit"],
            "Process.WaitForExit",
            "await Process.WaitForExitAsync",
        ),
        (
            ["System.Threading.Monitor.Enter", "System.Lazy`1[System.__Canon].CreateValue"],
            "Lazy.Value",
            "await a Lazy<Task>",
        ),
        ([MONITOR], "Monitor.Wait", "await a SemaphoreSlim or a Channel"),
        (["System.Threading.Monitor.Enter_Slowpath"], "lock", None),
    ],
)
def test_the_call_is_the_one_in_the_users_code(called, call, instead):
    found = call_in([*called, "Shop.Work", TASK + "Wait", DISPATCH])
    assert (found.call, found.instead) == (call, instead)


def test_computing_is_no_blocking_call():
    assert call_in(["System.Text.StringBuilder.Append", "Shop.Work", TASK + "Wait"]) is None


def test_every_call_has_a_kind_that_is_said_in_words():
    assert {call.kind for call in CALLS if call.kind} <= set(KIND_WORDS)


def test_no_two_calls_begin_alike():
    starts = [start for call in CALLS for start in call.starts]
    assert len(starts) == len(set(starts))
