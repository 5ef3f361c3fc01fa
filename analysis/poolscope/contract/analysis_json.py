"""The types of analysis.json: one class for each object.

Generated from traces/analysis.schema.json by `./build.sh docs`; edit that file instead.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AnalysisJson(TypedDict):
    """The product of one analysis. Every page and every verb is a function of it."""

    format: int
    """Version of this layout."""
    tool: ToolJson
    """What wrote the analysis."""
    capture: CaptureCardJson
    """What was captured."""
    coverage: CoverageJson
    """What the evidence covers, and what is missing from it."""
    verdict: VerdictJson
    """The answer in one sentence."""
    late_limit_ms: float
    """An item that waits longer than this is late (`--late`)."""
    incidents: list[IncidentJson]
    """Stretches of time in which items were late, by start. Late items that overlap, or that follow each other
    within a second, belong to one incident."""
    findings: list[FindingJson]
    """What the rules found: the cause of the verdict first, then by cost."""
    rules: list[RuleJson]
    """The outcome of every rule, in the order in which they are checked."""
    fixes: list[FixJson]
    """The one list of fixes, best first (docs/whatif.md). Empty if no item waits, or if nothing can be simulated."""
    items: ItemsJson
    """The work items, and how long they waited."""
    requests: RequestsJson | None
    """The requests of a web service, from the wire to the answer (docs/requests.md). None: ASP.NET Core reported no
    request."""
    calls: CallsJson | None
    """The calls of other services through HttpClient (docs/calls.md). None: HttpClient reported no call."""
    activities: ActivitiesJson | None
    """The activities of the ActivitySources that `collect --activities` named (docs/activities.md). None: no
    activity was recorded."""
    pool: PoolJson
    """The limits of the pool, and its goal."""
    attribution: AttributionJson | None
    """Where the time of the waits went (docs/attribution.md). None: no kernel stream, or no items."""
    blame: list[BlameRowJson] | None
    """The time that items blocked their workers while other items waited in the queue, by method and kind of wait:
    up to 20 rows with stacks, costliest first, then the rows without one (docs/blame.md). None: no kernel stream,
    or no stacks."""
    antagonists: list[AntagonistJson] | None
    """Processes on a core while at least one worker was ready, most core time first: the process itself by group,
    and the ten other processes with the most core time. None: the kernel stream does not show other processes."""
    cpu_methods: list[CpuMethodJson] | None
    """Methods of the process by CPU samples, most samples of their own first: the 15 methods with the most, and the
    15 of your own code with the most samples in all. None: no CPU samples."""
    cpu_flame: CpuFlameJson | None
    """CPU samples of the process as a call tree. None: no CPU samples."""
    blocked_flame: BlockedFlameJson | None
    """The time of all rows of `blame` as a call tree. None: `blame` is null."""
    ready_flame: ReadyFlameJson | None
    """The ready time of workers inside items as a call tree. An estimate: each stretch has the stack of the nearest
    CPU sample (docs/blame.md). None: no kernel stream, or no CPU samples."""
    what_if: WhatIfJson | None
    """The captured work simulated under other settings (docs/whatif.md). None: no kernel stream, no items, or
    enqueues and dequeues that cannot be paired reliably."""
    lanes: LanesJson | None
    """Which worker held which item when, and what it did meanwhile. None: no kernel stream, or no item ran."""
    worst_items: list[WorstItemJson]
    """The ten items that waited longest, longest first."""
    timeline: TimelineJson
    """The capture over time, for pictures. Its size does not grow with the capture."""
    profile: NotRequired[ProfileJson]
    """Present only if another tool recorded with the runtime's own profiler (docs/other-tools.md): where threads
    stood when it looked. A sample does not show whether its thread ran."""
    thread_waits: NotRequired[ThreadWaitsJson]
    """Present only if `blame` is null and the runtime reported waits: contended locks and waits for handles and
    monitors, by stack, whether or not an item waited meanwhile."""
    counters: NotRequired[CountersJson]
    """Present only if another tool recorded the runtime's counters (System.Runtime) and no work items (docs/other-
    tools.md): the queue and the pool over time, and what bounds the mean wait."""
    events: NotRequired[EventsJson]
    """Present only if the capture was made of another tool's .nettrace file: which events it holds, and what they
    are used for."""
    part: NotRequired[PartJson]
    """Present only if a part of the recording was analysed (docs/large-captures.md): which part, and the figures of
    the whole recording. All other figures are of the part, and moments count from its beginning."""
    redacted: NotRequired[dict[str, int]]
    """Present only after `--redact`: how many names of each kind were replaced by tokens (docs/security.md)."""


class PartJson(TypedDict):
    """The part of a recording that was analysed."""

    from_s: float
    """Its beginning, from the beginning of the recording."""
    to_s: float
    """Where it ends."""
    chosen: str
    """named: by `--from` and `--until`; longest_waits: all of the recording does not fit into the memory, and of the
    parts that do this one has the most waiting of late items."""
    items_share: float | None
    """Share of the items of the recording that the analysis has. None: the recording has no item."""
    late_wait_share: float | None
    """Share of the waiting of late items, in item-seconds, that lies in the part. None: no item is late."""
    recording: PartRecordingJson
    """All of the recording."""
    needed_bytes: int
    """Memory that the analysis of all of it would take, estimated."""
    allowed_bytes: int | None
    """Memory that it may take: `--memory`, or four fifths of the free memory. None: not known."""


class PartRecordingJson(TypedDict):
    """The whole of a recording that was analysed in part, counted while its items were read piece by piece."""

    seconds: float
    """Its length. In s."""
    items: int
    """Work items, exactly."""
    late: int
    """How many of them are late, exactly."""
    wait_ms: SummaryJson
    """Their waits. Mean and longest are exact; the percentiles are those of a sketch."""
    percentile_error: float
    """By how much of itself each percentile may be off, at most."""


class ToolJson(TypedDict):
    """A program of Poolscope."""

    name: str
    """poolscope."""
    version: str
    """Its version."""


class CollectorToolJson(TypedDict):
    """The program that recorded the capture, from the manifest."""

    name: NotRequired[str | None]
    """poolscope-collect. None: the manifest does not say."""
    version: NotRequired[str | None]
    """Its version. None: the manifest does not say."""
    pid: NotRequired[int | None]
    """Its process. None: the manifest does not say."""


class LabelJson(TypedDict):
    """A label of the capture."""

    key: str
    """Such as service."""
    value: str
    """Such as shop."""


class CaptureCardJson(TypedDict):
    """What was captured: from capture.json (traces/README.md) and from the tables."""

    name: str
    """Name of the capture's folder or archive."""
    status: str | None
    """complete, incomplete, cut, or recording (traces/README.md). None: the manifest does not say."""
    stop: str | None
    """Why the recording ended: duration, signal, target-exit, target-killed, or max-size. None: the recording was
    not ended in order."""
    start_utc: str
    """When the recording started, ISO 8601 in UTC. For people: accurate to a millisecond."""
    window_ns: list[int]
    """First and last moment of the interval that is analysed. In ns of the capture's clock."""
    seconds: float
    """Length of that interval. In s."""
    host: HostJson
    """The machine."""
    target: TargetJson
    """The recorded process."""
    tool: CollectorToolJson
    """The program that recorded it, or that made a capture from other tools' files."""
    labels: list[LabelJson]
    """Labels given while recording (`--label service=shop`), in order of the keys."""
    made_from: list[SourceFileJson] | None
    """The files of other tools that the capture was made from (docs/other-tools.md). None: Poolscope recorded it."""
    look: LookJson | None
    """The pool as the collector found it in the memory of a process that it attached to. None: no look was taken, or
    the memory could not be read."""
    look_at_end: LookJson | None
    """The same when the recording ended, or, of an incident of `watch`, when its condition was met. None: no look
    was taken, or the memory could not be read."""
    refused: list[RefusalJson]
    """What could not be recorded."""
    capacity: list[CapacityJson]
    """How much CPU the process was allowed to use, in order of time: one entry if that never changed or was not
    watched."""
    stolen_share: float | None
    """Steal time: of the machine's processor time in that interval the share that the host of a virtual machine gave
    to others. None: nobody looked."""
    streams: list[StreamJson]
    """The streams of the capture."""


class LookJson(TypedDict):
    """A pool as it was right before the recording began."""

    minimum: int
    """Minimum of worker threads. In threads."""
    maximum: int
    """Maximum of worker threads. In threads."""
    goal: int | None
    """How many threads the pool wanted. In threads. None: this runtime does not say."""
    queue_length: int
    """Items in all queues. In items."""
    queued: list[QueuedJson]
    """These by what they call, most first."""


class QueuedJson(TypedDict):
    """Queued items that call the same method."""

    method: str
    """The method."""
    kind: str
    """delegate, task, state machine, timer, or the type of the item."""
    count: int
    """How many. In items."""


