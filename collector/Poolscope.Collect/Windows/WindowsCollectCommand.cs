using System.Runtime.Versioning;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Windows;

/// <summary>Records a process on Windows: by ETW with the kernel's events if Windows allows it, else by EventPipe
/// without them.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsCollectCommand(ICommandConsole console, Decoder decoder)
{
    public async Task<int> RunAsync(CollectOptions options, StopRequest stop)
    {
        CollectCommand.RequireOneTarget(options);
        try
        {
            return await RunChosenAsync(options, stop).ConfigureAwait(false);
        }
        catch (CommandException e) when (options.Command.Count > 0)
        {
            throw e.WithCommand();
        }
    }

    private async Task<int> RunChosenAsync(CollectOptions options, StopRequest stop)
    {
        if (Complaint(options, EtwRecording.IsElevated) is { } complaint)
        {
            throw new CommandException(ExitCode.Unreadable, complaint);
        }

        var pipe = new PipeCollect(console, decoder);
        if (options.Kernel == KernelChoice.None)
        {
            return await pipe.RunAsync(options, tier: null, stop).ConfigureAwait(false);
        }

        if (!EtwRecording.IsElevated)
        {
            return await pipe.RunAsync(options, new EtwTier(), stop).ConfigureAwait(false);
        }

        try
        {
            return await new EtwCollect(console, decoder).RunAsync(options, stop).ConfigureAwait(false);
        }
        catch (NoEtwException e) when (options.Kernel == KernelChoice.Auto)
        {
            return await pipe.RunAsync(options, new EtwTier(e.Message), stop).ConfigureAwait(false);
        }
        catch (NoEtwException e)
        {
            throw new CommandException(ExitCode.Unreadable, e.Message, e);
        }
    }

    /// <returns>The reason why Poolscope cannot record with these options, or null if it can.</returns>
    internal static string? Complaint(CollectOptions options, bool elevated)
    {
        const string without = "Leave it out, or add --kernel none, which records by EventPipe";
        return options.Kernel switch
        {
            KernelChoice.None => null,
            not (KernelChoice.Auto or KernelChoice.Etw) => $"--kernel {options.Kernel.ToString().ToLowerInvariant()} needs Linux: on Windows it is etw or none",
            KernelChoice.Etw when !elevated => "ETW's kernel events need an administrator: run from a prompt that was started as administrator, or without --kernel etw",
            KernelChoice.Auto when !elevated => null,
            _ when options.Labels.Count > 0 => $"--label: a capture by ETW has no labels yet. {without}; see also --label-from-path of `poolscope fleet`",
            _ when options.Activities.Count > 0 => $"--activities: the ETW session has no activities. {without}",
            _ => null,
        };
    }
}
