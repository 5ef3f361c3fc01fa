using Poolscope.Collect.Commands;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Commands.Doctor;
using Poolscope.Collect.Commands.Looking;
using Poolscope.Collect.Commands.Recipes;
using Poolscope.Collect.Commands.Watching;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Schedstat;
using Poolscope.Collect.Terminal;
using Poolscope.Collect.Windows;
using Poolscope.Look.Memory;

namespace Poolscope.Collect;

internal static class Program
{
    private static Task<int> Main(string[] arguments)
    {
        if (!OperatingSystem.IsWindows() && OpenFileLimit.IsTooLowToSpeak())
        {
            // With a command, the other codes belong to the command.
            return Task.FromResult(Array.IndexOf(arguments, "--") > 0 ? ExitCode.CouldNot : ExitCode.Unreadable);
        }

        return RunAsync(arguments);
    }

    private static Task<int> RunAsync(string[] arguments)
    {
        if (arguments is [LaunchGuard.Verb, .. var own])
        {
            return LaunchGuard.RunAsync(own);
        }

        if (arguments is [LookChild.Verb, .. var asked])
        {
            return Task.FromResult(LookChild.Run(asked, Console.OpenStandardOutput()));
        }

        if (!OperatingSystem.IsWindows())
        {
            PrivateFiles.Begin();
        }

        var console = new SystemConsole();
        IKernelTier[] kernel = OperatingSystem.IsLinux() ? [new TracepointTier(ProcFs.System), new SwitchTier(), new SchedstatTier(ProcFs.System)] // best first
            : OperatingSystem.IsWindows() ? [new EtwTier()] : [];
        return CommandRunner.RunAsync(arguments, console, new VerbActions(
            Ps: options => PsCommand.RunAsync(options, console),
            Doctor: options => DoctorCommand.RunAsync(options, console, kernel),
            Collect: async options =>
            {
                using var stop = StopRequest.FromSignals();
                if (OperatingSystem.IsWindows())
                {
                    return await new WindowsCollectCommand(console, CaptureTables.DecodeAsync).RunAsync(options, stop).ConfigureAwait(false);
                }

                return await new CollectCommand(console, ProcFs.System, kernel, CaptureTables.DecodeAsync).RunAsync(options, stop).ConfigureAwait(false);
            },
            Decode: async options =>
            {
                using var stop = StopRequest.FromSignals();
                return await DecodeCommand.RunAsync(options, console, CaptureTables.DecodeAsync, stop.Token, CaptureTables.Import).ConfigureAwait(false);
            })
        {
            Recipe = options => RecipeCommand.RunAsync(options, console),
            Top = async options =>
            {
                using var stop = StopRequest.FromSignals();
                return await new TopCommand(console, ProcFs.System).RunAsync(options, stop).ConfigureAwait(false);
            },
            Look = async options =>
            {
                using var stop = StopRequest.FromSignals();
                return await new LookCommand(console, ProcFs.System).RunAsync(options, stop).ConfigureAwait(false);
            },
            Watch = async options =>
            {
                using var stop = StopRequest.FromSignals();
                return await new WatchCommand(console, ProcFs.System, kernel, CaptureTables.DecodeAsync).RunAsync(options, stop).ConfigureAwait(false);
            },
        });
    }
}
