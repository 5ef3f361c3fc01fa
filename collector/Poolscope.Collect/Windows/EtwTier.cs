using System.Runtime.Versioning;
using Poolscope.Collect.Kernel;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Windows;

/// <summary>Tells doctor whether Windows' kernel can be recorded. On Windows runtime and kernel are one session, which
/// <see cref="WindowsCollectCommand"/> starts; so this starts nothing.</summary>
[SupportedOSPlatform("windows")]
internal sealed class EtwTier : IKernelTier
{
    public string Name => "etw";

    public KernelAccess Probe(int? pid) => EtwRecording.IsElevated
        ? new KernelAccess(true, "this process is elevated", "")
        : new KernelAccess(false, "ETW's kernel events need an administrator", "Run from a prompt that was started as administrator");

    public IKernelStream Start(KernelRequest request) => throw new NotSupportedException();
}
