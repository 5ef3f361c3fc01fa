using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Telling;
using Xunit;

namespace Poolscope.Collect.Tests.Look;

public sealed class PoolThreadTests
{
    private const string Core = "System.Private.CoreLib!";
    private static readonly OwnModules Own = new(["shop"], []);

    [Fact]
    public void The_method_is_the_one_that_made_the_call_and_the_entry_the_first_of_the_item()
    {
        var thread = Of("S", Core + "System.Threading.ManualResetEventSlim.Wait", Core + "System.Threading.Tasks.Task.Wait", "shop!Shop.Db.Query", "shop!Shop.Orders.Get", "Kestrel!Http.Process", Dispatch);
        Assert.Equal(("Shop.Db.Query", "Shop.Orders.Get", "System.Threading.Tasks.Task.Wait"), (thread.Method, thread.Entry, thread.Call));
        Assert.True(thread is { IsWorker: true, InItem: true, Blocked: true, OnTask: true, OnLock: false });
    }

    [Fact]
    public void What_the_runtime_compiled_is_no_call_of_the_method()
    {
        // The controller's action was inlined into the delegate that calls it.
        var thread = Of("S", Core + "System.Threading.Tasks.Task<T>.GetResultCore", "!.lambda_method1", "shop!Shop.Orders.Get", Dispatch);
        Assert.Equal("System.Threading.Tasks.Task<T>.GetResultCore", thread.Call);
    }

    [Theory]
    [InlineData("R", true, false)] // on a processor, wherever its stack ends
    [InlineData("S", false, true)] // asleep in native code
    [InlineData("D", true, true)]
    [InlineData(null, true, true)] // a dump: outside managed code, below a library call
    [InlineData(null, false, false)]
    public void A_thread_waits_if_the_kernel_says_so(string? state, bool native, bool expected)
    {
        var line = new ThreadLine(1, 1, true, state, native, [Core + "System.Threading.Thread.Sleep", "shop!Shop.Orders.Get", Dispatch]);
        Assert.Equal(expected, PoolThread.Of(line, Own).Blocked);
    }

    [Fact]
    public void The_place_is_that_of_the_method_s_own_frame()
    {
        var line = new ThreadLine(1, 1, true, "S", true, [Core + "System.Threading.Thread.Sleep", "shop!Shop.Db.Query", "shop!Shop.Orders.Get", Dispatch], [null, "Db.cs:12", "Orders.cs:41", null]);
        Assert.Equal("Db.cs:12", PoolThread.Of(line, Own).Place);
        Assert.Null(PoolThread.Of(line with { Places = null }, Own).Place);
        var view = new PoolView(Readings.Read(new LookLine { Thread = line }), Own);
        Assert.StartsWith("1 of 1 threads are inside items; 1 blocks in Db.Query (Db.cs:12) on Thread.Sleep", LookText.Answer(view), StringComparison.Ordinal);
    }

    [Fact]
    public void A_worker_without_an_item_and_a_thread_of_the_program_are_told_apart()
    {
        var idle = Of("S", Core + "System.Threading.LowLevelLifoSemaphore.WaitForSignal", Core + "System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart");
        Assert.True(idle is { IsWorker: true, InItem: false });
        var gate = Of("S", Core + "System.Threading.WaitHandle.WaitOneNoCheck", Core + "System.Threading.PortableThreadPool.GateThread.GateThreadStart");
        Assert.False(gate.IsWorker);
        Assert.False(Of("S", Core + "System.Threading.Thread.Sleep", "shop!Program.Main").IsWorker);
    }

    [Theory]
    [InlineData("/app/shop.dll", true)]
    [InlineData("/app/System.Private.CoreLib.dll", false)]
    [InlineData("/app/Microsoft.Extensions.Hosting.dll", false)]
    [InlineData("/usr/share/dotnet/shared/Microsoft.AspNetCore.App/10.0.12/shop.dll", false)]
    public void Without_a_list_the_path_and_the_name_tell_whose_a_module_is(string path, bool expected) =>
        Assert.Equal(expected, new OwnModules(null, [path]).Has($"{Path.GetFileNameWithoutExtension(path)}!Shop.Run"));

    private const string Dispatch = Core + "System.Threading.ThreadPoolWorkQueue.Dispatch";

    private static PoolThread Of(string? state, params string[] frames) => PoolThread.Of(new ThreadLine(1, 1, true, state, true, frames), Own);
}
