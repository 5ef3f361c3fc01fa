using Poolscope.Service.Commands;

return CommandLine.Run(args, Console.Out, Console.Error);
