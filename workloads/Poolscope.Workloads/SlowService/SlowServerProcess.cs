using System.Globalization;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.SlowService;

/// <summary>The slow server in a process of its own.</summary>
public sealed class SlowServerProcess : IDisposable
{
    /// <summary>The hidden verb that starts the server.</summary>
    public const string Verb = "serve";

    private readonly OwnProgram _program;

    private SlowServerProcess(OwnProgram program, int port)
    {
        _program = program;
        Port = port;
    }

    /// <summary>The loopback port that it listens on.</summary>
    public int Port { get; }

    public int ProcessId => _program.ProcessId;

    /// <exception cref="WorkloadFailedException">The server did not start.</exception>
    public static SlowServerProcess Start(TimeSpan delay)
    {
        var program = OwnProgram.Start(
            "the slow service", Verb, "--work-ms", delay.TotalMilliseconds.ToString(CultureInfo.InvariantCulture));
        if (int.TryParse(program.FirstLine, NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            return new SlowServerProcess(program, port);
        }

        program.Dispose();
        throw new WorkloadFailedException("the slow service started, but named no port");
    }

    public void Dispose() => _program.Dispose();
}
