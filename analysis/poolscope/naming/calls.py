"""Framework calls that block a thread: the kind of wait of each, how a person writes it, and its replacement."""

from __future__ import annotations

import re
from functools import lru_cache

from poolscope.naming.call import BlockingCall

_GENERIC = re.compile(r"`\d+|\[.*\]")
_TASK, _AWAITERS = "System.Threading.Tasks.", "System.Runtime.CompilerServices."
_RESOLVE = "keep the addresses in a cache: Dns.GetHostAddressesAsync blocks a thread of the pool too, except on Windows"

CALLS = (
    BlockingCall(("System.Threading.Thread.Sleep",), "sleep", "Thread.Sleep", "await Task.Delay"),
    BlockingCall(("System.Threading.SpinWait.",), "sleep", "SpinWait.SpinOnce", "await Task.Delay"),
    BlockingCall(("System.Threading.Thread.Join",), "wait-handle", "Thread.Join", "await a Task"),
    # Tasks. The first three are distinguished if the JIT kept the frame; the last one remains if it did not.
    BlockingCall((_TASK + "Task.get_Result", _TASK + "Task.GetResultCore"), "task-wait", ".Result", "await"),
    BlockingCall((_TASK + "ValueTask.get_Result",), "task-wait", ".Result", "await"),
    BlockingCall((_TASK + "Task.Wait",), "task-wait", ".Wait()", "await"),
    BlockingCall((_TASK + "Task.WaitAll",), "task-wait", "Task.WaitAll", "await Task.WhenAll"),
    BlockingCall((_TASK + "Task.WaitAny",), "task-wait", "Task.WaitAny", "await Task.WhenAny"),
    BlockingCall((_TASK + "Task.RunSynchronously",), "task-wait", "Task.RunSynchronously", "await"),
    BlockingCall(
        (_TASK + "Task.InternalWait", _TASK + "Task.SpinThenBlockingWait"), "task-wait", ".Result or .Wait()", "await"
    ),
    BlockingCall(
        (
            _AWAITERS + "TaskAwaiter.",
            _AWAITERS + "ValueTaskAwaiter.",
            _AWAITERS + "ConfiguredTaskAwaitable",
            _AWAITERS + "ConfiguredValueTaskAwaitable",
        ),
        "task-wait",
        ".GetAwaiter().GetResult()",
        "await",
    ),
    BlockingCall((_TASK + "Parallel.",), "task-wait", "Parallel.ForEach", "await Parallel.ForEachAsync"),
    # Locks.
    BlockingCall(
        (
            "System.Threading.Monitor.Enter",
            "System.Threading.Monitor.TryEnter",
            "System.Threading.Monitor.ReliableEnter",
        ),
        "lock",
        "lock",
    ),
    BlockingCall(("System.Threading.Lock.",), "lock", "lock"),
    BlockingCall(("System.Threading.SpinLock.",), "lock", "SpinLock.Enter"),
    BlockingCall(("System.Threading.ReaderWriterLock.",), "reader-writer-lock", "ReaderWriterLock"),
    BlockingCall(("System.Threading.ReaderWriterLockSlim.",), "reader-writer-lock", "ReaderWriterLockSlim"),
    BlockingCall(
        ("System.Threading.ReaderWriterLockSlim.TryEnterRead", "System.Threading.ReaderWriterLockSlim.EnterRead"),
        "reader-writer-lock",
        "ReaderWriterLockSlim.EnterReadLock",
    ),
    BlockingCall(
        ("System.Threading.ReaderWriterLockSlim.TryEnterWrite", "System.Threading.ReaderWriterLockSlim.EnterWrite"),
        "reader-writer-lock",
        "ReaderWriterLockSlim.EnterWriteLock",
    ),
    # Signals. System.Threading.Semaphore and Mutex wait like every wait handle, and no frame distinguishes them from an
    # event.
    BlockingCall(
        ("System.Threading.Monitor.Wait", "System.Threading.Monitor.ObjWait"),
        "condition",
        "Monitor.Wait",
        "await a SemaphoreSlim or a Channel",
    ),
    BlockingCall(
        ("System.Threading.SemaphoreSlim.Wait",), "semaphore", "SemaphoreSlim.Wait", "await SemaphoreSlim.WaitAsync"
    ),
    BlockingCall(
        ("System.Threading.ManualResetEventSlim.Wait",),
        "wait-handle",
        "ManualResetEventSlim.Wait",
        "await a TaskCompletionSource",
    ),
    BlockingCall(("System.Threading.CountdownEvent.Wait",), "wait-handle", "CountdownEvent.Wait", "await Task.WhenAll"),
    BlockingCall(
        ("System.Threading.Barrier.SignalAndWait",), "wait-handle", "Barrier.SignalAndWait", "await Task.WhenAll"
    ),
    BlockingCall(
        (
            "System.Threading.WaitHandle.Wait",
            "System.Threading.WaitHandle.SignalAndWait",
            "System.Threading.WaitHandle.InternalWait",
        ),
        "wait-handle",
        "WaitHandle.WaitOne",
        "await a TaskCompletionSource",
    ),
    BlockingCall(
        ("System.Threading.WaitHandle.WaitAll", "System.Threading.WaitHandle.WaitMultiple"),
        "wait-handle",
        "WaitHandle.WaitAll",
        "await Task.WhenAll",
    ),
    BlockingCall(("System.Threading.WaitHandle.WaitAny",), "wait-handle", "WaitHandle.WaitAny", "await Task.WhenAny"),
    BlockingCall(
        (
            "System.Collections.Concurrent.BlockingCollection.Take",
            "System.Collections.Concurrent.BlockingCollection.TryTake",
            "System.Collections.Concurrent.BlockingCollection.GetConsumingEnumerable",
            "System.Collections.Concurrent.BlockingCollection+<GetConsumingEnumerable",
        ),
        "blocking-collection",
        "BlockingCollection.Take",
        "await ChannelReader.ReadAsync",
    ),
    BlockingCall(
        (
            "System.Collections.Concurrent.BlockingCollection.Add",
            "System.Collections.Concurrent.BlockingCollection.TryAdd",
        ),
        "blocking-collection",
        "BlockingCollection.Add",
        "await ChannelWriter.WriteAsync",
    ),
    # Things that are initialised once.
    BlockingCall(
        ("System.Lazy.", "System.Threading.LazyInitializer."), "initialisation", "Lazy.Value", "await a Lazy<Task>"
    ),
    BlockingCall(
        (
            _AWAITERS + "InitHelpers.",
            _AWAITERS + "ClassConstructorRunner.",
            _AWAITERS + "StaticsHelpers.",
            _AWAITERS + "RuntimeHelpers.RunClassConstructor",
        ),
        "initialisation",
        "static constructor",
    ),
    # Other programs and machines.
    BlockingCall(
        ("System.Diagnostics.Process.WaitForExit",), "process", "Process.WaitForExit", "await Process.WaitForExitAsync"
    ),
    BlockingCall(("System.Net.Dns.GetHostAddresses",), "dns", "Dns.GetHostAddresses", advice=_RESOLVE),
    BlockingCall(("System.Net.Dns.", "System.Net.NameResolutionPal"), "dns", "Dns.GetHostEntry", advice=_RESOLVE),
    BlockingCall(
        (
            "System.Security.Cryptography.X509Certificates.X509Chain.Build",
            "System.Security.Cryptography.X509Certificates.OpenSsl",
        ),
        "certificate",
        "X509Chain.Build",
        advice="let it download nothing: set X509ChainPolicy.DisableCertificateDownloads and RevocationMode, or send the "
        "intermediate certificates and the revocation answer with the handshake (OCSP stapling)",
    ),
    BlockingCall(
        ("System.Console.Write", "System.IO.TextWriter.SyncTextWriter.", "System.IO.TextWriter+SyncTextWriter."),
        None,
        "Console.WriteLine",
        advice="write less to the console, or hand the lines to one thread that writes them (a Channel): all threads "
        "share its lock, and the reader of the terminal, pipe or file behind it sets the pace",
    ),
    BlockingCall(
        ("Microsoft.Extensions.Logging.Console.ConsoleLoggerProcessor.",),
        "logger",
        "ILogger.Log",
        advice="log less, or set ConsoleLoggerOptions.QueueFullMode to DropWrite: the console's reader is slower than the log",
    ),
    BlockingCall(
        ("Microsoft.Extensions.Logging.",),
        "logger",
        "ILogger.Log",
        advice="log less, or let the log's target take messages into a queue: ILogger has no asynchronous form",
    ),
    BlockingCall(("System.Net.Http.HttpClient.Send",), None, "HttpClient.Send", "await HttpClient.SendAsync"),
    BlockingCall(
        ("System.Net.WebClient.", "System.Net.HttpWebRequest.GetResponse"),
        None,
        "WebRequest.GetResponse",
        "await HttpClient.SendAsync",
    ),
    BlockingCall(("System.Net.Security.SslStream.Read",), "socket", "Stream.Read", "await Stream.ReadAsync"),
    BlockingCall(("System.Net.Security.SslStream.Write",), "socket", "Stream.Write", "await Stream.WriteAsync"),
    BlockingCall(("System.Net.Sockets.NetworkStream.Read",), "socket", "Stream.Read", "await Stream.ReadAsync"),
    BlockingCall(("System.Net.Sockets.NetworkStream.Write",), "socket", "Stream.Write", "await Stream.WriteAsync"),
    BlockingCall(
        ("System.Net.Sockets.TcpClient.Connect",), "socket", "TcpClient.Connect", "await TcpClient.ConnectAsync"
    ),
    BlockingCall(
        ("System.Net.Sockets.TcpListener.Accept",),
        "socket",
        "TcpListener.AcceptTcpClient",
        "await TcpListener.AcceptTcpClientAsync",
    ),
    BlockingCall(("System.Net.Sockets.Socket.Receive",), "socket", "Socket.Receive", "await Socket.ReceiveAsync"),
    BlockingCall(("System.Net.Sockets.Socket.Send",), "socket", "Socket.Send", "await Socket.SendAsync"),
    BlockingCall(("System.Net.Sockets.Socket.Connect",), "socket", "Socket.Connect", "await Socket.ConnectAsync"),
    BlockingCall(("System.Net.Sockets.Socket.Accept",), "socket", "Socket.Accept", "await Socket.AcceptAsync"),
    BlockingCall(("System.Net.Sockets.", "Interop+Sys.Receive", "Interop+Sys.Send"), "socket", "the socket call"),
    BlockingCall(
        (
            "Microsoft.Data.SqlClient.SqlConnection.Open",
            "System.Data.SqlClient.SqlConnection.Open",
            "System.Data.Common.DbConnection.Open",
        ),
        "database",
        "DbConnection.Open",
        "await DbConnection.OpenAsync",
    ),
    BlockingCall(
        (
            "Microsoft.Data.SqlClient.SqlCommand.Execute",
            "System.Data.SqlClient.SqlCommand.Execute",
            "Microsoft.Data.Sqlite.SqliteCommand.Execute",
            "System.Data.Common.DbCommand.Execute",
        ),
        "database",
        "DbCommand.ExecuteReader",
        "await DbCommand.ExecuteReaderAsync",
    ),
    BlockingCall(
        ("Microsoft.EntityFrameworkCore.DbContext.SaveChanges",),
        "database",
        "DbContext.SaveChanges",
        "await DbContext.SaveChangesAsync",
    ),
    # Files.
    BlockingCall(("System.IO.File.ReadAllText",), "file", "File.ReadAllText", "await File.ReadAllTextAsync"),
    BlockingCall(("System.IO.File.ReadAllBytes",), "file", "File.ReadAllBytes", "await File.ReadAllBytesAsync"),
    BlockingCall(("System.IO.File.ReadAllLines",), "file", "File.ReadAllLines", "await File.ReadAllLinesAsync"),
    BlockingCall(("System.IO.File.WriteAllText",), "file", "File.WriteAllText", "await File.WriteAllTextAsync"),
    BlockingCall(("System.IO.File.WriteAllBytes",), "file", "File.WriteAllBytes", "await File.WriteAllBytesAsync"),
    BlockingCall(("System.IO.File.AppendAll",), "file", "File.AppendAllText", "await File.AppendAllTextAsync"),
    BlockingCall(("System.IO.FileStream.Read",), "file", "FileStream.Read", "await FileStream.ReadAsync"),
    BlockingCall(("System.IO.FileStream.Write",), "file", "FileStream.Write", "await FileStream.WriteAsync"),
    BlockingCall(("System.IO.FileStream.Flush",), "file", "FileStream.Flush", "await FileStream.FlushAsync"),
    BlockingCall(
        ("System.IO.StreamReader.ReadLine",), None, "StreamReader.ReadLine", "await StreamReader.ReadLineAsync"
    ),
    BlockingCall(
        ("System.IO.StreamReader.ReadToEnd",), None, "StreamReader.ReadToEnd", "await StreamReader.ReadToEndAsync"
    ),
    BlockingCall(("System.IO.StreamWriter.",), None, "StreamWriter.Write", "await StreamWriter.WriteAsync"),
    BlockingCall(("System.IO.Stream.CopyTo",), None, "Stream.CopyTo", "await Stream.CopyToAsync"),
    BlockingCall(("System.IO.RandomAccess.Read",), "file", "RandomAccess.Read", "await RandomAccess.ReadAsync"),
    BlockingCall(("System.IO.RandomAccess.Write",), "file", "RandomAccess.Write", "await RandomAccess.WriteAsync"),
    BlockingCall(
        (
            "System.IO.RandomAccess",
            "System.IO.File",
            "System.IO.Strategies.",
            "Microsoft.Win32.SafeHandles.SafeFileHandle",
        ),
        "file",
        "the file call",
    ),
    BlockingCall(
        ("System.IO.Pipes.NamedPipeServerStream.WaitForConnection",),
        "file",
        "WaitForConnection",
        "await WaitForConnectionAsync",
    ),
    BlockingCall(("System.IO.Pipes.",), "file", "Stream.Read", "await Stream.ReadAsync"),
)

FILE_CALLS = frozenset(c.call for c in CALLS if c.kind == "file" and not c.starts[0].startswith("System.IO.Pipes."))
"""Calls whose asynchronous versions also block a pool thread, except on Windows: the runtime queues the blocking call
as a work item. Named pipes are sockets there."""

_BY_START = sorted(((start, call) for call in CALLS for start in call.starts), key=lambda pair: -len(pair[0]))
DISPATCH = "System.Threading.ThreadPoolWorkQueue"


@lru_cache(maxsize=65536)
def call_of(method: str) -> BlockingCall | None:
    """Returns the blocking call to which a framework method belongs, or None if it is not in CALLS."""
    bare = _GENERIC.sub("", method)
    return next((call for start, call in _BY_START if bare.startswith(start)), None)
