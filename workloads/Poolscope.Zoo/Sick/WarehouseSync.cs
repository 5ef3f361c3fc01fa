using Zoo.Running;

namespace Shop.Warehouse;

/// <summary>Calls a service with the blocking HttpClient.Send; the service was quick and became slow.</summary>
internal static class WarehouseSync
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        var inventory = Child.Remote(stage, delayMs: 10, slowMs: 2000);
        builder.Services.AddSingleton(new HttpClient { BaseAddress = new Uri(inventory) });
        builder.Services.AddSingleton<WarehouseClient>();
        var app = builder.Build();
        if (stage.Fixed)
        {
            app.MapGet("/shelf/{id:int}", (int id, WarehouseClient client) => client.CountAsync(id));
        }
        else
        {
            app.MapGet("/shelf/{id:int}", (int id, WarehouseClient client) => client.Count(id));
        }

        app.Serve(stage, "/shelf/1@20@0@end");
    }
}

public sealed class WarehouseClient(HttpClient http)
{
    public string Count(int shelf)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"shelf/{shelf}");
        using var answer = http.Send(request);
        using var reader = new StreamReader(answer.Content.ReadAsStream());
        return reader.ReadToEnd();
    }

    public Task<string> CountAsync(int shelf) => http.GetStringAsync($"shelf/{shelf}");
}