class HostJson(TypedDict):
    """The machine that the process ran on, from the manifest."""

    name: NotRequired[str | None]
    """Host name. None: the manifest does not say."""
    os: NotRequired[str | None]
    """Operating system. None: the manifest does not say."""
    kernel: NotRequired[str | None]
    """Version of the kernel. None: the manifest does not say."""
    architecture: NotRequired[str | None]
    """x64 or arm64. None: the manifest does not say."""
    cpus_online: NotRequired[int | None]
    """CPUs that are online. None: the manifest does not say."""
    memory_bytes: NotRequired[int | None]
    """Physical memory; -1 if unknown. None: the manifest does not say."""


class TargetJson(TypedDict):
    """The recorded process, from the manifest."""

    pid: int
    """Process id."""
    name: str
    """Process name."""
    command: NotRequired[list[str]]
    """Command line."""
    launched: bool
    """True if the collector started the process and saw its first event; false if it attached to a running process."""
    exit_code: NotRequired[int | None]
    """Exit code. None: the collector attached, or the exit code is unknown."""
    runtime: NotRequired[str | None]
    """Version of .NET. None: the manifest does not say."""
    limits: NotRequired[list[str]]
    """What this version of .NET cannot record and a newer one can: stacks-on-every-event, no-wait-handle-events."""
    process_start_ns: NotRequired[int | None]
    """When the process started, accurate to 10 ms. In ns of the capture's clock. None: unknown."""
    cpus_allowed: int
    """CPUs that the process may run on."""
    cpu_quota: NotRequired[float | None]
    """CPU quota of its cgroup. In CPUs. None: no quota."""
    processor_count: int
    """Environment.ProcessorCount."""
    min_threads: NotRequired[ThreadLimitJson | None]
    """Minimum of worker threads when the recording started. None: unknown."""
    max_threads: NotRequired[ThreadLimitJson | None]
    """Maximum of worker threads when the recording started. None: unknown."""
    own: NotRequired[OwnCodeJson | None]
    """The assemblies that the application ships as its own. None: unknown."""


class OwnCodeJson(TypedDict):
    """The assemblies that the application ships as its own, without extension (traces/README.md)."""

    entry: str
    """The entry assembly."""
    assemblies: list[str]
    """It and the others."""


class ThreadLimitJson(TypedDict):
    """A limit of the pool, and its source."""

    value: int
    """The limit. In threads."""
    known: str
    """environment, runtimeconfig, default, or look: read from the memory of the process."""


SourceFileJson = TypedDict(
    "SourceFileJson",
    {
        # What it is called inside the capture folder.
        "file": str,
        # What it was called, without its folder.
        "from": str,
        # nettrace (dotnet-trace and other users of EventPipe), perf.data (perf record) or perf-script (the text of it).
        "format": str,
    },
)
"""A file that another tool recorded."""


class RefusalJson(TypedDict):
    """Something that could not be recorded."""

    stream: NotRequired[str | None]
    """Which stream. None: the manifest does not say."""
    wanted: NotRequired[str | None]
    """The requested tier. None: the manifest does not say."""
    why: NotRequired[str | None]
    """Why it was refused. None: the manifest does not say."""
    how: NotRequired[str | None]
    """What would allow it. None: the manifest does not say."""


class CapacityJson(TypedDict):
    """How much CPU the process was allowed to use from some moment on."""

    from_s: float
    """From when on, since the start of the capture."""
    cores: float
    """How much CPU. In cores."""


class StreamJson(TypedDict):
    """One recorded stream."""

    file: str
    """Its file in the capture."""
    tier: str
    """How it was recorded: eventpipe, tracepoint, switch, schedstat, etw, or polled."""
    events: int
    """Events in it; -1 if unknown."""
    bytes: int
    """Its size; -1 if unknown. In bytes."""
    lost: int
    """Lost events; -1 if unknown."""


class CoverageJson(TypedDict):
    """What the evidence covers. Counts are items or events."""

    items: int
    """Work items in the capture."""
    items_recorded: bool
    """Whether 0 items means that none was queued: false where another tool recorded the capture without the provider
    of work items."""
    joined: int
    """Items whose enqueue and dequeue were both seen."""
    censored_start: int
    """Items that were dequeued in the capture but queued before it."""
    queued_at_end: int
    """Items still queued at the end of the capture."""
    running_at_end: int
    """Items still running at the end of the capture."""
    inlined: int
    """Items that a waiting thread ran itself. They were never dequeued and are not part of the attribution."""
    transferred: int
    """Items that moved from one queue of the pool to another."""
    collided: int
    """Items whose id another item had at the same time."""
    lost: int
    """Events lost from the runtime stream."""
    lost_scheduler: int
    """Events lost from the scheduler stream."""
    losses_known: bool
    """Whether 0 lost events means that none were: false where another tool recorded the capture and may have dropped
    events without telling."""
    losses: list[LossJson]
    """Everything that was lost, one entry per stream and kind of loss."""
    contradictions: list[ContradictionJson]
    """Contradictions between tables of the capture, serious ones first (docs/attribution.md). Empty in a sound
    capture."""
    events: int
    """Events in the runtime stream."""
    events_scheduler: int
    """Events in the scheduler stream."""
    cut: list[str]
    """Streams that end in the middle, as after a crash."""
    tier: str
    """Kernel tier: how the scheduler was observed."""
    scope: str | None
    """Whose threads the kernel stream shows. None: the capture has no kernel stream."""
    launched: bool
    """Whether the process was recorded from its first event on."""
    pool: str
    """runtime if the items are those of .NET's own pool; otherwise the name of the reference pool that they belong
    to."""
    other_pool_items: int
    """Items of .NET's own pool beside a reference pool. They are not part of the analysis."""
    carried: int
    """Items that were already running when the recording began. They are seen only as busy workers."""
    goal_known: bool
    """False if the goal before its first change was inferred from the busy threads."""
    limits_known: str
    """How the limits of the pool are known."""
    execution_ms: float
    """Execution time of all items together."""
    unknown_execution_ms: float
    """Execution time that no kernel event covers."""
    unresolved_ms: float
    """Execution time in polling steps that an item shares with what its worker did before or after it. Above 0 only
    in tier schedstat."""
    poll_step_ms: float | None
    """Time from one look at the threads to the next. None: the tier is not schedstat."""
    blocked_ms: float
    """Blocked time of all items together."""
    unknown_blocked_ms: float
    """Blocked time whose end has no known cause."""
    pool_ended_blocked_ms: float
    """Blocked time that a pool thread ended."""
    edge_blocked_ms: float
    """Blocked time that the replay computes, because it ends when another item gets to the point that ended it. All
    other blocked time keeps its duration in every replay."""
    held_ms: float | None
    """Time that items blocked their workers while other items waited in the queue: what `blame` divides. None:
    `blame` is null."""
    unblamed_ms: float | None
    """Part of `held_ms`: time without a stack, which could not be estimated either. None: `blame` is null."""
    estimated_ms: float | None
    """Part of `held_ms`: time divided by what snapshots saw of other blocks. None: `blame` is null."""
    estimate_snapshots: int | None
    """Snapshots that the estimate rests on; 0 if there is no estimate. None: `blame` is null."""
    stack_frames: int | None
    """Frames in the tree of all stacks. None: `blame` is null."""
    unresolved_frames: int | None
    """Those without a name. None: `blame` is null."""
    replay_error: float | None
    """Relative error of the mean delay when the run is replayed as it was. None: no kernel stream, no items, or a
    mean delay below 1 ms."""


class LossJson(TypedDict):
    """All gaps of one kind in one stream."""

    stream: str
    """File of the stream."""
    what: str
    """Kind of loss (docs/tables.md)."""
    count: int | None
    """Lost events. None: they were not counted."""
    gaps: int
    """Number of gaps."""
    first_s: float
    """Start of the first gap, since the start of the capture."""
    last_s: float
    """End of the last gap, since the start of the capture."""
    length_s: float
    """Length of all gaps together; overlaps count once."""
    items: int
    """Items that were queued, waiting or running in a gap."""
    wait_share: float
    """Their share of the waiting time."""


class ContradictionJson(TypedDict):
    """Rows of two tables that cannot both be right."""

    tables: str
    """The tables that disagree."""
    what: str
    """Which rows, in words."""
    rows: int
    """How many rows."""
    of: int
    """Out of how many."""


class VerdictJson(TypedDict):
    """The answer."""

    id: str
    """Id of a rule (docs/findings.md), cannot-tell, or no-work."""
    text: str
    """The answer in a sentence or two."""
    confidence: str
    """How sure it is (docs/how-we-measure.md)."""
    reasons: list[str]
    """Why the confidence is not high, or why the capture cannot tell."""


class IncidentJson(TypedDict):
    """A stretch of time in which items were late. Its verdict is judged by its late items alone."""

    start_s: float
    """Enqueue of its first late item, since the start of the capture."""
    end_s: float
    """Start of its last late item, since the start of the capture."""
    late: int
    """Late items."""
    items: int
    """Items that were queued or waiting in that time, the late ones among them."""
    longest_ms: float
    """Longest wait."""
    item_seconds: float
    """Waiting time of the late items, summed. In item-seconds."""
    at_least: bool
    """The wait and the item-seconds are lower bounds: some waits began before the capture, or went on after it."""
    matters: bool
    """Whether users would notice."""
    at_start_up: bool
    """Whether the process was starting and its code was being compiled."""
    why_not: str | None
    """Why the incident does not matter, as a sentence. None: it matters."""
    costliest: bool
    """Whether this is the costliest incident, whose verdict is that of the capture."""
    verdict: VerdictJson | None
    """The verdict of this incident. None: the incident does not matter, or 20 others are costlier."""
    wait_share: dict[str, float] | None
    """Share of each cause in the waits of its late items. None: the incident does not matter, or 20 others are
    costlier, or no kernel stream."""
    blame: list[IncidentBlameJson]
    """The methods that held the threads meanwhile. Empty if they are not known, or if there is no verdict."""
    requests: IncidentRequestsJson | None
    """What requests met this incident. None: no request is tied to its bytes."""


