using Poolscope.Collect.Errors;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Starts the kernel's stream of a recording.</summary>
internal static class KernelStreams
{
    /// <summary>Starts the best tier that the kernel allows.</summary>
    /// <param name="refused">Receives the refusals.</param>
    /// <returns>The stream, or null if none is wanted or available.</returns>
    /// <exception cref="CommandException">A required stream was refused.</exception>
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

    /// <summary>Writes the connections that are already open, now that the kernel records every arrival. Unread bytes
    /// in one of them arrived before, unless their arrival is recorded. A launched process has no open
    /// connections.</summary>
    /// <param name="folder">The folder of the file.</param>
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
