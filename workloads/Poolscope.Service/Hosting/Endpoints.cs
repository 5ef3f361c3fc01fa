using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Poolscope.Service.Database;

namespace Poolscope.Service.Hosting;

/// <summary>One request, one query, in three styles; a read of the cache; and an answer without either.</summary>
/// <remarks>Blame names methods, and methods as small as these are inlined into ASP.NET's dispatcher as soon as they are
/// hot (the compiler guesses a delegate's target from its profile): then no stack has them. Hence NoInlining.</remarks>
public sealed class Endpoints(DatabaseClient database, PriceCache cache)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Task Sync(HttpContext context)
    {
        database.Query();
        return AnswerAsync(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public Task SyncOverAsync(HttpContext context)
    {
        // The fault that this endpoint is there for.
        _ = database.QueryAsync().Result;
        return AnswerAsync(context);
    }

    public async Task AwaitAsync(HttpContext context)
    {
        await database.QueryAsync().ConfigureAwait(false);
        await AnswerAsync(context).ConfigureAwait(false);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public Task Cached(HttpContext context)
    {
        _ = cache.Read();
        return AnswerAsync(context);
    }

    /// <summary>Answers at once: for loads that the database would bound.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Task Plain(HttpContext context) => AnswerAsync(context);

    private static Task AnswerAsync(HttpContext context) => context.Response.WriteAsync("done\n");
}
