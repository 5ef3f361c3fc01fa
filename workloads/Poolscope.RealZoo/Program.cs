using Real;
using Real.Running;
using Zoo.Running;

// real-zoo list | real-zoo NAME [options of Stage.Read] | real-zoo client|... (children of a program)
return args switch
{
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
    _ => CommandLine.Run(
        args,
        Programs.All,
        "usage: real-zoo NAME [options as of zoo], or real-zoo list"),
};
