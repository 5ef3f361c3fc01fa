using System.Diagnostics;
using System.Globalization;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory;

/// <summary>The reader of a look, in a process of its own: a thread that ends while its stack is walked can end the
/// reader. It writes its findings line by line, the most certain first.</summary>
public static class LookChild
{
    /// <summary>The first argument of a reader's command line.</summary>
    public const string Verb = "look-reader";

    private const int Tries = 3;

    public const string Process = "process";
    public const string Dump = "dump";

    /// <param name="kind"><see cref="Process"/> or <see cref="Dump"/>.</param>
    /// <param name="target">A pid or a path.</param>
    /// <param name="time">CPU time after which a look begins nothing new.</param>
    /// <param name="again">Time from the first look to the second; null: the reader looks once.</param>
    public static IReadOnlyList<string> Arguments(string kind, string target, string? dac, TimeSpan time, TimeSpan? again = null) =>
        [Verb, kind, target, Milliseconds(time), Milliseconds(again ?? TimeSpan.Zero), .. dac is null ? (string[])[] : [dac]];

    /// <param name="arguments">The result of <see cref="Arguments"/>, without the verb.</param>
    public static int Run(IReadOnlyList<string> arguments, Stream output)
    {
        using var writer = new StreamWriter(output) { AutoFlush = true };
        var said = 0;
        void Say(LookLine line)
        {
            said++;
            writer.WriteLine(LookJson.Text(line));
        }

        try
        {
            var limits = new LookLimits { Time = TimeSpan.FromMilliseconds(int.Parse(arguments[2], CultureInfo.InvariantCulture)) };
            var again = TimeSpan.FromMilliseconds(int.Parse(arguments[3], CultureInfo.InvariantCulture));
            var dac = arguments.Count > 4 ? arguments[4] : null;
            var began = Stopwatch.GetTimestamp();
            Look();
            if (again > TimeSpan.Zero)
            {
                // The code for the second look is compiled by now, so it takes a fraction of the first one's time.
                var left = again - Stopwatch.GetElapsedTime(began);
                Thread.Sleep(left > TimeSpan.Zero ? left : TimeSpan.Zero);
                Look();
            }

            return 0;

            void Look()
            {
                var before = said;
                for (var tries = 1; ; tries++)
                {
                    try
                    {
                        using var looker = arguments[0] == Process
                            ? Looker.Attach(int.Parse(arguments[1], CultureInfo.InvariantCulture), dac)
                            : Looker.Load(arguments[1], dac);
                        if (looker.Look(limits, arguments[0] == Dump || tries == Tries, Say))
                        {
                            break;
                        }
                    }
                    catch (Exception e) when (e is not (LookException or IOException) && arguments[0] == Process && tries < Tries && said == before)
                    {
                        // The memory changed while the reader read its map or the pool. The code is compiled now, so
                        // another try is quick.
                    }
                }
            }
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
            // Lines that were already written count, and the caller can look at a process once more.
            if (said == 0 && arguments[0] == Dump)
            {
                Say(new LookLine { Error = $"its memory cannot be read: {e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")}" });
            }

            return 3;
        }
    }

    private static string Milliseconds(TimeSpan time) => ((long)time.TotalMilliseconds).ToString(CultureInfo.InvariantCulture);
}
