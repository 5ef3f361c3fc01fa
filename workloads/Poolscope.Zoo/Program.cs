using Zoo;
using Zoo.Running;

// zoo list | zoo NAME [options of Stage.Read] | zoo client|hub-clients|remote|cache|streams|spin|pause ... (what a program starts beside itself)
return args switch
{
    ["list"] => List(),
    ["client", .. var rest] => LoadClient.Run(rest),
    ["remote", .. var rest] => RemoteService.Run(rest),
    ["spin", var seconds] => Spinner.Run(Spoken.Number(seconds)),
    ["pause", .. var rest] => Signals.Pause(rest),
    ["cache", var seconds] => CacheServer.Run(Spoken.Number(seconds)),
    ["streams", var seconds, var delay, var limit] => StreamServer.Run(Spoken.Number(seconds), int.Parse(delay), int.Parse(limit)),
    ["hub-clients", .. var rest] => HubClient.Run(rest),
    ["mute-dns", var seconds] => MuteNameServer.Run(Spoken.Number(seconds)),
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
    Console.Error.WriteLine("usage: zoo NAME [--seconds N] [--onset S] [--probe] [--load-until S] [--clock] [--fixed] [--dedicated] [--min-threads N] [--max-threads N], or zoo list");
    return 2;
}
