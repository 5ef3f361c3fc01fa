using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Poolscope.Look.Judging;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Telling;

/// <summary>A look for scripts: what `look --json` prints, in snake case.</summary>
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

/// <param name="About">The limits changed between two looks.</param>
public sealed record PoolDocument(int? Minimum, int? Maximum, int? Goal, int? Active, int? Idle, bool About);

/// <param name="About">Not every queue was read to its end.</param>
public sealed record QueueDocument(int Length, bool About, IReadOnlyList<QueuedItems> Items);

/// <param name="NotRead">Threads whose stacks are not known; null: all.</param>
public sealed record ThreadsDocument(int Workers, int Inside, int Blocked, int Running, int? NotRead, IReadOnlyList<GroupDocument> Groups, IReadOnlyList<OtherDocument> Others);

/// <summary>Workers inside items, with the same stack.</summary>
/// <param name="Place">Where in the source of the method they are, such as Orders.cs:41; null: not known.</param>
public sealed record GroupDocument(int Count, string? Method, string? Place, string? Entry, bool Waits, string? Call, IReadOnlyList<string> Frames);

/// <summary>A thread of the program that is none of the pool's.</summary>
public sealed record OtherDocument(uint OsId, string? Method, string? Call, IReadOnlyList<string> Frames);

/// <summary>A lock that a thread holds.</summary>
/// <param name="Method">The program's method that its owner is in.</param>
/// <param name="Call">What that method waits in; null: it runs, or its stack was not read.</param>
/// <param name="Frames">Of the owner; null: not read.</param>
public sealed record LockDocument(string Type, uint? Owner, int? Waiting, string? Method, string? Call, IReadOnlyList<string>? Frames);

/// <param name="Ended">Items that ended meanwhile; null: not known.</param>
public sealed record MovedDocument(double Seconds, long? Ended, bool? Taken, int QueueBefore, int QueueAfter);

public sealed record VerdictDocument(string Id, string Confidence, string Why, string Next);

/// <summary>Writes the document by generated code: what the JSON library compiles to know a type is a large part of a look.</summary>
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
