using System.Runtime.Versioning;
using Poolscope.Collect.Kernel;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Windows;

/// <summary>Checks whether the kernel of Windows can be recorded. ETW has runtime and kernel in one session, which
/// <see cref="EtwCollect"/> starts. So this tier starts nothing; beside EventPipe it gives the reason why
/// not.</summary>
/// <param name="failure">The error of an attempt, or null if none was made.</param>
[SupportedOSPlatform("windows")]
internal sealed class EtwTier(string? failure = null) : IKernelTier
{
    public string Name => "etw";

    public KernelAccess Probe(int? pid) => failure is not null ? new KernelAccess(false, failure, "Try again, or record with PerfView: `poolscope-collect recipe perfview`")
        : EtwRecording.IsElevated ? new KernelAccess(true, "this process is elevated", "")
        : new KernelAccess(false, "ETW's kernel events need an administrator", "Run from a prompt that was started as administrator");

    public IKernelStream Start(KernelRequest request)
    {
        var access = Probe(request.TargetPid);
        throw new KernelRefusedException(access.Why, access.How);
    }
}
