using Microsoft.AspNetCore.Mvc;
using Zoo.Running;

namespace Shop.Orders;

/// <summary>An async order service. Cold: 60 clients at once run uncompiled code. Warm: it has served before.</summary>
internal static class OrdersAsync
{
    public static void Cold(Stage stage) => Open().Serve(stage, "/orders/7@x60@0", "/orders/8@110@0@end");

    public static void Warm(Stage stage) => Open().Serve(stage, "/orders/7@8@0@2", "/orders/8@110@2@end");

    private static WebApplication Open()
    {
        var builder = Site.NewBuilder();
        builder.Services.AddSingleton<OrderStore>();
        builder.Services.AddControllers();
        var app = builder.Build();
        app.MapControllers();
        return app;
    }
}

public sealed class OrderStore
{
    public async Task<Order> FindAsync(int id)
    {
        await Task.Delay(20);
        var lines = Enumerable.Range(1, 5).Select(n => new OrderLine($"SKU-{id}-{n}", n, 9.95m * n)).ToList();
        return new Order(id, lines, lines.Sum(l => l.Price * l.Quantity));
    }
}

public sealed record OrderLine(string Sku, int Quantity, decimal Price);

public sealed record Order(int Id, List<OrderLine> Lines, decimal Total);

[ApiController]
[Route("orders")]
public sealed class OrdersController(OrderStore store) : ControllerBase
{
    [HttpGet("{id:int}")]
    public async Task<ActionResult<Order>> Get(int id)
    {
        var order = await store.FindAsync(id);
        return order.Lines.Count == 0 ? NotFound() : order;
    }
}
