using Zoo;
using Zoo.Running;

// zoo list | zoo NAME [options of Stage.Read] | zoo client|hub-clients|remote|cache|streams|spin|pause ... (children)
return args switch
{
    ["client", .. var rest] => LoadClient.Run(rest),
    ["remote", .. var rest] => RemoteService.Run(rest),
    ["spin", var seconds] => Spinner.Run(Spoken.Number(seconds)),
    ["pause", .. var rest] => Signals.Pause(rest),
    ["cache", var seconds] => CacheServer.Run(Spoken.Number(seconds)),
    ["streams", var seconds, var delay, var limit] => StreamServer.Run(Spoken.Number(seconds), int.Parse(delay), int.Parse(limit)),
    ["hub-clients", .. var rest] => HubClient.Run(rest),
    ["mute-dns", var seconds] => MuteNameServer.Run(Spoken.Number(seconds)),
    _ => CommandLine.Run(
        args,
        Programs.All,
        "usage: zoo NAME [--seconds N] [--onset S] [--probe] [--load-until S] [--clock] [--fixed] [--dedicated] [--min-threads N] [--max-threads N], or zoo list"),
};