class IncidentRequestsJson(TypedDict):
    """Requests during an incident: the tied ones, and connections with data that had arrived, but no request begun
    by the end of the capture. A request is in progress from the arrival of its last byte to the first byte of its
    answer."""

    arrived: int
    """Whose last byte arrived in that time."""
    in_progress: int
    """In progress at some time of it, those that arrived in it among them."""
    answered: int
    """Whose answer began in that time, wherever they arrived."""
    latency_ms: SummaryJson
    """Latency of those that arrived in that time. For those without an answer by the end of the capture, a lower
    bound."""


class OutsideIncidentsJson(TypedDict):
    """Requests that were in progress in no incident, whether it matters or not."""

    count: int
    """How many, as in `incidents[].requests`."""
    latency_ms: SummaryJson
    """Their latency."""


class IncidentBlameJson(TypedDict):
    """A method that held threads during an incident."""

    method: str | None
    """The method, as in `blame[]`. None: no frame of its stacks has a name."""
    kind: str
    """How it was blocked."""
    thread_s: float
    """How long. In thread-seconds."""
    share: float
    """Share of the thread time held."""


class FindingJson(TypedDict):
    """What a rule found."""

    id: str
    """Id of the rule (docs/findings.md)."""
    severity: str
    """How much of the wait, or of the execution, it explains."""
    title: str
    """What is wrong."""
    number: str
    """The headline figure, with its unit. May be empty."""
    item_seconds: float
    """Its cost: waiting time summed over the items. 0 for a finding that is not a cause. In item-seconds."""
    because: str
    """The cause as the end of the sentence "items started late because ...". Empty for a finding that is no cause."""
    evidence: list[str]
    """What was seen, in sentences."""
    advice: list[str]
    """What to do, in sentences."""
    predicted: list[PredictedJson]
    """What single fixes would do: figures from `fixes`. Fixes that would make items end later are not listed."""
    explains: dict[str, float]
    """For a specific finding: how much of its cost a more general finding also counts, by the id of that finding
    (docs/findings.md). In item-seconds."""
    ended_late: bool
    """The cost is time by which items ended later, not started later."""
    where: WhereJson
    """Its evidence as places in the capture."""
    affected: int | None
    """Number of items that the headline figure refers to. None: it refers to all judged items."""


class PredictedJson(TypedDict):
    """The effect of one fix alone, as means of what `of` in `fixes` says."""

    fix: str
    """Id of the fix in `fixes`."""
    delay_ms: float
    """Measured."""
    delay_after_ms: float
    """With the fix."""
    low_ms: float
    """Least of the simulated runs, less the error of the model: at least a tenth of the measured value."""
    high_ms: float
    """Most of the simulated runs, plus the error of the model: at least a tenth of the measured value."""
    lower_bound: bool
    """The figure is a lower bound."""


class WhereJson(TypedDict):
    """Places in the capture. Lists are empty if the place is not known, or if there is no cost."""

    windows: list[WindowJson]
    """The shortest stretch of time with four fifths of the cost; for coverage-low the ranges of losses."""
    items: list[AffectedItemJson]
    """The most affected items, most affected first."""
    methods: list[str]
    """Methods that held the threads or the cores, costliest first."""
    section: str
    """The part of the report that shows this cause best; empty if the timeline does."""


class WindowJson(TypedDict):
    """A stretch of time, since the start of the capture."""

    from_s: float
    """Its start."""
    to_s: float
    """Its end."""


class AffectedItemJson(TypedDict):
    """An item and what it paid."""

    item: int
    """`work_items.id`."""
    cost_ms: float
    """Its part of the cost."""


class RuleJson(TypedDict):
    """What became of a rule."""

    id: str
    """Id of the rule (docs/findings.md)."""
    status: str
    """not-applicable: the capture lacks what the rule needs. That is never the same as passed."""
    title: str
    """What it found, or what is in order."""
    missing: list[str]
    """Missing from the capture: tables, or a whole runtime.nettrace if pairs are in doubt."""


class FixJson(TypedDict):
    """One change alone, and the mean that is predicted with it: of the latency of requests where these are predicted
    and were late, else of the delay of items."""

    id: str
    """await, threads:N, dedicated, cores:N, or max-threads:N; without the number if the model does not fit the run."""
    label: str
    """What to do, as an imperative."""
    status: str
    """The best fix that needs the least; other fixes that shorten the delay notably; those that do not."""
    reason: str | None
    """Why it is not recommended. None: it is."""
    of: str
    """The figures are means of this: the delay of items, or the latency of requests. The same in all fixes."""
    before_ms: float
    """As measured."""
    after_ms: float | None
    """With the fix. None: nothing is predicted."""
    low_ms: float | None
    """Least of the simulated runs, less the error of the model: at least a tenth of the measured value. None:
    nothing is predicted."""
    high_ms: float | None
    """Most of the simulated runs, plus the error of the model: at least a tenth of the measured value. None: nothing
    is predicted."""
    lower_bound: bool
    """The predicted mean is a lower bound."""
    model_error: float | None
    """Relative error of the model on the run as it was. None: its items never end."""


class ItemsJson(TypedDict):
    """The work items of the capture."""

    count: int
    """How many, without those that a waiting thread ran itself."""
    wait_ms: SummaryJson
    """From enqueue to start."""
    completion_ms: SummaryJson
    """From enqueue to end."""


class SummaryJson(TypedDict):
    """A distribution of durations. Percentiles are Kaplan-Meier estimates if not every item was seen to its end."""

    mean: float | None
    """Mean. In ms. None: no items."""
    p50: float | None
    """Median. In ms. None: no items."""
    p90: float | None
    """90th percentile. In ms. None: no items."""
    p99: float | None
    """99th percentile. In ms. None: no items."""
    max: float | None
    """Longest. In ms. None: no items."""
    at_least: list[str]
    """Which of the figures are only lower bounds."""


class RequestsJson(TypedDict):
    """The requests that the web server reported. A request is tied if the bytes that it came in are known; its
    latency is the time from the arrival of its last byte to the first byte of its answer."""

    count: int
    """Requests that the web server reported."""
    arrivals: str
    """What the capture shows of their bytes. followed: when they arrived and which thread read them; not_recorded:
    nothing, socket events were not recorded; not_told: Windows reported that there were some, but neither when
    they arrived nor which thread read them (docs/requests.md). A request can be tied only if they are followed."""
    tied: int
    """Those whose bytes on the wire are known."""
    answered: int
    """The tied ones whose answer was seen."""
    earlier: EarlierJson | None
    """Requests that had arrived before the recording: those of `tied` and of `waiting` whose bytes lay unread when
    it began, and those whose bytes had been read by then, which are neither. None: there was none."""
    silent: int
    """At least this many connections were opened before the recording, with no event in it or an answer first, and
    without a request of `earlier`. They were idle, their answers were already on the way, or their requests
    neither began nor ended in it."""
    waiting: int
    """Connections with data that had arrived by the end of the capture, but no request begun."""
    application_ms: SummaryJson
    """All requests, tied or not: from the server's first event of one until it left the application; a lower bound
    for those that were not seen to leave it. Less than the latency: neither the time before it was read nor the
    sending of its answer is part of it."""
    latency_ms: SummaryJson
    """Latency of the tied ones, and of those that waited at the end: of these, and of requests without an answer, it
    is a lower bound."""
    outside_incidents: OutsideIncidentsJson | None
    """Those that met no incident, to hold `incidents[].requests` against. None: there is no incident, or no request
    is tied."""
    parts_ms: RequestPartsJson | None
    """Parts of the latency of the answered ones, mean per request. The parts of each request add up to its latency
    exactly. None: none of them is tied and answered."""
    wait_ms: RequestWaitsJson | None
    """`unread` and `queued` by cause, mean per request. None: none of them is tied and answered."""
    late: LateRequestsJson | None
    """The requests that took a second or more and five times what their route usually takes (docs/findings.md#late-
    requests). None: too few are late, or nothing shows the usual time of their routes."""
    routes: list[RouteJson]
    """By HTTP method and route: up to 20, the one that took most time in all first; in the application, if none is
    tied."""
    routes_left_out: int
    """Routes beyond these."""
    services: list[ServiceJson]
    """The other services that requests waited for: up to 20, the one that took most time in all first."""
    services_left_out: OtherServicesJson | None
    """Services beyond these, together. None: there are no others."""
    worst: list[WorstRequestJson]
    """The ten requests with the longest latency that were answered, longest first."""


