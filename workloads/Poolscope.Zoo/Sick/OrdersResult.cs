using Microsoft.AspNetCore.Mvc;
using Zoo.Running;

namespace Shop.Checkout;

/// <summary>A controller that reads `.Result` of an HTTP call.</summary>
internal static class Checkout
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        var payments = Child.Remote(stage, delayMs: 400);
        builder.Services.AddSingleton(new HttpClient { BaseAddress = new Uri(payments) });
        builder.Services.AddControllers();
        var app = builder.Build();
        app.MapControllers();
        var route = stage.Fixed ? "/checkout/awaited" : "/checkout";
        app.Serve(stage, $"{route}/1@1@0@2", $"{route}/2@60@2@end");
    }
}

[ApiController]
[Route("checkout")]
public sealed class CheckoutController(HttpClient http) : ControllerBase
{
    [HttpGet("{basket:int}")]
    public ActionResult<string> Pay(int basket)
    {
        var answer = http.GetAsync($"pay/{basket}").Result;
        return answer.Content.ReadAsStringAsync().Result;
    }

    [HttpGet("awaited/{basket:int}")]
    public async Task<ActionResult<string>> PayAsync(int basket)
    {
        var answer = await http.GetAsync($"pay/{basket}");
        return await answer.Content.ReadAsStringAsync();
    }
}
