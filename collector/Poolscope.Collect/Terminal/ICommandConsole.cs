namespace Poolscope.Collect.Terminal;

/// <summary>The output of a verb: data goes to <see cref="Out"/>, text for the user to <see cref="Error"/>.</summary>
public interface ICommandConsole
{
    TextWriter Out { get; }

    TextWriter Error { get; }

    /// <summary>Whether <see cref="Error"/> is a terminal. Progress is shown only there.</summary>
    bool ErrorIsTerminal { get; }

    /// <summary>Whether <see cref="Error"/> may have colours: it is a terminal, and NO_COLOR is not set.</summary>
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

    /// <summary>Writes the one line that a failed command leaves.</summary>
    public static void Fail(this ICommandConsole console, string message) => console.Say(Red, $"{CommandName.Own}: ", message);

    public static void Warn(this ICommandConsole console, string message) => console.Say(Yellow, "warning: ", message);

    private static void Say(this ICommandConsole console, string color, string label, string message)
    {
        // A message may quote a file name that holds a line break, but every message is one line.
        var line = CommandName.InOwnWords(message).ReplaceLineEndings(" ");
        console.Error.WriteLine(console.Color ? $"{color}{label}{Reset}{line}" : label + line);
    }
}
