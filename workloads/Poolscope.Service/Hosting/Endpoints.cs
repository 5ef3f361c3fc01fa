using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Poolscope.Service.Database;

namespace Poolscope.Service.Hosting;

/// <summary>One request with one query, in three styles; a read of the cache; and an answer without either.</summary>
/// <remarks>Blame names methods. The compiler inlines methods as small as these into ASP.NET's dispatcher as soon as
/// they are hot (it guesses a delegate's target from its profile), and then no stack has them. NoInlining prevents
/// this.</remarks>
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
        // The fault of this endpoint.
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

    /// <summary>Answers at once, for loads that the database would limit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Task Plain(HttpContext context) => AnswerAsync(context);

    private static Task AnswerAsync(HttpContext context) => context.Response.WriteAsync("done\n");
}
