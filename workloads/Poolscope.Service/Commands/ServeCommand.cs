using System.CommandLine;
using System.Net;
using Poolscope.Service.Faults;
using Poolscope.Service.Hosting;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Service.Commands;

/// <summary>`serve`: runs the service and its database without a load, until Ctrl-C or SIGTERM.</summary>
internal static class ServeCommand
{
    public const string Name = "serve";

    public static readonly string[] Examples =
    [
        "poolscope-service serve",
        "poolscope-service serve --fault timer --db-ms 500 --max-threads 8",
    ];

    public static Command Create()
    {
        var options = new ServiceOptions();
        var command = new Command(Name, "Runs the service and its database without a load, until Ctrl-C or SIGTERM.");
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            var settings = options.Read(parsed);
            try
            {
                using var ended = new ManualResetEventSlim();
                using var signals = new EndingSignals(_ => ended.Set());
                using var pool = new RuntimePool();
                pool.Limit(settings.MinThreads, settings.MaxThreads);
                using var database = SlowServerProcess.Start(TimeSpan.FromMilliseconds(settings.DbMs), settings.Spell);
                using var service = WebService.Start(
                    settings.Fault.Fault, new IPEndPoint(IPAddress.Loopback, database.Port), TimeSpan.FromMilliseconds(settings.DbMs), https: settings.Https);
                var output = parsed.InvocationConfiguration.Output;
                foreach (var path in new[] { Paths.Sync, Paths.SyncOverAsync, Paths.Async, Paths.Cached, Paths.Plain })
                {
                    output.WriteLine(new Uri(service.Address, path));
                }

                output.Flush();
                ended.Wait();
                return ExitCode.Ok;
            }
            catch (Exception e) when (e is PoolRefusedException or WorkloadFailedException or IOException)
            {
                throw new CommandException(ExitCode.Failed, e.Message);
            }
        });
        return command;
    }
}
