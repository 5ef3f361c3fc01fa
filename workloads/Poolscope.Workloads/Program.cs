using Poolscope.Workloads.Commands;

return CommandLine.Run(args, Console.Out, Console.Error);
