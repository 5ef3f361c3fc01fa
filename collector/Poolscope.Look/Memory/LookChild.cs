using System.Globalization;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory;

/// <summary>The process that reads: a look runs in a process of its own, because a thread that ends while its stack is walked
/// can end the reader. It writes what it has found line by line, the surest first.</summary>
public static class LookChild
{
    /// <summary>First argument of the command line that becomes a reader.</summary>
    public const string Verb = "look-reader";

    private const int Tries = 3;

    public const string Process = "process";
    public const string Dump = "dump";

    /// <param name="kind"><see cref="Process"/> or <see cref="Dump"/>.</param>
    /// <param name="target">A pid or a path.</param>
    /// <param name="time">Of its CPU, after which it begins nothing new.</param>
    public static IReadOnlyList<string> Arguments(string kind, string target, string? dac, TimeSpan time) =>
        [Verb, kind, target, ((long)time.TotalMilliseconds).ToString(CultureInfo.InvariantCulture), .. dac is null ? (string[])[] : [dac]];

    /// <param name="arguments">As <see cref="Arguments"/> makes them, without the verb.</param>
    public static int Run(IReadOnlyList<string> arguments, Stream output)
    {
        using var writer = new StreamWriter(output) { AutoFlush = true };
        var hasSaid = false;
        void Say(LookLine line)
        {
            hasSaid = true;
            writer.WriteLine(LookJson.Text(line));
        }

        try
        {
            var limits = new LookLimits { Time = TimeSpan.FromMilliseconds(int.Parse(arguments[2], CultureInfo.InvariantCulture)) };
            var dac = arguments.Count > 3 ? arguments[3] : null;
            for (var tries = 1; ; tries++)
            {
                using var looker = arguments[0] == Process
                    ? Looker.Attach(int.Parse(arguments[1], CultureInfo.InvariantCulture), dac)
                    : Looker.Load(arguments[1], dac);
                if (looker.Look(limits, arguments[0] == Dump || tries == Tries, Say))
                {
                    break;
                }
            }

            return 0;
        }
        catch (LookException e)
        {
            Say(new LookLine { Error = e.Message.ReplaceLineEndings(" ") });
            return 3;
        }
        catch (IOException)
        {
            return 0; // the caller is gone
        }
#pragma warning disable CA1031 // Memory that changes while it is read, or that was damaged, may break the library anywhere.
        catch (Exception e)
#pragma warning restore CA1031
        {
            // What was said before counts, and a process can be looked at once more.
            if (!hasSaid && arguments[0] == Dump)
            {
                Say(new LookLine { Error = $"its memory cannot be read: {e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")}" });
            }

            return 3;
        }
    }
}
