"""The types of capture.json: one class for each object.

Generated from traces/schema.json by `./build.sh docs`; edit that file instead.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ManifestJson(TypedDict):
    """capture.json: the process, its machine, the files of the recording, and what the collector could not record."""

    format: int
    """The version of the capture format; a program reads its own alone."""
    tool: ToolJson
    """What recorded it."""
    status: NotRequired[str | None]
    """`recording`; `complete`; `incomplete` (every stream ended as it should, and events were lost, or the target
    refused its runtime stream and only the kernel's stream shows it); or `cut` (a stream ended early: the target
    was killed, the disk or `--max-size` was full, ...). None: not known."""
    stop: NotRequired[str | None]
    """`duration`, `signal`, `target-exit`, `target-killed`, or `max-size`. None: while it is recorded."""
    clock: ClockJson
    """The one clock of all streams."""
    host: HostJson
    """The machine."""
    target: TargetJson
    """The process."""
    labels: NotRequired[dict[str, str] | None]
    """Given while recording (`--label service=shop --label version=1.2`), for `poolscope fleet` to group by: at most
    32 keys of 1 to 64 of `a-z`, `0-9`, `_`, `.` and `-`, each with a text of at most 256 characters. None: none
    was given."""
    made_from: NotRequired[list[SourceFileJson] | None]
    """The files of other tools that `decode` made the capture from (docs/other-tools.md). For a text of `perf
    script`, the folder holds a copy, `sched.script.txt`, and a `sched.perf.data` made from it. `runtime.nettrace`
    then holds stacks, methods and the profiler's samples too, and `target` the default configuration. None:
    Poolscope recorded it."""
    pool: NotRequired[PoolJson | None]
    """Written by `decode`, only if a reference pool of the bundled workloads wrote events: the tables then hold its
    items. None: the items are the runtime's own pool's."""
    look: NotRequired[LookJson | None]
    """Only of a target that ran already: the pool as the collector found it in the target's memory right before the
    recording (`--no-look` leaves it out). None: the memory could not be read."""
    look_at_end: NotRequired[LookJson | None]
    """The same when the recording ended, or, in a capture of `watch`, when its condition was met; of launched
    processes too. None: the process had ended, or the memory could not be read."""
    tables: NotRequired[dict[str, int] | None]
    """Written by `decode`: how many rows each table has. A table that has another number, or is missing, is refused.
    None: not decoded, or by an earlier version."""
    phases: NotRequired[list[PhaseJson]]
    """`recording` is the interval in which every stream that could be had was running."""
    streams: NotRequired[list[StreamJson]]
    """What was recorded, file by file."""
    refused: NotRequired[list[RefusalJson]]
    """What the capture could not have, why, and what would allow it."""


class ToolJson(TypedDict):
    """The recorder."""

    name: NotRequired[str | None]
    """Its name. None: not known."""
    version: NotRequired[str | None]
    """Its version. None: not known."""
    pid: NotRequired[int | None]
    """Its process, as the kernel's stream shows it. None: the recorder is not known, or had ended."""


class ClockJson(TypedDict):
    """The one clock of all streams."""

    id: NotRequired[str | None]
    """CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW in a capture made from `dotnet-trace collect-linux`. None: not known."""
    start_ns: int
    """When it was read first."""
    start_utc: str
    """Wall clock read right beside `start_ns`; good to a millisecond, for people only."""


class HostJson(TypedDict):
    """The machine."""

    name: NotRequired[str | None]
    """Its name. None: not known."""
    os: NotRequired[str | None]
    """Its operating system. None: not known."""
    kernel: NotRequired[str | None]
    """The kernel's version. None: not known."""
    architecture: NotRequired[str | None]
    """Such as x64. None: not known."""
    cpus_online: NotRequired[int | None]
    """Its CPUs. None: not known."""
    memory_bytes: NotRequired[int | None]
    """Its memory. None: not known."""


