using System.CommandLine;
using Poolscope.Workloads.Experiments;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>`hold-cores` (hidden): the noisy neighbour. Its threads compute until its standard input ends.</summary>
internal static class HoldCoresCommand
{
    public static Command Create()
    {
        var threads = new Option<int>("--threads") { Description = "Threads that compute.", Required = true };
        var command = new Command(NoisyNeighbour.Verb, "Computes for nothing.") { threads };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            for (var i = 0; i < parsed.GetValue(threads); i++)
            {
                // Background threads end with the main one.
                new Thread(() => SpinWork.Spin(long.MaxValue)) { Name = "Neighbour", IsBackground = true }.Start();
            }

            var output = parsed.InvocationConfiguration.Output;
            output.WriteLine("computing");
            output.Flush();
            OwnProgram.WaitForParent();
            return ExitCode.Ok;
        });
        return command;
    }
}
