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
        app.Serve(stage, "/checkout/1@1@0@2", "/checkout/2@60@2@end");
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
}