class CallsJson(TypedDict):
    """The calls through HttpClient that began in the capture. The latency of a call is the time from its begin to
    its end, in HttpClient's own terms."""

    count: int
    """Calls."""
    failed: int
    """Those that ended with an exception."""
    open: int
    """Those without an end when the capture ended."""
    untold: int
    """Those inside which another call began, and whose end no event shows. They have no latency."""
    earlier: EarlierCallsJson | None
    """Calls that had begun before the recording and were answered in it; not part of `count`. None: there was none."""
    latency_ms: SummaryJson
    """Latency; of open calls it is a lower bound."""
    connection_wait_ms: float
    """Until it had a connection of HttpClient's pool, mean per call: `held_wait_ms`, and the time in which its
    connection was being made."""
    held_wait_ms: float
    """The part until another call gave its connection back, mean per call."""
    thread_wait_ms: float
    """Then until a worker took up that the connection was there, mean per call: a wait for the thread pool."""
    routes: list[CalledRouteJson]
    """By endpoint and route: the ones that took most time in all, longest first."""
    routes_left_out: int
    """Routes beyond these."""


class EarlierJson(TypedDict):
    """What was under way when the recording began."""

    count: int
    """How many."""
    latency_ms: SummaryJson
    """From the start of the capture to the end: all of these are lower bounds."""


class EarlierCallsJson(TypedDict):
    """Calls through HttpClient that were under way when the recording began and were answered in it."""

    count: int
    """How many."""
    latency_ms: SummaryJson
    """From the start of the capture to the head of the answer: all of these are lower bounds."""
    endpoints: list[ServiceJson]
    """By the other end of the connection that the answer was read from, `unknown` where sockets were not recorded:
    the ones that took most time in all, longest first."""
    endpoints_left_out: int
    """Endpoints beyond these."""


class CalledRouteJson(TypedDict):
    """The calls of one endpoint and route."""

    endpoint: str
    """Host and port."""
    route: str
    """Path in which numbers, GUIDs and keys are replaced by `{id}`, without the query."""
    calls: int
    """Calls."""
    failed: int
    """Those that ended with an exception."""
    latency_ms: SummaryJson
    """Their latency."""
    connection_wait_ms: float
    """Until it had a connection of HttpClient's pool, mean per call: `held_wait_ms`, and the time in which its
    connection was being made."""
    held_wait_ms: float
    """The part until another call gave its connection back, mean per call."""
    thread_wait_ms: float
    """Then until a worker took up that the connection was there, mean per call: a wait for the thread pool."""


class ActivitiesJson(TypedDict):
    """The activities of the recorded ActivitySources."""

    count: int
    """Activities that began or ended in the capture."""
    open: int
    """Those that began and had not ended when the capture did."""
    carried: int
    """Those that had begun before the recording: their durations are unknown."""
    kinds: list[ActivityKindJson]
    """By source and operation: the ones that took most time in all, longest first."""
    kinds_left_out: int
    """Operations beyond these."""


class ActivityKindJson(TypedDict):
    """The activities of one source and operation."""

    source: str
    """Name of the ActivitySource."""
    operation: str
    """Operation name in which numbers, GUIDs and keys are replaced by `{id}`."""
    count: int
    """Activities that began or ended in the capture."""
    open: int
    """Those that began and had not ended when the capture did."""
    carried: int
    """Those that had begun before the recording."""
    duration_ms: SummaryJson
    """From begin to end, of those that began in the capture; of open ones it is a lower bound."""
    parts_ms: ActivityPartsJson | None
    """Parts of the duration of those seen from begin to end, means. None: none was seen from begin to end."""
    wait_ms: RequestWaitsJson | None
    """What `queued` was due to, means. None: no kernel stream, or none was seen from begin to end."""
    longest: LongestActivityJson | None
    """The one that took longest. None: none began in the capture."""


class LongestActivityJson(TypedDict):
    """One activity, by which it can be found in other tools."""

    activity: int
    """Its row in the table `activities`."""
    start_s: float
    """When it began, from the start of the window."""
    duration_ms: float
    """From begin to end, or to the end of the capture."""
    open: bool
    """Whether it had not ended when the capture did."""
    trace_id: str | None
    """The trace that it belongs to, hexadecimal. None: not told."""


class ActivityPartsJson(TypedDict):
    """Parts of the time of activities, followed back from their ends through the work items that led to them."""

    queued: float
    """A work item that led to its end was in the queue. In ms."""
    cpu: float
    """Such items, or its own thread, ran on a core. In ms."""
    blocked: float
    """They were blocked. In ms."""
    ready: float
    """They were runnable without a core. In ms."""
    runtime: float
    """They were suspended by the runtime. In ms."""
    unseen: float
    """They ran where the kernel stream has no events. In ms."""
    services: float
    """Answers of other services were awaited. In ms."""
    timer: float
    """No event shows it, and a timer ended it: mostly a delay. It begins with the end of its last known work item.
    In ms."""
    shared: float
    """No event shows it, and data that came on a shared connection to another service ended it: mostly the wait for
    an answer over HTTP/2. In ms."""
    thread: float
    """No event shows it, and a thread of the process outside the pool ended it, such as a client library's own. In
    ms."""
    other: float
    """The rest, which no event shows. In ms."""


class RequestPartsJson(TypedDict):
    """What the latency of requests consisted of."""

    unread: float
    """Its bytes, or those of an answer that it awaited, lay in the socket before a thread read them or the runtime
    queued an item to do so. In ms."""
    queued: float
    """An item of it was in the queue. In ms."""
    cpu: float
    """Its items ran on a core. In ms."""
    blocked: float
    """Its items were blocked. In ms."""
    ready: float
    """Its items were runnable without a core. In ms."""
    runtime: float
    """Its items were suspended by the runtime. In ms."""
    unseen: float
    """Its items ran where the kernel stream has no events. In ms."""
    services: float
    """Answers of other services were awaited. In ms."""
    timer: float
    """No event shows it, and a timer ended it: mostly a delay. It begins with the end of its last known work item.
    In ms."""
    shared: float
    """No event shows it, and data that came on a shared connection to another service ended it: mostly the wait for
    an answer over HTTP/2. In ms."""
    thread: float
    """No event shows it, and a thread of the process outside the pool ended it, such as a client library's own. In
    ms."""
    other: float
    """The rest, which no event shows: waits for other requests. In ms."""


class RequestWaitsJson(TypedDict):
    """Why requests waited to be read and in the queue. An item that a request met in the queue shares its causes in
    proportion."""

    injection: float
    """The pool was short of threads below its maximum. In ms."""
    blocking: float
    """Blocked items held the threads. In ms."""
    core: float
    """Workers lacked a core. In ms."""
    runtime: float
    """The runtime was suspended, or dispatched. In ms."""
    other: float
    """Before the socket engine had queued anything, or in its hands. In ms."""


class RouteJson(TypedDict):
    """The requests of one HTTP method and route."""

    route: str
    """Path in which numbers, GUIDs and keys are replaced by `{id}`: the runtime's events do not have the route
    itself."""
    http_method: str
    """Such as `GET`."""
    count: int
    """Requests."""
    tied: int
    """Those whose bytes on the wire are known."""
    application_ms: SummaryJson
    """As `requests.application_ms`."""
    latency_ms: SummaryJson
    """Their latency."""
    parts_ms: RequestPartsJson | None
    """Mean per request. None: none of them is tied and answered."""


class ServiceJson(TypedDict):
    """A service that requests waited for."""

    endpoint: str
    """Address and port; `unknown` if it was not seen."""
    calls: int
    """Answers that requests waited for."""
    latency_ms: SummaryJson
    """From the last byte that was sent to the arrival of what the request went on with."""


class OtherServicesJson(TypedDict):
    """Services that have no row of their own."""

    endpoints: int
    """How many."""
    calls: int
    """Answers of theirs that requests waited for."""
    total_ms: float
    """How long requests waited for them, in all."""


class WorstRequestJson(TypedDict):
    """The story of one request. Times are since the start of the capture."""

    request: int
    """`requests.id`."""
    route: str
    """As in `routes`."""
    http_method: str
    """Such as `GET`."""
    arrived_s: float
    """Arrival of its last byte."""
    latency_ms: float
    """Up to the first byte of its answer."""
    at_least: bool
    """Its bytes had arrived before the recording: latency and parts are what the recording saw of them."""
    parts_ms: RequestPartsJson
    """What that consisted of."""
    wait_ms: RequestWaitsJson
    """Why it waited."""
    steps: list[RequestStepJson]
    """What it went through, in order of time: the 40 longest steps."""


class LateRequestsJson(TypedDict):
    """Late requests, and where their time was."""

    count: int
    """Late requests."""
    spells: list[LateSpellJson]
    """When late requests were under way, in order of time; of more than 50 spells the costliest. Less than a
    hundredth of the capture between two does not part them."""
    longest_ms: float
    """The longest of them."""
    total_ms: float
    """The time of all of them: each from the arrival of its last byte, or from the server's first event if it is not
    tied, to its answer or until it left the application, whichever is later."""
    places: list[LatePlaceJson]
    """The places of that time, longest first. They add up to `total_ms`."""