class TargetJson(TypedDict):
    """The process."""

    pid: int
    """Its id."""
    name: str
    """Its name."""
    command: NotRequired[list[str]]
    """Its command line, word by word."""
    launched: bool
    """Started by the collector, suspended until every stream ran, so that no event is missing at the start."""
    exit_code: NotRequired[int | None]
    """The child's exit code. None: it was attached to, or the code is unknown."""
    runtime: NotRequired[str | None]
    """Such as .NET 10.0.12. None: not known."""
    limits: NotRequired[list[str]]
    """What this runtime cannot do and a newer one can: `stacks-on-every-event` (.NET 8: recording costs more per
    work item), `no-wait-handle-events` (.NET 8: of blocking, only lock contention and waits for tasks have
    events; snapshots show the rest)."""
    process_start_ns: NotRequired[int | None]
    """When it started, on the capture's clock, to 10 ms. None: unknown."""
    cpus_allowed: int
    """CPUs that it may run on."""
    cpu_quota: NotRequired[float | None]
    """CPUs' worth of time that its cgroup allows. None: no quota."""
    processor_count: int
    """`Environment.ProcessorCount` as the runtime computes it from affinity, quota and `DOTNET_PROCESSOR_COUNT`."""
    min_threads: NotRequired[KnownThreadsJson | None]
    """The pool's minimum. `decode` prefers the runtime's own event 59 (table `pool_limits`). None: not known."""
    max_threads: NotRequired[KnownThreadsJson | None]
    """Its maximum. None: not known."""
    own: NotRequired[OwnJson | None]
    """The assemblies that the application ships as its own: the entry assembly, those of type `project` in its
    `deps.json`, and those with a PDB beside them that no package brought. Every method outside `System.` and
    `Microsoft.` counts as own if they are not known. None: not known: a single file, or a capture of an earlier
    version."""


class KnownThreadsJson(TypedDict):
    """A limit of the pool, and its source."""

    value: int
    """The limit."""
    known: str
    """`environment`, `runtimeconfig`, `default`, or `look`: read from the memory of a process that was attached to."""


class OwnJson(TypedDict):
    """The application's own assemblies."""

    entry: str
    """The entry assembly, without extension."""
    assemblies: list[str]
    """It and the others, without extension, in order; at most 256."""


SourceFileJson = TypedDict(
    "SourceFileJson",
    {
        # Its name in the capture's folder.
        "file": str,
        # Its original name, without its folder.
        "from": str,
        # `nettrace`, `perf.data` or `perf-script`.
        "format": str,
    },
)
"""A file that another tool recorded."""


class PoolJson(TypedDict):
    """A reference pool of the bundled workloads."""

    provider: str
    """The event source that reports it."""
    name: str
    """Its own name; several pools of one run separated by commas."""
    other_items: int
    """Items of the runtime's own pool, which are in no table."""


class LookJson(TypedDict):
    """The pool in the target's memory."""

    time_ns: NotRequired[int]
    """When the memory was read."""
    minimum: int
    """The pool's minimum."""
    maximum: int
    """Its maximum."""
    goal: NotRequired[int | None]
    """How many threads it wanted. None: not known."""
    queue_length: int
    """Items in all queues."""
    queued: list[QueuedJson]
    """These by what they call, most first; the memory of a running process may change while it is read."""


class QueuedJson(TypedDict):
    """Items in the queues that call the same."""

    method: str
    """What they call."""
    kind: str
    """delegate, task, state machine, timer or the item's type."""
    count: int
    """How many."""


class PhaseJson(TypedDict):
    """A part of the recording."""

    name: str
    """`symbols` or `recording`."""
    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended."""


class StreamJson(TypedDict):
    """A file of the recording."""

    file: str
    """Inside the folder, or the path from there to a trace that was recorded elsewhere (tier `etw`)."""
    tier: NotRequired[str | None]
    """How it was recorded. None: not known."""
    start_ns: NotRequired[int | None]
    """From when on. None: not known."""
    end_ns: NotRequired[int | None]
    """Until when. None: not known."""
    bytes: NotRequired[int | None]
    """Its size. None: not known."""
    events: NotRequired[int | None]
    """Its events. None: not decoded."""
    lost: NotRequired[int | None]
    """Events that were lost. None: not decoded."""
    damage: NotRequired[str | None]
    """Written by `decode`, only where a file contradicts itself or its capture: what, and from which byte or line on
    nothing of it was taken; table `losses` has a row `damaged` then. None: nothing."""
    cpu_ns: NotRequired[int | None]
    """Kernel streams: CPU time that the collector's threads for this stream used. None: not measured."""
    stalled_ns: NotRequired[int | None]
    """Kernel streams: how long the recording waited for the disk with all its buffers full. None: never."""
    poll_step_ns: NotRequired[int | None]
    """`schedstat.bin`: from one look at the threads to the next. None: not polled."""
    scope: NotRequired[str | None]
    """Tier `tracepoint`: `system`, or `target` where other processes' events were left out (`--scope`);
    `sched.meta.json` says so too, as `only_pid`. None: another tier."""


class RefusalJson(TypedDict):
    """A stream that could not be had."""

    stream: NotRequired[str | None]
    """Which. None: not known."""
    wanted: NotRequired[str | None]
    """The tier that was wanted. None: not known."""
    why: NotRequired[str | None]
    """Why not. None: not known."""
    how: NotRequired[str | None]
    """What would allow it. None: not known."""
