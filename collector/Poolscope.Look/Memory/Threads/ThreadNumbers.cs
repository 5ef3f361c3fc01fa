using System.Globalization;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Maps the thread ids that a process uses in its own pid namespace to those of the reader's
/// namespace.</summary>
internal sealed class ThreadNumbers
{
    private const string Field = "NSpid:";

    private readonly Dictionary<uint, uint> _here = [];

    /// <param name="tasks">The folder with a folder for each thread: /proc/PID/task.</param>
    public ThreadNumbers(string tasks)
    {
        try
        {
            foreach (var task in Directory.EnumerateDirectories(tasks))
            {
                if (!Add(Path.Combine(task, "status")))
                {
                    break; // all threads of a process are in the same namespaces
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The process ended: the ids read so far are enough.
        }
    }

    /// <summary>Gets a value indicating whether the process is in another pid namespace than the reader.</summary>
    public bool Differ { get; private set; }

    /// <summary>Returns the reader's id of the thread that the process calls <paramref name="there"/>.
    /// An unknown thread keeps its id.</summary>
    public uint Here(uint there) => Differ ? _here.GetValueOrDefault(there, there) : there;

    /// <returns>False if the thread is of the reader's own namespace.</returns>
    private bool Add(string status)
    {
        try
        {
            // NSpid: 4711 12, from this namespace to the innermost one.
            var line = File.ReadLines(status).FirstOrDefault(line => line.StartsWith(Field, StringComparison.Ordinal));
            var numbers = line?[Field.Length..].Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) ?? [];
            if (numbers.Length > 1 && uint.TryParse(numbers[0], CultureInfo.InvariantCulture, out var here) && uint.TryParse(numbers[^1], CultureInfo.InvariantCulture, out var there))
            {
                _here[there] = here;
                Differ = true;
            }

            return numbers.Length != 1;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true; // this thread ended meanwhile
        }
    }
}
