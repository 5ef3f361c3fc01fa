"""The frame of a stack that is named, and the call that blocked."""

import pytest
from poolscope.naming import OwnCode, is_user
from poolscope.naming.calls import CALLS
from poolscope.naming.choice import KIND_WORDS, call_in, kind_of, user_method

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
        # Framework code only: the call outside the wait's machinery is named, and the one that called it.
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
            None,
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


OWN = OwnCode.of({"target": {"own": {"entry": "Shop", "assemblies": ["Shop", "Microsoft.eShop"]}}})
REDIS = "StackExchange.Redis.RedisDatabase.StringGet"


@pytest.mark.parametrize(
    ("method", "module", "own"),
    [
        ("Shop.Baskets.Load", "Shop.dll", True),
        ("Shop.Baskets.Load", "/app/shop.dll", True),
        ("Microsoft.eShop.Basket.Load", "Microsoft.eShop.dll", True),
        (REDIS, "StackExchange.Redis.dll", False),
        (SLEEP, "System.Private.CoreLib.dll", False),
        ("dynamicClass.IL_STUB_PInvoke", "Shop.dll", False),
        ("Shop.Baskets.Load", None, True),
    ],
)
def test_own_is_what_an_own_assembly_holds(method, module, own):
    assert is_user(OWN.name(method, module)) == own


def test_without_the_recorders_word_everything_outside_the_framework_is_own():
    assert is_user(OwnCode.of({"target": {}}).name(REDIS, "StackExchange.Redis.dll"))


def library(method):
    return OWN.name(method, method.split(".")[0] + ".Client.dll")


@pytest.mark.parametrize(
    ("method", "call", "instead", "advice"),
    [
        (REDIS, "RedisDatabase.StringGet", "await RedisDatabase.StringGetAsync", None),
        ("Npgsql.NpgsqlCommand.ExecuteReader", "NpgsqlCommand.ExecuteReader", "await NpgsqlCommand.ExecuteReaderAsync", None),
        ("Confluent.Kafka.Consumer`2[System.__Canon,System.__Canon].Consume", "Consumer.Consume", None, "LongRunning"),
        ("Acme.Client.Fetch", "Client.Fetch", None, None),
    ],
)  # fmt: skip
def test_a_librarys_call_stands_beside_the_own_method(method, call, instead, advice):
    stack = [MONITOR, library("StackExchange.Redis.Inner"), library(method), "Shop.Baskets.Load", DISPATCH]
    found = call_in(stack)
    assert user_method(stack) == "Shop.Baskets.Load"
    assert (found.call, found.instead) == (call, instead) and found.library
    assert advice is None and found.advice is None or advice in found.advice


@pytest.mark.parametrize(
    ("stack", "call", "kind"),
    [
        (["Interop+Sys.GetHostEntry", "System.Net.Dns.GetHostEntry", "System.Net.Http.HttpClient.Send", "Shop.Go"], "Dns.GetHostEntry", "dns"),
        (["System.Threading.Monitor.Enter", "System.IO.TextWriter+SyncTextWriter.WriteLine", "System.Console.WriteLine", "Shop.Go"], "Console.WriteLine", "lock"),
        ([MONITOR, "Microsoft.Extensions.Logging.Console.ConsoleLoggerProcessor.Enqueue", "Microsoft.Extensions.Logging.Logger.Log", "Shop.Go"], "ILogger.Log", "logger"),
        (["System.Net.Sockets.Socket.Receive", "System.Security.Cryptography.X509Certificates.X509Chain.Build", "System.Net.Security.SslStream.Read", "Shop.Go"], "X509Chain.Build", "certificate"),
    ],
)  # fmt: skip
def test_what_blocks_however_it_is_called_has_advice_of_its_own(stack, call, kind):
    found = call_in(stack)
    assert (found.call, found.instead, kind_of(stack)) == (call, None, kind)
    assert found.advice and "await" not in found.advice


def test_monitor_wait_is_a_condition_where_its_own_frame_was_inlined():
    assert kind_of(["System.Threading.Monitor.ObjWait", "Shop.Desk.Assign", DISPATCH]) == "condition"


@pytest.mark.parametrize("entry", ["System.Threading.Monitor.Enter_Slowpath", "System.Threading.Lock.TryEnterSlow"])
def test_a_locks_entry_and_the_runtimes_event_are_no_place(entry):
    event = "System.Diagnostics.Tracing.NativeRuntimeEventSource.ContentionStart"
    timers = "System.Threading.TimerQueueTimer.Change"
    assert user_method([event, entry, timers, DISPATCH]) == timers
    assert user_method([event, entry, timers, "Shop.Lease.Renew", DISPATCH]) == "Shop.Lease.Renew"
