using System.Runtime.InteropServices;
using Poolscope.Collect.Errors;

namespace Poolscope.Collect.Facts;

/// <summary>Checks whether this machine has OpenSSL. TraceEvent, which reads the runtime's events, needs it on Linux:
/// it identifies a provider by the SHA-1 of its name, and .NET takes SHA-1 from OpenSSL.</summary>
/// <remarks>.NET ends the whole process if it finds no OpenSSL, so this class searches for it first.</remarks>
internal static class OpenSsl
{
    public const string Lacking = "OpenSSL (libssl and libcrypto, 3 or 1.1) is not installed here";

    /// <summary>The names that .NET tries, newest first:
    /// src/native/libs/System.Security.Cryptography.Native/opensslshim.c.</summary>
    private static readonly string[] Names = ["libssl.so.3", "libssl.so.1.1"];

    private static readonly Lazy<bool> Found = new(() => !OperatingSystem.IsLinux() || Candidates().Any(name => NativeLibrary.TryLoad(name, out _)));

    public static bool IsThere => Found.Value;

    /// <exception cref="CommandException">OpenSSL is missing, so no table can be made.</exception>
    public static void RequireToDecode(string how)
    {
        if (!IsThere)
        {
            throw new CommandException(ExitCode.Unreadable, $"{Lacking}, and the tables cannot be made without it: {how}");
        }
    }

    private static string[] Candidates() =>
        Environment.GetEnvironmentVariable("CLR_OPENSSL_VERSION_OVERRIDE") is { Length: > 0 } version ? [$"libssl.so.{version}", .. Names] : Names;
}
