namespace Poolscope.Collect.Terminal;

/// <summary>Where a verb writes: data on <see cref="Out"/>, everything that is said to a person on <see cref="Error"/>.</summary>
public interface ICommandConsole
{
    TextWriter Out { get; }

    TextWriter Error { get; }

    /// <summary>Progress is shown only where someone watches.</summary>
    bool ErrorIsTerminal { get; }

    /// <summary>Colour may be used on <see cref="Error"/>: it is a terminal, and NO_COLOR is not set.</summary>
    bool Color { get; }
}

/// <summary>The process's own streams.</summary>
public sealed class SystemConsole : ICommandConsole
{
    public TextWriter Out => Console.Out;

    public TextWriter Error => Console.Error;

    public bool ErrorIsTerminal => !Console.IsErrorRedirected;

    public bool Color => ErrorIsTerminal
        && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"))
        && Environment.GetEnvironmentVariable("TERM") != "dumb";
}

public static class CommandConsoleExtensions
{
    private const string Red = "\e[31m";
    private const string Yellow = "\e[33m";
    private const string Reset = "\e[0m";

    /// <summary>The one line that a failed command leaves.</summary>
    public static void Fail(this ICommandConsole console, string message) => console.Say(Red, $"{CommandName.Own}: ", message);

    public static void Warn(this ICommandConsole console, string message) => console.Say(Yellow, "warning: ", message);

    private static void Say(this ICommandConsole console, string color, string label, string message)
    {
        // A message may quote a file name, and a file name may hold a line break: one line is promised.
        var line = CommandName.InOwnWords(message).ReplaceLineEndings(" ");
        console.Error.WriteLine(console.Color ? $"{color}{label}{Reset}{line}" : label + line);
    }
}
