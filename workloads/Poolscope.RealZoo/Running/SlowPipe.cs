using System.Diagnostics;
using System.IO.Pipes;
using System.Runtime.InteropServices;

using Zoo.Running;

namespace Real.Running;

/// <summary>Standard output as a pipe whose reader takes this many bytes a second, like a slow log shipper.</summary>
internal static class SlowPipe
{
    private const int StandardOutput = 1;
    private const int StepMs = 50;

    /// <summary>Replaces standard output with the pipe, and starts its reader in a process of its own.</summary>
    public static void Attach(Stage stage, int bytesPerSecond)
    {
        var pipe = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.Inheritable);
        Child.Start("slow-pipe", pipe.GetClientHandleAsString(), bytesPerSecond.ToString(), Spoken.Of(stage.Seconds - stage.Now + 2));
        pipe.DisposeLocalCopyOfClientHandle();
        if (dup2((int)pipe.SafePipeHandle.DangerousGetHandle(), StandardOutput) < 0)
        {
            throw new InvalidOperationException("dup2 failed");
        }
    }

    /// <summary>Reads the pipe: <c>real-zoo slow-pipe HANDLE BYTES SECONDS</c>.</summary>
    public static int Run(string[] words)
    {
        using var pipe = new AnonymousPipeClientStream(PipeDirection.In, words[0]);
        var taken = new byte[Math.Max(1, int.Parse(words[1]) * StepMs / 1000)];
        var clock = Stopwatch.StartNew();
        while (clock.Elapsed.TotalSeconds < Spoken.Number(words[2]) && pipe.Read(taken) > 0)
        {
            Thread.Sleep(StepMs);
        }

        return 0;
    }

    [DllImport("libc")]
    private static extern int dup2(int from, int to);
}
