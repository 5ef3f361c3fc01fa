using Zoo.Running;

namespace Logistics.Reports;

/// <summary>Runs a short Parallel.For four times a second.</summary>
internal static class RouteReports
{
    public static void Run(Stage stage) => stage.Pace(4, _ => Summarise());

    private static void Summarise()
    {
        var lengths = new double[400];
        Parallel.For(0, lengths.Length, i => lengths[i] = RouteLength(i));
        if (lengths.Sum() < 0)
        {
            throw new InvalidOperationException("a route of negative length");
        }
    }

    private static double RouteLength(int route)
    {
        double x = route, length = 0;
        for (var stop = 1; stop < 3000; stop++)
        {
            x = Math.Sin(x * stop);
            length += Math.Abs(x);
        }

        return length;
    }
}
