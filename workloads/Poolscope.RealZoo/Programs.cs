using Zoo.Running;

namespace Real;

/// <summary>Every program by its name. eval/zoo/real.json has the expected answers.</summary>
internal static class Programs
{
    /// <summary>Gets the programs, by the server that they need.</summary>
    public static IReadOnlyDictionary<string, Action<Stage>> All { get; } = new Dictionary<string, Action<Stage>>
    {
        ["pg-async"] = Erp.Orders.OrderDesk.Awaited,
        ["pg-sync-quick"] = Erp.Orders.OrderDesk.SyncQuick,
        ["pg-four-suffice"] = Erp.Orders.OrderDesk.FourSuffice,
        ["pg-batch-async"] = Erp.Night.NightBatch.Awaited,
        ["ef-async"] = Billing.Invoices.InvoicePortal.Awaited,
        ["pg-sync-burst"] = Erp.Orders.OrderDesk.SyncBurst,
        ["pg-exhausted"] = Erp.Orders.OrderDesk.Exhausted,
        ["pg-exhausted-sync"] = Erp.Orders.OrderDesk.ExhaustedSync,
        ["pg-locked"] = Erp.Stock.LockedTable.Run,
        ["pg-batch-sync"] = Erp.Night.NightBatch.Run,
        ["ef-sync"] = Billing.Invoices.InvoicePortal.Run,
        ["redis-async"] = Shop.Basket.BasketService.Awaited,
        ["redis-sync-roomy"] = Shop.Basket.BasketService.SyncRoomy,
        ["redis-channel"] = News.Feed.NewsFeed.Run,
        ["redis-paused"] = Shop.Basket.BasketService.Paused,
        ["redis-sync"] = Shop.Basket.BasketService.Sync,
        ["redis-sync-paused"] = Shop.Basket.BasketService.SyncPaused,
        ["redis-script"] = Shop.Basket.BasketService.BehindScript,
        ["rabbit-async"] = Parcels.Intake.ParcelConsumer.Awaited,
        ["rabbit-blocking"] = Parcels.Intake.ParcelConsumer.Run,
        ["grpc-async"] = Trade.Quotes.QuoteServer.Awaited,
        ["grpc-streams"] = Trade.Quotes.QuoteServer.Streams,
        ["grpc-few"] = Trade.Fan.QuoteFanOut.Few,
        ["grpc-blocking"] = Trade.Quotes.QuoteServer.Blocking,
        ["grpc-fan-out"] = Trade.Fan.QuoteFanOut.Run,
        ["hub-at-once"] = Team.Chat.TeamHub.AtOnce,
        ["hub-in-turn"] = Team.Chat.TeamHub.InTurn,
        ["hangfire-own"] = Mail.Jobs.MailJobs.OwnWorkers,
        ["hangfire-spread"] = Mail.Jobs.MailJobs.Spread,
        ["serilog-async"] = Shop.Search.SearchPage.Background,
        ["serilog-slow-pipe"] = Shop.Search.SearchPage.Slow,
        ["console-quick-pipe"] = Rail.Tickets.TicketPage.Quick,
        ["console-slow-pipe"] = Rail.Tickets.TicketPage.Slow,
        ["tls-unchecked"] = Partner.Calls.PartnerCalls.Unchecked,
        ["tls-revocation"] = Partner.Calls.PartnerCalls.Checked,
        ["nginx-async"] = Energy.Tariffs.TariffSite.Awaited,
        ["nginx-download"] = Maps.Download.MapDownload.BehindNginx,
        ["nginx-blocking"] = Energy.Tariffs.TariffSite.Blocking,
        ["slow-downloads"] = Maps.Download.MapDownload.SlowClients,
    };
}
