using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Poolscope.Collect.Launch;

/// <summary>The collector's side of a <see cref="LaunchGuard"/>. If the guard ends too early, this process takes its
/// place, so a command waits forever only if both are killed at the same moment.</summary>
internal sealed class GuardedPort : IDisposable
{
    private static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(2);

    private readonly Process _guard;
    private readonly string? _othersPorts;
    private readonly TaskCompletionSource<int> _target = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _resumed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _lock = new();
    private StartupPort? _replacement;
    private bool _disposed;

    private GuardedPort(Process guard, string address, string? othersPorts)
    {
        (_guard, Address, _othersPorts) = (guard, address, othersPorts);
        _ = ListenAsync();
    }

    public string Address { get; }

    /// <summary>The value of <see cref="StartupPort.Variable"/> for the command.</summary>
    public string Configuration => StartupPort.Configuration(Address, _othersPorts);

    /// <summary>The pid of the first .NET process that started and waits.</summary>
    public Task<int> Target => _target.Task;

    /// <summary>Starts a guard and waits until its port is open.</summary>
    /// <param name="lifeLine">Passes its reading end to the guard.</param>
    /// <param name="othersPorts">See <see cref="StartupPort.Open"/>.</param>
    /// <exception cref="IOException">The guard did not start; the message says why.</exception>
    public static GuardedPort Open(LifeLine lifeLine, string? othersPorts)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(typeof(GuardedPort).Assembly.Location);
        }

        start.ArgumentList.Add(LaunchGuard.Verb);
        start.ArgumentList.Add(lifeLine.ReadingEnd.ToString(CultureInfo.InvariantCulture));
        start.ArgumentList.Add(othersPorts ?? "");

        // The guard must not wait on a startup port itself, and it needs little memory.
        start.Environment.Remove(StartupPort.Variable);
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_gcServer"] = "0";
        start.Environment["DOTNET_GCHeapHardLimit"] = "0x2000000";
        Process guard;
        try
        {
            guard = lifeLine.StartReader(() => Process.Start(start)!);
        }
        catch (Win32Exception e)
        {
            throw new IOException($"the guard of the launch cannot be started: {new Win32Exception(e.NativeErrorCode).Message}", e);
        }

        var line = guard.StandardOutput.ReadLine();
        if (line is null || !line.StartsWith(LaunchGuard.PortLine, StringComparison.Ordinal))
        {
            var why = line ?? guard.StandardError.ReadLine() ?? "it ended at once";
            guard.Dispose();
            throw new IOException($"the guard of the launch did not start: {why}");
        }

        return new GuardedPort(guard, line[LaunchGuard.PortLine.Length..], othersPorts);
    }

    /// <summary>Resumes the target.</summary>
    /// <returns>False if the guard does not confirm that the target runs, or is gone.</returns>
    public async Task<bool> ResumeAsync()
    {
        try
        {
            await _guard.StandardInput.WriteLineAsync(LaunchGuard.ResumeLine).ConfigureAwait(false);
            await _guard.StandardInput.FlushAsync().ConfigureAwait(false);
            await _resumed.Task.ConfigureAwait(false);
            return true;
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            return false;
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _replacement?.Dispose();
        }

        try
        {
            _guard.StandardInput.Close();
        }
        catch (IOException)
        {
            // The guard ended before.
        }

        // The guard ends at once, unless the command left processes behind. Then it ends after them.
        _guard.WaitForExit(EndTimeout);
        _guard.Dispose();
    }

    private async Task ListenAsync()
    {
        try
        {
            while (await _guard.StandardOutput.ReadLineAsync().ConfigureAwait(false) is { } line)
            {
                if (line.StartsWith(LaunchGuard.TargetLine, StringComparison.Ordinal))
                {
                    _target.TrySetResult(int.Parse(line.AsSpan(LaunchGuard.TargetLine.Length), CultureInfo.InvariantCulture));
                }
                else if (line == LaunchGuard.ResumedLine)
                {
                    _resumed.TrySetResult();
                }
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // This is treated like the end of the guard.
        }

        _resumed.TrySetCanceled();
        TakeItsPlace();
    }

    private void TakeItsPlace()
    {
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            try
            {
                _replacement = StartupPort.Reopen(Path.GetDirectoryName(Address)!, _othersPorts);
            }
            catch (IOException)
            {
                // The port cannot be opened again, so nothing more can be done for the processes that wait.
            }
        }
    }
}
