namespace Zoo.Running;

/// <summary>Every program by its name. What each must be told is in analysis/zoo/expected.json.</summary>
internal static class Programs
{
    /// <summary>Gets the programs, the healthy ones first.</summary>
    public static IReadOnlyDictionary<string, Action<Stage>> All { get; } = new Dictionary<string, Action<Stage>>
    {
        ["orders-cold"] = Shop.Orders.OrdersAsync.Cold,
        ["orders-warm"] = Shop.Orders.OrdersAsync.Warm,
        ["reminders"] = Clinic.Reminders.ReminderService.Run,
        ["price-fan-out"] = Prices.Collector.PriceFanOut.Run,
        ["thumbnails"] = Media.Thumbnails.Thumbnails.Run,
        ["route-reports"] = Logistics.Reports.RouteReports.Run,
        ["session-cache"] = Web.Sessions.SessionCache.Run,
        ["mail-gateway"] = Mail.Gateway.MailGateway.Run,
        ["event-pipeline"] = Telemetry.Ingest.EventPipeline.Run,
        ["pool-tuner"] = Trading.Tuning.PoolTuner.Run,
        ["booking-api"] = Travel.Booking.BookingApi.Run,
        ["invoice-worker"] = InvoiceWorker.Service.Run,
        ["barcode-scanner"] = Warehouse.Scanning.BarcodeScanner.Run,
        ["archive"] = Records.Archive.Archive.Run,
        ["export-limiter"] = Crm.Export.ExportLimiter.Run,
        ["label-queue"] = Shipping.Labels.LabelQueue.Run,
        ["night-job"] = Backup.Night.NightJob.Run,
        ["stock-async"] = Shop.Stock.StockAsync.Run,
        ["catalog-locks"] = Shop.Catalog.CatalogLocks.Run,
        ["checkout-result"] = Shop.Checkout.Checkout.Run,
        ["payments-getresult"] = Bank.Payments.Payments.Run,
        ["import-poller"] = Erp.Import.ImportPoller.Run,
        ["quarter-reports"] = Finance.Reports.QuarterReports.Run,
        ["geocode-limiter"] = Maps.Geocoding.GeocodeLimiter.Run,
        ["customer-database"] = Crm.Customers.CustomerDatabase.Run,
        ["price-catalog"] = Shop.Pricing.PriceCatalog.Run,
        ["tax-service"] = Billing.Tax.TaxService.Run,
        ["feature-flags"] = Platform.Flags.FeatureFlags.Run,
        ["dispatch-desk"] = Taxi.Dispatch.DispatchDesk.Run,
        ["tenant-mailboxes"] = Chat.Mailboxes.TenantMailboxes.Run,
        ["scale-import"] = Factory.Scales.ScaleImport.Run,
        ["geo-lookup"] = Ads.Geo.GeoLookup.Run,
        ["sensor-loops"] = Plant.Sensors.SensorLoops.Run,
        ["pricing-engine"] = Options.Pricing.PricingEngine.Run,
        ["bulk-upload"] = Photos.Upload.BulkUpload.Run,
        ["health-watchdog"] = Ops.Watchdog.HealthWatchdog.Run,
        ["partner-gateway"] = Partner.Gateway.PartnerGateway.Run,
        ["video-encoder"] = Media.Video.VideoEncoder.Run,
        ["metrics-rollup"] = Metrics.Rollup.MetricsRollup.Run,
        ["billing-run"] = Billing.Run.BillingRun.Run,
        ["cohort-analytics"] = Analytics.Cohorts.CohortAnalytics.Run,
        ["warehouse-sync"] = Shop.Warehouse.WarehouseSync.Run,
        ["account-ledger"] = Bank.Ledger.AccountLedger.Run,
        ["search-api"] = Shop.Search.SearchApi.Run,
    };
}
