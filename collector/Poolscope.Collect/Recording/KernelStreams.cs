using Poolscope.Collect.Errors;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Begins the kernel's stream of a recording.</summary>
internal static class KernelStreams
{
    /// <summary>Begins with the best tier that the kernel allows.</summary>
    /// <param name="refused">Gets what could not be had.</param>
    /// <returns>Null: none is wanted, or can be had.</returns>
    /// <exception cref="CommandException">It was required.</exception>
    public static IKernelStream? Start(RecordingPlan plan, long maxBytes, List<Refusal> refused)
    {
        foreach (var tier in plan.Kernel)
        {
            try
            {
                var kernel = tier.Start(new KernelRequest(plan.Folder, maxBytes, plan.Pid, plan.PollStep, plan.OnlyTarget, plan.Sockets));
                if (kernel.SocketsRefused is { } why)
                {
                    refused.Add(new Refusal("sched", "sockets", why, "Everything else is recorded all the same"));
                }

                return kernel;
            }
            catch (KernelRefusedException e) when (plan.KernelRequired)
            {
                throw new CommandException(ExitCode.Unreadable, $"no scheduler events by --kernel {tier.Name}: {e.Why}. {e.How}", e);
            }
            catch (KernelRefusedException e)
            {
                refused.Add(new Refusal("sched", tier.Name, e.Why, e.How));
            }
        }

        return null;
    }

    /// <summary>Writes down which connections were open already, now that the kernel tells of every arrival: what lies in one of
    /// them unread came before, unless its arrival is reported. A launched process has none.</summary>
    /// <param name="folder">Gets the file.</param>
    public static void NoteConnections(RecordingPlan plan, string folder, IKernelStream? kernel)
    {
        if (plan.Launched || !plan.Sockets || kernel is not { SocketsRefused: null, Tier: TracepointTier.Tier })
        {
            return;
        }

        using var file = new ReadingsFile(folder, ConnectionsStream.FileName, ConnectionsStream.Header);
        foreach (var connection in OpenConnections.Read(ProcFs.System, plan.Pid, MonotonicClock.NowNs))
        {
            file.Write($"{connection.ToLine()}");
        }
    }
}
