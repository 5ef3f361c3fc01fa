using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Telling;

/// <summary>A look for scripts: the output of `look --json`, in snake case.</summary>
public sealed record LookDocument(
    string Target,
    string? Runtime,
    PoolDocument Pool,
    QueueDocument Queue,
    ThreadsDocument Threads,
    IReadOnlyList<LockDocument> Locks,
    IReadOnlyList<TimerLine> Timers,
    MovedDocument? Moved,
    VerdictDocument Verdict,
    string Text)
{
    public static LookDocument Of(string target, PoolLook look, LookVerdict verdict, string next)
    {
        var (view, first) = (look.Stacks, look.First.Reading);
        var queues = first.Queues!;
        return new LookDocument(
            target,
            first.Runtime?.Version,
            new PoolDocument(first.Pool!.Minimum, first.Pool.Maximum, first.Pool.Goal, first.Pool.Active, first.Pool.Idle, look.LimitsChanged),
            new QueueDocument(queues.Length, !queues.Complete, queues.Items),
            new ThreadsDocument(
                view.Workers.Count,
                view.Inside,
                view.Blocked,
                view.Running,
                view.Reading.ThreadCount is null ? null : view.Reading.ThreadsNotRead,
                [.. view.Groups.Select(Group)],
                [.. view.Others.Select(thread => new OtherDocument(thread.OsId, thread.Method, thread.Call, thread.Frames))]),
            [.. view.Reading.Locks.Select(held => Lock(held, view.Of(held.Owner)))],
            view.Reading.Timers,
            look.Second is { } second && look.Apart is { } apart ? new MovedDocument(apart, look.Ended, look.Taken, first.Queues!.Length, second.Queued) : null,
            new VerdictDocument(verdict.Id, verdict.Confidence, verdict.Why, next),
            LookText.Answer(view));
    }

    private static LockDocument Lock(LockLine held, PoolThread? owner) =>
        new(held.Type, held.Owner, held.Waiting, owner?.Method, owner is { Blocked: true } ? owner.Call : null, owner?.Frames);

    private static GroupDocument Group(StackGroup group) => new(
        group.Count, group.Thread.Method, group.Thread.Place, group.Thread.Entry, group.Thread.Blocked, group.Thread.Call, group.Thread.Frames);
}

/// <param name="About">True if the limits changed between the two looks.</param>
public sealed record PoolDocument(int? Minimum, int? Maximum, int? Goal, int? Active, int? Idle, bool About);

/// <param name="About">True if not every queue was read to its end.</param>
public sealed record QueueDocument(int Length, bool About, IReadOnlyList<QueuedItems> Items);

/// <param name="NotRead">Number of threads whose stacks are not known; null: no stack is known.</param>
public sealed record ThreadsDocument(int Workers, int Inside, int Blocked, int Running, int? NotRead, IReadOnlyList<GroupDocument> Groups, IReadOnlyList<OtherDocument> Others);

/// <summary>Workers inside items, with the same stack.</summary>
/// <param name="Place">The source line that the method is at, such as Orders.cs:41; null: not known.</param>
public sealed record GroupDocument(int Count, string? Method, string? Place, string? Entry, bool Waits, string? Call, IReadOnlyList<string> Frames);

/// <summary>A thread of the program outside the pool.</summary>
public sealed record OtherDocument(uint OsId, string? Method, string? Call, IReadOnlyList<string> Frames);

/// <summary>A lock that a thread holds.</summary>
/// <param name="Method">The program's method that the owner is in.</param>
/// <param name="Call">The call in which that method waits; null: it runs, or its stack was not read.</param>
/// <param name="Frames">The owner's stack; null: not read.</param>
public sealed record LockDocument(string Type, uint? Owner, int? Waiting, string? Method, string? Call, IReadOnlyList<string>? Frames);

/// <param name="Ended">Number of items that ended between the looks; null: not known.</param>
public sealed record MovedDocument(double Seconds, long? Ended, bool? Taken, int QueueBefore, int QueueAfter);

public sealed record VerdictDocument(string Id, string Confidence, string Why, string Next);

/// <summary>Writes the document with generated code: the code that the JSON library compiles to learn a type would take
/// a large part of a look.</summary>
[JsonSourceGenerationOptions(GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(LookDocument))]
public sealed partial class LookDocumentJson : JsonSerializerContext
{
    public static string Text(LookDocument document)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { Indented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping })) // method names keep their angle brackets
        {
            Default.LookDocumentSerializeHandler(writer, document);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
