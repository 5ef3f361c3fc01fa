using Microsoft.EntityFrameworkCore;
using Real.Running;
using Zoo.Running;

namespace Billing.Invoices;

/// <summary>A web service over Entity Framework Core: ToList or ToListAsync of a slow view.</summary>
internal static class InvoicePortal
{
    public static void Run(Stage stage) => Serve(stage, seconds: 0.3, rate: 30, synchronous: true);

    public static void Awaited(Stage stage) => Serve(stage, seconds: 0.015, rate: 30, synchronous: false);

    private static void Serve(Stage stage, double seconds, int rate, bool synchronous)
    {
        using (var first = new InvoiceContext())
        {
            first.Database.ExecuteSqlRaw("drop view if exists invoices");
            first.Database.ExecuteSqlRaw(FormattableString.Invariant(
                $"create view invoices as select n as id, 'customer ' || n || pg_sleep({seconds / 3}) as customer from generate_series(1, 3) n"));
        }

        var app = Site.NewBuilder().Build();
        if (synchronous)
        {
            app.MapGet("/invoices/{customer:int}", (int customer) => InvoiceStore.Newest(customer));
        }
        else
        {
            app.MapGet("/invoices/{customer:int}", (int customer) => InvoiceStore.NewestAsync(customer));
        }

        var onset = Spoken.Of(stage.Onset);
        app.Serve(stage, $"/invoices/1@1@0@{onset}", $"/invoices/2@{rate}@{onset}@end");
    }
}

internal static class InvoiceStore
{
    public static int Newest(int customer)
    {
        using var context = new InvoiceContext();
        var newest = context.Invoices.Where(i => i.Id >= 0 && customer > 0).ToList();
        return newest.Count;
    }

    public static async Task<int> NewestAsync(int customer)
    {
        await using var context = new InvoiceContext();
        var newest = await context.Invoices.Where(i => i.Id >= 0 && customer > 0).ToListAsync();
        return newest.Count;
    }
}

internal sealed class InvoiceContext : DbContext
{
    public DbSet<Invoice> Invoices => Set<Invoice>();

    protected override void OnConfiguring(DbContextOptionsBuilder options) => options.UseNpgsql(Servers.Postgres);

    protected override void OnModelCreating(ModelBuilder model) => model.Entity<Invoice>(invoice =>
    {
        invoice.ToView("invoices");
        invoice.Property(i => i.Id).HasColumnName("id");
        invoice.Property(i => i.Customer).HasColumnName("customer");
    });
}

internal sealed class Invoice
{
    public int Id { get; set; }

    public string Customer { get; set; } = "";
}
