using Poolscope.Fuzz.Formats;
using SharpFuzz;

namespace Poolscope.Fuzz.Guided;

/// <summary>The program that `./build.sh fuzz --guided` runs, one verb after another. Its copy of the decoder is instrumented.</summary>
internal static class Program
{
    private const int Usage = 2;

    private static int Main(string[] words)
    {
        var arguments = new Arguments(words);
        if (arguments.Verb == "formats")
        {
            Console.WriteLine(string.Join('\n', FileFormats.All.Where(format => !format.IsReadByTraceEvent).Select(format => format.Name)));
            return 0;
        }

        var map = new EdgeMap(); // before any instrumented code: reading the seeds runs some
        Action<Arguments, EdgeMap>? work = arguments.Verb switch
        {
            "seeds" => InputFiles.WriteSeeds,
            "run" => Run,
            "judge" => Judging.Run,
            "structured" => Structured.Run,
            "plain" => Structured.RunPlain,
            _ => null,
        };
        work?.Invoke(arguments, map);
        return work is null ? Usage : 0;
    }

    /// <summary>Decodes the inputs that afl-fuzz writes to standard input, until afl-fuzz ends. A separate process decodes, so an
    /// input that crashes or hangs it costs only a new process.</summary>
    private static void Run(Arguments arguments, EdgeMap unused)
    {
        using var inputs = new GuidedInputs(arguments.Format, arguments.Seeds, arguments.Memory);
        using var bytes = new MemoryStream();
        Fuzzer.OutOfProcess.Run(stream =>
        {
            bytes.SetLength(0);
            stream.CopyTo(bytes);
            SharpFuzz.Common.Trace.PrevLocation = 0;
            if (inputs.Miss(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)) is { } missed)
            {
                throw new InvalidDataException(missed);
            }
        });
    }
}