class LateSpellJson(TypedDict):
    """A time in which late requests were under way."""

    start_s: float
    """When the first of them arrived, from the start of the capture."""
    end_s: float
    """When the last one was over."""
    count: int
    """Late requests in it."""
    longest_ms: float
    """The longest of them."""


class LatePlaceJson(TypedDict):
    """One place in which late requests spent time."""

    place: str
    """stopped: all threads of the process stood still; held: the bytes lay in the socket while the thread that reads
    there was in something else; unread: they lay there otherwise; queued: an item of the request was in the
    queue; cpu, blocked, ready, runtime, unseen: its items ran, as in `parts_ms`; service: another service's
    answer was awaited; silent: a service that owed answers sent nothing; shared: no event shows it, and data on a
    connection to a service that requests share ended it; timer, thread: the same, and a timer or a thread outside
    the pool ended it; client: the connection was full of what the client had not taken; answering: the first byte
    of the answer had been sent otherwise; unknown: no event shows it."""
    endpoint: str | None
    """Address and port of the service, of service, silent and shared. None: of no service."""
    thread: str | None
    """Name of the thread that did not read, of held; of the one that resumed the requests, of thread. None: of no
    single thread."""
    ms: float
    """The time of all late requests there. In ms."""


class RequestStepJson(TypedDict):
    """A stretch of a request's time."""

    what: str
    """unread: its bytes lay in the socket; queued: an item of it was in the queue; executed: the item ran; service:
    another service's answer was awaited; timer, shared, thread: no event shows it, and a timer, data on a shared
    connection or a thread outside the pool ended it; other: no event shows it."""
    start_s: float
    """Its beginning."""
    ms: float
    """Its length. In ms."""
    item: int | None
    """`work_items.id`; of unread the item that read the bytes. None: of no item."""
    endpoint: str | None
    """Address and port of the service. None: of no service."""


class PoolJson(TypedDict):
    """The limits in force at the end of the capture, and the goal: the number of threads that the pool aims at."""

    min_threads: int
    """Minimum of worker threads."""
    max_threads: int
    """Maximum of worker threads."""
    limits_known: str
    """How they are known."""
    goal_first: int
    """Goal at the start of the capture. In threads."""
    goal_peak: int
    """Highest goal. In threads."""
    goal_last: int
    """Goal at the end. In threads."""


class AttributionJson(TypedDict):
    """The split of the mean wait and of the mean execution. Durations are means per item."""

    wait_ms: dict[str, float]
    """Part of the wait by cause; together they are the mean wait."""
    wait_share: dict[str, float]
    """Share of the wait by cause."""
    parts_ms: dict[str, SummaryJson]
    """Distribution of each part over the items."""
    judged: JudgedJson
    """The same split for the items that the verdict is about."""
    injection_ms: InjectionPartsJson
    """Injection by what the busy threads did meanwhile."""
    blocking_ms: BlockingPartsJson
    """The two parts of blocking."""
    delay_ms: float
    """Mean delay: from enqueue to end, minus what the item itself needs."""
    removable_ms: dict[str, float]
    """By how much the mean delay falls if one obstacle alone is removed; negative if it would rise. Part of the
    attribution, not the prediction of a fix: those are `fixes`."""
    threads_needed: int
    """Most items that hold a thread at once if the pool is never short of threads. In threads."""
    execution_ms: dict[str, float]
    """Mean execution by state: on a core, blocked, ready without a core, suspended by the runtime, not known."""
    execution_bounds_ms: dict[str, list[float]] | None
    """Least and most that each state can be. The kernel tier leaves it open: `switch` does not show the wait for a
    core after a wake-up, `schedstat` not what happens within a polling step. None: the figures are exact."""
    residual_ns: int
    """Largest difference between a wait and the sum of its parts: 0."""


class JudgedJson(TypedDict):
    """The split of the waits that the verdict is about."""

    items: int
    """How many items."""
    late_only: bool
    """True if they are the late items of incidents, false if they are all items."""
    wait_ms: dict[str, float]
    """Mean part of the wait by cause."""
    wait_share: dict[str, float]
    """Share of the wait by cause."""


class InjectionPartsJson(TypedDict):
    """Injection by what the busy threads did."""

    behind_blocked: float
    """While they were blocked. In ms."""
    behind_cpu: float
    """While they computed or waited for a core. In ms."""


class BlockingPartsJson(TypedDict):
    """The parts of blocking."""

    holding: float
    """Blocked items held the threads. In ms."""
    dependency: float
    """What no removed obstacle explains: a wait for other items or for locks. In ms."""


class BlameRowJson(TypedDict):
    """One method and kind of wait."""

    method: str | None
    """The method of your own code nearest to the leaf, as its author wrote it; if there is none, a telling method of
    a library or the framework. None: no stack, or no frame with a name."""
    own: bool
    """Whether the method is your own code (docs/blame.md); false if it is a library's or the framework's."""
    file: str | None
    """Source file of the method on most of the row's time. None: unknown."""
    line: int | None
    """Line in that file. None: unknown."""
    line_is: str | None
    """What the line is. None: unknown."""
    kind: str
    """How the thread was blocked."""
    call: str | None
    """The call that blocked, of the framework or of a library, as it is written in code. None: unknown."""
    instead: str | None
    """What to write instead. None: unknown, or it depends on the kind."""
    thread_s: float
    """How long. In thread-seconds."""
    share: float
    """Share of `coverage.held_ms`."""
    event_s: float
    """Part of `thread_s`: shown by a wait event. In thread-seconds."""
    estimated_s: float
    """Part of `thread_s`: estimated from snapshots of other blocks. In thread-seconds."""
    samples: int
    """Snapshots that saw a thread blocked here; every thread counts."""
    samples_of: int
    """The same of all rows."""
    share_low: float
    """Lower end of the 95 % confidence interval of `share` (docs/blame.md); 0 for the row without a stack."""
    share_high: float
    """Upper end; for the row without a stack, the most that code without a row of its own may have held."""
    named_share: float
    """Share of `thread_s` that is not estimated; 0 if nothing is named."""
    stacks: list[BlameStackJson]
    """Its costliest stacks, without what is estimated. Empty in the row without a stack."""
    held_by: HeldByJson | None
    """Who held the locks while these items waited, all owners together. None: not a lock, or no owner is known."""


class BlameStackJson(TypedDict):
    """A stack and its time."""

    thread_s: float
    """How long. In thread-seconds."""
    frames: list[str | None]
    """Methods, leaf first; null for a frame without a name."""
    own: list[int]
    """Indices into `frames` of your own code."""


class HeldByJson(TypedDict):
    """The owners of the locks, all together."""

    threads: int
    """How many owners."""
    thread_s: float
    """Time that others waited for it. In thread-seconds."""
    was: WasJson
    """What it did meanwhile."""
    method: str | None
    """Where: the method that held the lock. None: unknown."""
    kind: str | None
    """How it was blocked itself. None: it mostly was not blocked, or no stack is known."""
    known_by: str | None
    """The source of the method. None: no stack is known."""
    file: str | None
    """Source file. None: unknown."""
    line: int | None
    """Line in that file. None: unknown."""
    stack: list[str | None]
    """Methods, leaf first; null for a frame without a name. Empty if no stack is known."""
    owners: list[OwnerJson]
    """The five costliest owners."""


class OwnerJson(TypedDict):
    """One owner of a lock."""

    tid: int
    """Thread id."""
    name: str | None
    """The kernel's name of the thread. None: unknown."""
    item: int | None
    """`work_items.id` of the item that it ran longest meanwhile. None: none."""
    thread_s: float
    """Time that others waited for it. In thread-seconds."""
    was: WasJson
    """What it did meanwhile."""
    method: str | None
    """Where: the method that held the lock. None: unknown."""
    kind: str | None
    """How it was blocked itself. None: it mostly was not blocked, or no stack is known."""
    known_by: str | None
    """The source of the method. None: no stack is known."""
    file: str | None
    """Source file. None: unknown."""
    line: int | None
    """Line in that file. None: unknown."""
    stack: list[str | None]
    """Methods, leaf first; null for a frame without a name. Empty if no stack is known."""


class WasJson(TypedDict):
    """What the owner of a lock did while others waited for it. The rest of the time is unknown."""

    cpu: float
    """On a core. In thread-seconds."""
    blocked: float
    """Blocked. In thread-seconds."""
    ready: float
    """Runnable without a core. In thread-seconds."""


class AntagonistJson(TypedDict):
    """Threads that were on a core while at least one worker was ready."""

    group: str
    """Their process; unknown if no stream shows it."""
    pid: int
    """Process id; -1 if unknown."""
    process: str | None
    """Process name. None: unknown."""
    core_ms: float
    """Core time in those moments."""
    share: float
    """Share of all such core time."""
    threads: int
    """Number of threads."""
    top_threads: list[AntagonistThreadJson]
    """The five with the most core time."""


class AntagonistThreadJson(TypedDict):
    """A thread that was on a core."""

    tid: int
    """Thread id."""
    name: str
    """The kernel's name of the thread; may be empty."""
    core_ms: float
    """Core time while at least one worker was ready."""


