using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Commands.Doctor;

/// <summary>Checks whether the diagnostic socket of a process can be reached, and says why if not.</summary>
internal static class SocketCondition
{
    private const string Name = "diagnostic socket";

    private static readonly string[] Switches = ["DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_IPC", "COMPlus_EnableDiagnostics"];

    /// <param name="user">The effective user id of the caller.</param>
    public static StreamCheck Check(ProcFs proc, int pid, uint user)
    {
        var who = $"process {pid} ({ProcessNames.Of(proc.CommandLine(pid))})";
        if (user != 0 && proc.OwnerUid(pid) is { } owner && owner != user)
        {
            var name = proc.UserName(owner);
            return Refused($"{who} belongs to {name ?? "user"} (uid {owner}): its socket is open to that user and to root", $"sudo -u {name ?? $"#{owner}"} poolscope ..., or sudo poolscope ...");
        }

        if (DiagnosticSocket.Find(proc, pid) is { } path)
        {
            var inContainer = proc.NamespacePid(pid) != pid;
            return new StreamCheck(Name, true, inContainer ? $"in the container's own file system: {path}" : path, "", Needed: false);
        }

        if (proc.NamespacePid(pid) != pid && !Directory.Exists(proc.PathOf(pid, "root/")))
        {
            return Refused(
                $"{who} runs in a container, and its /tmp (/proc/{pid}/root/tmp) is closed to this user",
                "sudo poolscope ... on the host, or run it inside the container (docker exec, kubectl debug --target with a shared /tmp)");
        }

        var off = Switches.FirstOrDefault(variable => proc.EnvironmentOf(pid).GetValueOrDefault(variable) == "0");
        return off is not null
            ? Refused($"{who} was started with {off}=0", $"Start it again without {off}=0")
            : Refused(
                $"{who} has no socket in {DiagnosticSocket.Folder(proc, pid)}: it was removed, or the process is no .NET process",
                "Start it again, and keep dotnet-diagnostic-* from the cleaning of temporary files");
    }

    private static StreamCheck Refused(string why, string how) => new(Name, false, why, how, Needed: false);
}
