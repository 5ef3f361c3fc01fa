"""Options of `collect` under `record`: by the same names, and judged by the collector."""

from __future__ import annotations

import functools
from collections.abc import Callable

import click

from poolscope.cli.completion import one_of

NAMED = {
    "--kernel": ("TIER", "Scheduler events: auto, tracepoint, switch, schedstat, etw or none. Default: auto."),
    "--scope": (
        "SCOPE",
        "Tier tracepoint: system (all processes) or target (this process's threads alone). Default: system.",
    ),
    "--poll-step": ("TIME", "Tier schedstat: time between two polls of the threads. Default: 10ms."),
    "--max-size": ("SIZE", "Size of streams and tables at which the recording ends, such as 500MB. Default: 2GB."),
    "--buffersize": ("SIZE", "Room for events inside the process, per session. Default: 256MB."),
    "--snapshots": ("TIME", "Mean time between two snapshots of all stacks; 0 takes none. Default: 1s."),
}
"""Options with one value: what stands for it, and the help."""
REPEATED = {
    "--label": ("KEY=VALUE", "A label of the capture; `fleet` groups by it. Repeatable. Default: none."),
    "--activities": ("SOURCE", "Also record the activities of this ActivitySource. Repeatable. Default: none."),
}
FLAGS = {
    "--no-waits": "Do not record the stacks of waits.",
    "--no-look": "Do not read the process's memory for the limits of its pool and its queue.",
    "--no-sockets": "Do not record TCP sockets.",
    "--no-requests": "Do not record the requests of ASP.NET Core and the calls through HttpClient.",
}
OTHERWISE = {"--process-id", "--name", "--duration", "--output", "--no-decode"}
"""Options of `collect` that `record` has itself, that it calls --capture, or that would leave it nothing to judge."""
WORDS = {
    "--kernel": ("auto", "tracepoint", "switch", "schedstat", "etw", "none"),
    "--scope": ("system", "target"),
}
"""What Tab offers."""


def recorder_options(verb: Callable[..., object]) -> Callable[..., object]:
    """Adds these options. The verb gets those that were given as `recorder`, words for the collector."""

    @functools.wraps(verb)
    def with_words(*arguments: object, **values: object) -> object:
        words: list[str] = []
        for name in (*NAMED, *REPEATED, *FLAGS):
            value = values.pop(_key(name))
            if value is True:
                words.append(name)
            elif isinstance(value, str):
                words.append(f"{name}={value}")
            elif isinstance(value, tuple):
                words.extend(f"{name}={one}" for one in value)
        return verb(*arguments, recorder=tuple(words), **values)

    decorated: Callable[..., object] = with_words
    for name, text in reversed(FLAGS.items()):
        decorated = click.option(name, _key(name), is_flag=True, help=text)(decorated)
    for name, (metavar, text) in reversed(REPEATED.items()):
        decorated = click.option(name, _key(name), multiple=True, metavar=metavar, help=text)(decorated)
    for name, (metavar, text) in reversed(NAMED.items()):
        complete = one_of(*WORDS.get(name, ()))
        decorated = click.option(name, _key(name), metavar=metavar, help=text, shell_complete=complete)(decorated)
    return decorated


def _key(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")