class CpuMethodJson(TypedDict):
    """A method over all its places in the call tree; a recursion counts once per sample."""

    method: str | None
    """Method or native function. None: code of the module without symbols."""
    module: str | None
    """Module. None: code that nothing names."""
    kind: str
    """Kind of code."""
    user: bool
    """Whether it is your own code: neither System nor Microsoft."""
    self: int
    """In its own code. In samples."""
    total: int
    """In its own code and in what it called. In samples."""
    self_share: float
    """`self` as a share of `cpu_flame.with_stack`."""
    total_share: float
    """`total` as a share of `cpu_flame.with_stack`."""
    workers: int
    """Part of `total`: on workers of the pool. In samples."""
    workers_share: float
    """`workers` as a share of `cpu_flame.workers`."""
    waiting: int
    """Part of `total`: while items waited in the queue. In samples."""
    file: str | None
    """Source file with most of its own samples; without any, with most samples. None: unknown."""
    line: int | None
    """Line in that file. None: unknown."""
    line_is: str | None
    """What the line is. None: unknown."""


class CpuFlameJson(TypedDict):
    """CPU samples of the process as a call tree."""

    samples: int
    """Samples of the process, in the window of the capture. In samples."""
    with_stack: int
    """Those with a call chain: the samples of the tree. In samples."""
    workers: int
    """Part of `with_stack`: on workers of the pool. In samples."""
    waiting: int
    """Part of `with_stack`: while items waited in the queue. In samples."""
    user_mode_only: bool
    """Time in the kernel is not sampled (tier switch)."""
    least: int
    """Nodes with fewer samples are left out; at most 2,000 remain. They still count for their callers. In samples."""
    frames: list[CpuFrameJson]
    """What nodes stand for."""
    nodes: CpuNodesJson
    """The tree."""


class CpuFrameJson(TypedDict):
    """A method or function."""

    method: str | None
    """Method or native function. None: code of the module without symbols."""
    module: str | None
    """Module. None: code that nothing names."""
    kind: str
    """Kind of code."""
    user: bool
    """Whether it is your own code."""


class CpuNodesJson(TypedDict):
    """Arrays of one length; callers come before what they call."""

    parent: list[int]
    """Index of the caller; -1 at the start of the thread."""
    frame: list[int]
    """Index into `frames`."""
    self: list[int]
    """Samples in its own code. In samples."""
    total: list[int]
    """There and in what it called. In samples."""
    workers: list[int]
    """Part of `total`: on workers of the pool. In samples."""
    waiting: list[int]
    """Part of `total`: while items waited in the queue. In samples."""


class ProfileJson(TypedDict):
    """Samples of the runtime's own profiler, which stops all threads at a beat and takes the stack of each."""

    total: int
    """Samples in all. In samples."""
    workers: int
    """Part of `total`: on threads of the pool. In samples."""
    no_stack: int
    """Part of `total`: without a stack. In samples."""
    least: float
    """The smallest of the 2,000 nodes that are kept; 0 if all are kept. In samples."""
    frames: list[FlameFrameJson]
    """What nodes stand for."""
    nodes: ProfileNodesJson
    """The tree."""
    bin_s: float
    """Length of each entry of `threads[].places`."""
    places: list[ProfilePlaceJson]
    """The methods at which most samples stood, most first."""
    threads: list[ProfileThreadJson]
    """Threads with most samples; those of the pool first."""
    threads_left_out: int
    """Threads that are not in `threads`."""
    samples_left_out: int
    """Their samples. In samples."""


class ProfileNodesJson(TypedDict):
    """Arrays of one length; callers come before what they call."""

    parent: list[int]
    """Index of the caller; -1 at the start of the thread."""
    frame: list[int]
    """Index into `frames`."""
    self: list[float]
    """Samples with the node as leaf. In samples."""
    total: list[float]
    """There and in what it called. In samples."""
    workers: list[float]
    """Part of `total`: on threads of the pool. In samples."""


class ProfilePlaceJson(TypedDict):
    """Places of samples: the method of your own that is nearest to the leaf, or the leaf."""

    method: str | None
    """Method. None: code without a name."""
    kind: str
    """idle: a thread of the pool that waits for an item; wait: a call that blocks; code: anything else."""
    samples: int
    """Samples that stood there. In samples."""


class ProfileThreadJson(TypedDict):
    """One sampled thread."""

    tid: int
    """Thread id."""
    pool: bool
    """Whether it is a thread of the pool: one of its stacks has the pool's code; where no stack names that, the
    runtime's events tell."""
    samples: int
    """Samples of the thread. In samples."""
    idle: int
    """The part that waited for an item. In samples."""
    method: str | None
    """Where most of its other samples stood. None: code without a name, or always idle."""
    method_samples: int
    """How many did."""
    places: list[int]
    """Over time: where most of its samples stood, as an index into the places of the profile; -1: elsewhere; -2: no
    sample."""


class CountersJson(TypedDict):
    """What the runtime's own counters said. Arrays have one entry for each reading; of more than 1,000 readings, one
    for each group of them."""

    readings: int
    """How often the counters were read."""
    interval_s: float | None
    """Time between two readings, the median. None: one reading."""
    seconds: list[float]
    """When, from the start of the window. In s."""
    queue: list[int | None]
    """Items queued at that moment; of a group, the most. Null: not reported."""
    threads: list[int | None]
    """Worker threads at that moment; of a group, the most. Null: not reported."""
    completed_per_s: list[float | None]
    """Items that ended per second since the reading before; of a group, the mean. Null: not reported."""
    queue_mean: float | None
    """Mean of the readings of the queue. None: not told."""
    queue_peak: int | None
    """The longest queue at a reading. None: not told."""
    completed: int
    """Items that ended between readings."""
    stall: StallJson | None
    """The longest time in which no item ended although items were queued. None: there is none."""
    wait_ms: WaitBoundsJson | None
    """Bounds of the mean wait by Little's law: it is the mean queue over the items that leave it per second, if both
    are steady. Nothing is assumed of the time between two readings. None: `no_bounds` says why."""
    no_bounds: str | None
    """Why there are no bounds. not_told: the counters of threads or ended items are missing; few_readings: fewer
    than three intervals; few_items: fewer than 30 items ended, or than two for each thread; not_steady: the queue
    grew or shrank by more than a fifth of the items that ended, or by more than half its mean and a fiftieth of
    the items that ended; longer_than_recording: fewer items ended than were in the queue. None: there are bounds."""


class StallJson(TypedDict):
    """A time in which no item ended although items were queued at each reading."""

    from_s: float
    """Its first reading."""
    to_s: float
    """Its last reading."""
    queued: int
    """Items queued at each of its readings, at least."""


class WaitBoundsJson(TypedDict):
    """Bounds of a mean wait."""

    least: float
    """It is no less. In ms."""
    most: float
    """It is no more. In ms."""


class EventsJson(TypedDict):
    """The events of another tool's trace, of the process that the capture is of."""

    total: int
    """All of them. In events."""
    used: int
    """Those that are used for something. In events."""
    rows: list[EventCountJson]
    """By provider, the most frequent first."""
    rows_left_out: int
    """Rows that are not in `rows`: the least frequent."""
    events_left_out: int
    """Their events. In events."""


class EventCountJson(TypedDict):
    """The events of one kind."""

    provider: str
    """Name of the provider."""
    event: str
    """Name of the event; of one without a name, `event` and its id."""
    count: int
    """How many there are. In events."""
    used: str | None
    """What they are used for, a value of `used` in the table `event_counts`. None: nothing."""


class ThreadWaitsJson(TypedDict):
    """Waits that the runtime reported, by stack."""

    locks: int
    """Waits for a contended lock."""
    locks_s: float
    """Their length, in thread time."""
    waits: int
    """Other waits."""
    waits_s: float
    """Their length, in thread time."""
    threads: int
    """Threads that waited."""
    open: int
    """Waits whose end was not seen; they count up to the end of the recording."""
    rows: list[ThreadWaitJson]
    """By method and kind: locks before other waits, your own methods first, then by thread time."""
    rows_left_out: int
    """Rows that are not in `rows`."""


class ThreadWaitJson(TypedDict):
    """The waits of one kind in one method."""

    kind: str
    """How the thread waited."""
    lock: bool
    """Whether it was for a contended lock."""
    method: str | None
    """Method that waited: your own nearest to the leaf, else one of the framework. None: no stack, or code without a
    name."""
    own: bool
    """Whether the method is your own."""
    count: int
    """Number of waits."""
    threads: int
    """Number of threads that waited."""
    thread_s: float
    """Their length, in thread time."""
    longest_s: float
    """The longest."""
    stack: list[str | None]
    """The stack with most of the time, leaf first; null: code without a name."""


class BlockedFlameJson(TypedDict):
    """Blocked thread time while other items waited, as a call tree."""

    total: float
    """Thread time in all. In ms."""
    measured: float
    """Part of `total`: without what is estimated. In ms."""
    no_stack: float
    """Part of `total`: without a stack. In ms."""
    least: float
    """The smallest of the 2,000 nodes that are kept; 0 if all are kept. In ms."""
    frames: list[FlameFrameJson]
    """What nodes stand for."""
    nodes: BlockedNodesJson
    """The tree."""


