using System.ComponentModel;
using System.Diagnostics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;

namespace Poolscope.Collect.Kept;

/// <summary>Runs the user's program with each capture as its only argument. There is no shell: a path with a space is
/// one argument.</summary>
internal sealed class CaptureHook
{
    private readonly string _program;

    private CaptureHook(string program) => _program = program;

    /// <exception cref="CommandException">The program does not exist, or may not be run.</exception>
    public static CaptureHook? Find(string? program)
    {
        if (program is null)
        {
            return null;
        }

        var folders = program.Contains('/', StringComparison.Ordinal) ? [""] : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':', StringSplitOptions.RemoveEmptyEntries);
        var found = folders.Select(folder => Path.GetFullPath(Path.Combine(folder, program))).FirstOrDefault(Runs);
        return found is not null ? new CaptureHook(found)
            : throw new CommandException(ExitCode.Usage, $"--exec: there is no program {program} that can be run; it takes one program, which gets the capture as its argument");
    }

    /// <summary>Runs the program to its end. Its output goes to stderr, line by line.</summary>
    /// <param name="say">Receives one line.</param>
    /// <returns>The error, or null if the program ended with 0.</returns>
    public async Task<string?> RunAsync(string capture, Action<string> say)
    {
        var start = new ProcessStartInfo(_program, [capture])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using var process = PrivateFiles.StartWithOwnUmask(() => Process.Start(start))!;
            process.StandardInput.Close();
            await Task.WhenAll(CopyAsync(process.StandardOutput, say), CopyAsync(process.StandardError, say)).ConfigureAwait(false);
            await process.WaitForExitAsync().ConfigureAwait(false);
            return process.ExitCode == 0 ? null : $"{_program} ended with exit code {process.ExitCode} for {capture}";
        }
        catch (Exception e) when (e is Win32Exception or IOException or InvalidOperationException)
        {
            return $"{_program} cannot be run for {capture}: {e.Message}";
        }
    }

    private static async Task CopyAsync(StreamReader from, Action<string> say)
    {
        while (await from.ReadLineAsync().ConfigureAwait(false) is { } line)
        {
            say(line);
        }
    }

    private static bool Runs(string path) => File.Exists(path)
        && (OperatingSystem.IsWindows() || (File.GetUnixFileMode(path) & (UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute)) != 0);
}
