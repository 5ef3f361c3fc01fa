using Real;
using Real.Running;
using Zoo.Running;

// real-zoo list | real-zoo NAME [options of Stage.Read] | real-zoo client|... (what a program starts beside itself)
return args switch
{
    ["list"] => List(),
    ["client", .. var rest] => LoadClient.Run(rest),
    ["hub-clients", .. var rest] => HubClient.Run(rest),
    ["quote-clients", .. var rest] => Trade.Quotes.QuoteClients.Run(rest),
    ["quote-server", .. var rest] => Trade.Fan.QuoteFanOut.Serve(rest),
    ["downloads", .. var rest] => Maps.Download.MapDownload.Run(rest),
    ["parcel-sender", .. var rest] => Parcels.Intake.ParcelConsumer.Send(rest),
    ["report-script", .. var rest] => Shop.Basket.BasketService.Report(rest),
    ["partner", .. var rest] => Partner.Calls.PartnerCalls.Partner(rest),
    ["migrate", .. var rest] => Erp.Stock.LockedTable.Migrate(rest),
    ["slow-pipe", .. var rest] => SlowPipe.Run(rest),
    ["pause", .. var rest] => Signals.Pause(rest),
    ["spin", var seconds] => Spinner.Run(Spoken.Number(seconds)),
    [var name, .. var rest] when Programs.All.TryGetValue(name, out var program) => Start(program, rest),
    _ => Refuse(),
};

static int Start(Action<Stage> program, string[] options)
{
    var stage = Stage.Read(options);
    stage.EndOnTime();
    program(stage);
    stage.AwaitEnd();
    return 0;
}

static int List()
{
    foreach (var name in Programs.All.Keys)
    {
        Console.WriteLine(name);
    }

    return 0;
}

static int Refuse()
{
    Console.Error.WriteLine("usage: real-zoo NAME [options as of zoo], or real-zoo list");
    return 2;
}