class ReadyFlameJson(TypedDict):
    """Ready time of workers inside items, as a call tree."""

    total: float
    """Thread time in all. In ms."""
    waiting: float
    """Part of `total`: while items waited in the queue. In ms."""
    before: float
    """Part of `total`: the stack is that of the last sample before it. In ms."""
    after: float
    """Part of `total`: the stack is that of the first sample after it. In ms."""
    no_sample: float
    """Part of `total`: the item has no sample with a stack. In ms."""
    stretches: int
    """Number of ready stretches."""
    stretches_without: int
    """Those without a sample."""
    distance: float | None
    """Median distance from a stretch to its sample, weighted by ready time. In ms. None: no sample."""
    least: float
    """The smallest of the 2,000 nodes that are kept; 0 if all are kept. In ms."""
    frames: list[FlameFrameJson]
    """What nodes stand for."""
    nodes: ReadyNodesJson
    """The tree."""


class FlameFrameJson(TypedDict):
    """The meaning of a node."""

    method: str | None
    """Method or native function. None: code of the module without symbols."""
    module: str | None
    """Module. None: code that nothing names."""
    kind: str
    """Kind of code. wait: the last of its stack, which says how it waited; none: no stack or no sample."""
    user: bool
    """Whether it is your own code."""
    wait: NotRequired[str]
    """How it waited. Present only if `kind` is wait."""


class BlockedNodesJson(TypedDict):
    """Arrays of one length; callers come before what they call."""

    parent: list[int]
    """Index of the caller; -1 at the start of the thread."""
    frame: list[int]
    """Index into `frames`."""
    self: list[float]
    """Time with the node as leaf. In ms."""
    total: list[float]
    """There and in what it called. In ms."""
    measured: list[float]
    """Part of `total`: without what is estimated. In ms."""


class ReadyNodesJson(TypedDict):
    """Arrays of one length; callers come before what they call."""

    parent: list[int]
    """Index of the caller; -1 at the start of the thread."""
    frame: list[int]
    """Index into `frames`."""
    self: list[float]
    """Time with the node as leaf. In ms."""
    total: list[float]
    """There and in what it called. In ms."""
    waiting: list[float]
    """Part of `total`: while items waited in the queue. In ms."""


class WhatIfJson(TypedDict):
    """The captured work under other settings."""

    captured: CapturedSettingsJson
    """The captured settings."""
    seed: int
    """Seed of all random numbers."""
    replications: int
    """Runs of each setting that chance can change."""
    calibration: CalibrationJson
    """The captured settings simulated, and the distance from the measured values."""
    rows: list[WhatIfRowJson]
    """One row per setting, the captured one first."""
    requests: WhatIfRequestsJson | None
    """The requests that every row speaks of. None: fewer than ten were answered and tied."""
    knee: int | None
    """The fewest minimum threads that are nearly as good as the best: within 5 % of its completion. In threads.
    None: the minimum was not swept, no knee was found, the model does not fit the run, or no item waits."""
    advice: list[WhatIfAdviceJson]
    """What to say about the minimum of threads."""
    left_out: str | None
    """The default settings that are left out because the capture is large, as a sentence. None: nothing."""


class CapturedSettingsJson(TypedDict):
    """The settings under which the capture was made."""

    policy: str
    """How the pool decides: net for .NET 6 and later, or the name of another pool (docs/whatif.md)."""
    min_threads: int
    """Minimum of worker threads that was in force longest."""
    max_threads: int
    """Maximum of worker threads that was in force longest."""
    cores: float
    """CPU that the process was allowed to use. In cores."""
    peak_busy: int
    """Most items that held a thread at once."""


class CalibrationJson(TypedDict):
    """How well the model fits the run."""

    wait_ms: dict[str, CalibratedStatisticJson]
    """Statistics of the waits."""
    threads: CalibratedThreadsJson
    """Most worker threads that existed at once."""
    model_error: float | None
    """Relative error of the mean delay, by simulation or by replay, whichever is further off. None: its items never
    end."""
    confidence: str
    """good; rough: the order of the settings is right, the figures only roughly; not-to-be-trusted: of work items
    nothing is predicted."""
    reasons: list[str]
    """Why it is not good."""


class CalibratedStatisticJson(TypedDict):
    """One statistic of the waits."""

    measured: float
    """As measured. In ms."""
    simulated: float | None
    """Median of the simulated runs. In ms. None: an item never starts."""
    low: float | None
    """Least of the runs. In ms. None: an item never starts."""
    high: float | None
    """Most of the runs. In ms. None: an item never starts."""
    error: float | None
    """Simulated over measured, minus 1; 0 if they differ by less than 5 ms. None: an item never starts in the
    simulation."""


class CalibratedThreadsJson(TypedDict):
    """Worker threads."""

    measured: int
    """In the capture. In threads."""
    simulated: int
    """In the simulation. In threads."""


class WhatIfRequestsJson(TypedDict):
    """Requests that every row speaks of, and how well the replay reproduces them."""

    count: int
    """Requests that are followed: tied to their bytes, and out of the application at the end."""
    answered: int
    """Those with an answer in the capture."""
    missing: int
    """Requests that no thread had read, or that were given up; Poolscope assumes that they need the same as others."""
    left_out: int
    """Requests that Poolscope would follow if the capture showed what they waited for."""
    limited: str | None
    """Which rows do not speak of requests, as a sentence. None: every row does, or none."""
    latency_ms: dict[str, float]
    """Latency of the followed and the missing ones as measured; lower bounds where some had no answer."""
    replay_error: float | None
    """Mean latency of the answered ones in the replay of the capture as it was, over the measured one, minus 1.
    None: some are never answered in the replay."""
    why_not: str | None
    """Why no row speaks of requests, as a sentence. None: they are predicted."""


class WhatIfRowJson(TypedDict):
    """One setting."""

    group: str
    """present: as captured; min-threads: the sweep; fix: one change alone; load: more of the same work; service:
    another service that answers sooner; recorder: without the recorder, if it matters; asked: on the command
    line."""
    label: str
    """The setting in words."""
    setting: SettingJson
    """What is changed."""
    items: int
    """Items simulated."""
    wait_ms: dict[str, float | None]
    """Enqueue to start, median of the runs. A figure is null if some items never start."""
    completion_ms: dict[str, float | None]
    """Enqueue to end, median of the runs. A figure is null if some items never end."""
    request_ms: dict[str, float | None] | None
    """Latency of all requests that came, median of the runs. A figure is null if some are never answered. None:
    `requests` is null, or says why not."""
    request_about: list[str]
    """The figures of `request_ms` that are a direction only: more than 30 % of each is waiting for threads, and the
    pool's growth decides that."""
    interval_ms: dict[str, list[float | None]]
    """Least and most of the runs; null if some items never start or end. request_p99 is 0 where `request_ms` is
    null."""
    delay_ms: dict[str, float | None]
    """The mean of what `of` in `fixes` says, and least and most of the runs: the same figure as in `fixes`. For the
    captured settings as measured. Null if the model does not fit the run, if some items never end, or if the
    requests are not predicted with this setting."""
    end_ms: float | None
    """When the last item ends, since the start of the capture. None: some items never end."""
    peak_threads: int
    """Most worker threads at once."""
    at_once: int
    """Most items under way at once."""
    stack_bytes: int
    """Address space of the stacks of `peak_threads`."""
    context_switches: int
    """Context switches of the simulated pool, for comparing rows. A real pool also switches when it looks for items:
    33 captures had 1 to 64 times as many."""
    deadlock: bool
    """Items wait for items that can never start."""
    stuck: int
    """Items that never end."""
    lower_bound: bool
    """The delay is a lower bound: more is under way at once than in the capture, or too few items were seen to their
    end."""
    why: list[str]
    """What makes the row uncertain, in sentences."""


class FasterServiceJson(TypedDict):
    """A service that answers sooner or later than it did."""

    endpoint: str
    """Address and port."""
    times: float
    """Times as fast; below 1: slower."""


SettingJson = TypedDict(
    "SettingJson",
    {
        # Another pool. None: as captured.
        "policy": str | None,
        # Minimum of worker threads. None: as captured.
        "min_threads": int | None,
        # Maximum of worker threads. None: as captured.
        "max_threads": int | None,
        # CPU that the process may use. In cores. None: as captured.
        "cores": float | None,
        # A blocked item gives its thread back, as with await.
        "async": bool,
        # Each item has a thread of its own (LongRunning).
        "dedicated": bool,
        # Times the captured arrivals.
        "load": float,
        # Without what the recorder's own threads wanted of the cores.
        "unrecorded": bool,
        # Other services that answer requests in another time; empty: as captured.
        "faster": list[FasterServiceJson],
    },
)
"""What is changed."""


class WhatIfAdviceJson(TypedDict):
    """A sentence about the minimum of threads, and its figures."""

    id: str
    """Kind of advice."""
    text: str
    """The advice; empty if it is not shown."""
    min_threads: int
    """The minimum that it is about."""
    delay_ms: float | None
    """The mean of what `of` in `fixes` says, as measured. None: some items never end."""
    delay_after_ms: float | None
    """Mean delay with this minimum. None: some items never end."""
    p99_after_ms: float | None
    """p99 of the wait with this minimum. None: some items never end."""
    end_ms: float | None
    """When the last item ends, simulated as captured. None: some items never end."""
    end_after_ms: float | None
    """When the last item ends with this minimum. None: some items never end."""
    goes_to: str | None
    """Where a wait goes that would only move. None: unknown, or it does not move."""


class LanesJson(TypedDict):
    """Workers over time, bounded for a picture."""

    workers: list[LaneWorkerJson]
    """The 40 workers that held items longest, in the order in which they first took one."""
    left_out: int
    """Workers that are not among them."""
    left_out_busy_s: float
    """Time that those held items."""
    bin_s: float | None
    """Segments are merged to bins of this length: state and item of most of the bin's time, as long as items were
    held in it. None: every segment is as measured."""
    segments: LaneSegmentsJson
    """At most 12,000 segments."""


class LaneWorkerJson(TypedDict):
    """A worker."""

    tid: int
    """Thread id."""
    name: str | None
    """The kernel's name of the thread. None: unknown."""
    items: int
    """Items that it ran."""
    busy_s: float
    """Time with an item."""
    cpu_s: float
    """The part on a core."""
    blocked_s: float
    """The part blocked."""
    ready_s: float
    """The part runnable without a core."""


class LaneSegmentsJson(TypedDict):
    """Arrays of one length, ordered by worker and time. Times are since the start of the capture."""

    worker: list[int]
    """Index into `workers`."""
    item: list[int]
    """`work_items.id`; -1 if the item began before the capture."""
    state: list[str]
    """State of the worker."""
    start_s: list[float]
    """Start."""
    end_s: list[float]
    """End."""


class WorstItemJson(TypedDict):
    """The story of one item. Times are since the start of the capture."""

    item: int
    """`work_items.id`."""
    kind: str
    """Kind of work."""
    method: str | None
    """Outermost method of your own code on the first stack that was taken while the item ran. None: no such stack."""
    task_id: int | None
    """Id of its task. None: not a task."""
    enqueued_s: float
    """Enqueue; the start of the capture if that was not seen."""
    enqueue_seen: bool
    """False if it was queued before the capture."""
    started_s: float | None
    """Start. None: it had not started when the capture ended."""
    ended_s: float | None
    """End. None: its end was not seen."""
    wait_ms: float
    """Its wait."""
    at_least: bool
    """The wait is a lower bound."""
    cause: str
    """Largest part of the wait."""
    parts_ms: dict[str, float]
    """Its wait by cause."""
    execution_ms: dict[str, float]
    """Its execution by state."""
    blocked_in: list[BlockedInJson]
    """Its blocks, longest first. Nothing here is estimated."""
    enqueue_tid: int
    """Thread that queued it; -1 if unknown."""
    enqueue_thread: str | None
    """The kernel's name of that thread. None: unknown."""
    enqueued_by_item: int | None
    """Item that ran on that thread. None: none."""
    worker_tid: int | None
    """Worker that ran it. None: it had not started."""
    queued_before_it: int
    """Items in the queue when it was queued."""
    overtaken_by: int
    """Items that were queued later and started earlier."""
    pool: PoolThenJson
    """The pool meanwhile."""


class BlockedInJson(TypedDict):
    """A place where an item blocked."""

    method: str | None
    """The method, as in `blame[]`. None: no frame has a name."""
    kind: str
    """How it was blocked."""
    known_by: str
    """The source of the method."""
    ms: float
    """How long. In ms."""


class PoolThenJson(TypedDict):
    """The pool at the moments of an item."""

    at_enqueue: PoolMomentJson
    """Right before its enqueue."""
    meanwhile: PoolMeanJson | None
    """On average over its wait. None: it did not wait."""
    at_start: PoolMomentJson
    """Right before its start."""


class PoolMomentJson(TypedDict):
    """The pool at a moment."""

    goal: int
    """Goal. In threads."""
    busy: int
    """Workers with an item. In workers."""
    running: int | None
    """Those on a core. In workers. None: the capture has no kernel stream."""
    ready: int | None
    """Those runnable without a core. In workers. None: the capture has no kernel stream."""
    blocked: int | None
    """Those blocked. In workers. None: the capture has no kernel stream."""


class PoolMeanJson(TypedDict):
    """The pool on average."""

    goal: float
    """Goal. In threads."""
    busy: float
    """Workers with an item. In workers."""
    running: float | None
    """Those on a core. In workers. None: the capture has no kernel stream."""
    ready: float | None
    """Those runnable without a core. In workers. None: the capture has no kernel stream."""
    blocked: float | None
    """Those blocked. In workers. None: the capture has no kernel stream."""


class TimelineJson(TypedDict):
    """The capture in 480 bins. Times are since the start of the capture."""

    seconds: list[float]
    """Start of each bin. In s."""
    bin_seconds: float
    """Length of a bin. In s."""
    queue: list[float]
    """Most items queued in each bin. In items."""
    goal: list[float]
    """Mean goal. In threads."""
    busy: list[float]
    """Mean number of workers with an item. In workers."""
    threads: list[float]
    """Mean number of workers that exist. In threads."""
    running: list[float]
    """Mean number of workers with an item and on a core. In workers."""
    ready: list[float]
    """Mean number of workers with an item that are runnable without a core. In workers."""
    blocked: list[float]
    """Mean number of workers with an item that are blocked. In workers."""
    suspended: list[float]
    """Share of the bin in which the runtime was suspended."""
    cpu_target: list[float] | None
    """Mean number of cores that the process used. In cores. None: the capture has no kernel stream."""
    cpu_others: list[float] | None
    """Mean number of cores that all other threads used, including those that no stream assigns to a process. In
    cores. None: no kernel stream, or one that shows the process alone."""
    limit: list[int | None] | None
    """The limit that held longest while items were queued, as an index into `limit_totals`; null in a bin if items
    were queued for less than 1 % of it. None: the capture has no kernel stream."""
    limit_totals: list[LimitTotalJson] | None
    """Each limit that held at all. None: the capture has no kernel stream."""
    suspensions: list[SuspensionJson]
    """The 400 longest suspensions, in order of time."""
    suspension_totals: SuspensionTotalsJson
    """All suspensions."""
    pool_changes: list[PoolChangeJson]
    """Changes of the goal; if there are more than 400, every k-th."""
    pool_change_totals: list[PoolChangeTotalJson]
    """How often each reason changed the goal, most often first."""
    waits: list[WaitsJson]
    """Waits by their main cause: all of them up to 4,000 items; of more, the longest and the shortest of each bin,
    and the ten longest of all."""
    distribution: DistributionJson | None
    """Distribution of the waits. None: no items."""


class LimitTotalJson(TypedDict):
    """The limits of the pool while items were queued."""

    limit: str
    """The limit (docs/attribution.md)."""
    words: str
    """The limit in words."""
    seconds: float
    """How long it held while items were queued. In s."""
    share: float
    """Share of the time in which items were queued."""


class SuspensionJson(TypedDict):
    """A suspension of the runtime, as for a garbage collection."""

    seconds: float
    """Start. In s."""
    ms: float
    """Length. In ms."""


class SuspensionTotalsJson(TypedDict):
    """All suspensions."""

    times: int
    """How many."""
    ms: float
    """Length in all. In ms."""
    longest_ms: float
    """The longest."""


class PoolChangeJson(TypedDict):
    """A change of the goal."""

    seconds: float
    """When. In s."""
    goal: int
    """The new goal. In threads."""
    reason: str
    """The reason, as .NET calls it."""
    words: str
    """The reason in words."""


class PoolChangeTotalJson(TypedDict):
    """All changes of the goal for one reason."""

    reason: str
    """The reason, as .NET calls it."""
    words: str
    """The reason in words."""
    times: int
    """How often."""
    first_s: float
    """When first."""
    last_s: float
    """When last."""


class WaitsJson(TypedDict):
    """Waits of one main cause. Arrays of one length; `items` counts all of them."""

    cause: str
    """The cause."""
    items: int
    """Items with this main cause."""
    seconds: list[float]
    """Enqueue. In s."""
    wait_ms: list[float]
    """Wait."""
    item: list[int]
    """`work_items.id`."""
    at_least: list[bool]
    """The wait is a lower bound."""
    start_s: list[float | None]
    """Start; null if it was not seen."""
    end_s: list[float | None]
    """End; null if it was not seen."""
    worker_tid: list[int | None]
    """Worker that ran it; null if it did not start."""


class DistributionJson(TypedDict):
    """Counts of waits in bins of equal ratio, eight to a decade, from the first that is not empty to the last. Waits
    below 1 µs count as 1 µs."""

    from_ms: list[float]
    """Lower edge of each bin."""
    to_ms: list[float]
    """Upper edge of each bin."""
    items: dict[str, list[int]]
    """Items of each bin, by main cause."""
    at_least: list[int]
    """Those with a wait that is a lower bound."""
    percentiles: list[CausePercentilesJson]
    """All items, then each main cause."""


class CausePercentilesJson(TypedDict):
    """The waits of one main cause."""

    cause: str | None
    """The cause. None: all items."""
    items: int
    """How many items."""
    wait_ms: SummaryJson
    """Their waits."""
