"""The capture: the recording, the process, the host, and the evidence that could not be recorded."""

from __future__ import annotations

import re
import shlex
from datetime import datetime, timedelta

from poolscope.base.runtimes import untested
from poolscope.contract.analysis_json import (
    AnalysisJson,
    CapacityJson,
    LookJson,
    CaptureCardJson,
    PoolJson,
    TargetJson,
)
from poolscope.html.formatting import ABSENT, count, counted, moment, percent, size
from poolscope.report.sections.streams import (
    Row,
    evidence_rows,
    loss_rows,
    made_from,
    of_other_tool,
    recorded_events,
    stream_rows,
)

LIMITS_KNOWN = {
    "event": "reported by the runtime",
    "environment": "from the environment",
    "look": "read from its memory when the recording began",
    "runtimeconfig": "from runtimeconfig.json",
    "default": "the runtime's default",
    "inferred": "inferred: the pool stood still and added no thread",
    "unknown": "assumed: the runtime's default",
}
QUEUED_SHOWN = 3
"""The number of methods listed as queued at the start."""
LEAST_STOLEN = 0.005
"""The least steal time to mention: half a percent."""
NOT_TOLD = {
    "inferred": " (inferred)",
    "default": " (assumed: the runtime's default)",
    "unknown": " (assumed)",
}
"""Suffixes for a maximum that no event and no configuration gave."""
STOPS = {
    "duration": "its duration was over",
    "signal": "a signal asked it to stop",
    "target-exit": "the process ended",
    "target-killed": "the process was killed or crashed",
    "max-size": "the capture reached its size limit",
}
SIGNALS = {
    2: "SIGINT, an interrupt",
    4: "SIGILL, a crash",
    6: "SIGABRT (for example an unhandled exception)",
    7: "SIGBUS, a crash",
    8: "SIGFPE, a crash",
    9: "SIGKILL (for example out of memory)",
    11: "SIGSEGV, a crash",
    15: "SIGTERM, a request to end",
}
"""Signals that end a process, by Linux's numbers."""
BY_SIGNAL = 128
"""The difference between the exit code of a process that a signal ended and the signal's number."""
STATUSES = {
    "complete": "complete",
    "incomplete": "incomplete: events were lost, or the process refused its own",
    "cut": "truncated: a stream ended before the recording did",
    "recording": "the collector was killed while it recorded",
}

UNKNOWN = "not known"


def captured_section(analysis: AnalysisJson) -> dict[str, object]:
    capture = analysis["capture"]
    return {
        "gist": _gist(analysis),
        "groups": [
            ("Capture", _known([*_capture_rows(analysis), *evidence_rows(analysis)])),
            (
                "Process",
                _known(
                    [
                        *_process_rows(capture["target"], analysis["pool"]),
                        *_look_rows(capture["look"], "Queued at the start"),
                        *_look_rows(capture["look_at_end"], "Queued at the end"),
                    ]
                ),
            ),
            ("Host", _known(_host_rows(capture, capture["capacity"]))),
        ],
        "streams": stream_rows(analysis),
        "events": recorded_events(analysis),
        "losses": loss_rows(analysis),
        "of_other_tool": of_other_tool(capture),
        "refused": [
            {
                "stream": r.get("stream") or ABSENT,
                "wanted": r.get("wanted") or ABSENT,
                "why": r.get("why") or ABSENT,
                "how": r.get("how") or ABSENT,
            }
            for r in capture["refused"]
        ],
    }


def _seconds(analysis: AnalysisJson) -> float:
    """Returns the length of the recording."""
    part = analysis.get("part")
    return part["recording"]["seconds"] if part else analysis["capture"]["seconds"]


def _gist(analysis: AnalysisJson) -> str:
    """Returns the line shown in the folded section."""
    capture = analysis["capture"]
    status = STATUSES.get(str(capture["status"]), str(capture["status"])).partition(":")[0]
    refused = len(capture["refused"])
    said = f"{moment(_seconds(analysis))} in {counted(len(capture['streams']), 'stream')}; {status}"
    if not refused:
        return f"{said}."
    if of_other_tool(capture):
        return f"{said}; {counted(refused, 'kind')} of information not in it."
    return f"{said}; {counted(refused, 'request')} refused."


def _capture_rows(analysis: AnalysisJson) -> list[Row]:
    capture, part, seconds = analysis["capture"], analysis.get("part"), _seconds(analysis)
    tool = capture["tool"]
    status = STATUSES.get(str(capture["status"]), capture["status"])
    stop = STOPS.get(str(capture["stop"]), capture["stop"])
    return [
        ("Name", capture["name"]),
        ("Start (UTC)", _clock(capture["start_utc"])),
        ("End (UTC)", _end(capture["start_utc"], seconds)),
        ("Duration", moment(seconds)),
        ("Analysed", f"{moment(part['from_s'])} to {moment(part['to_s'])}" if part else None),
        ("Status", f"{status}; {stop}" if stop else status),
        (
            "Began",
            "before the process's first instruction"
            if analysis["coverage"]["launched"]
            else "late, attached to a running process",
        ),
        ("Labels", ", ".join(f"{label['key']}={label['value']}" for label in capture["labels"]) or None),
        ("Made from", made_from(capture)),
        ("Collector", f"{tool.get('name', '')} {tool.get('version', '')}".strip()),
    ]


def captured_lines(analysis: AnalysisJson) -> list[tuple[str, str]]:
    """Returns the card in a few lines, for places without room for all of it."""
    capture, pool = analysis["capture"], analysis["pool"]
    process, host = dict(_process_rows(capture["target"], pool)), dict(_host_rows(capture, []))
    card = dict(_capture_rows(analysis)) | dict(evidence_rows(analysis))
    named = {
        "Process": _joined(process["Name"], f"process id {process['Process id']}", process["Runtime"]),
        "Command": process["Command"],
        "Host": _joined(host["Name"], host["System"], f"kernel {host['Kernel']}", host["Architecture"]),
        "CPU": _joined(
            f"{host['Cores online']} cores online", f"{host['Cores allowed']} allowed", f"quota {host['CPU quota']}"
        ),
        "Pool": f"minimum {process['Minimum threads']}, maximum {process['Maximum threads']} threads",
        "When": f"{card['Start (UTC)']} UTC, for {card['Duration']}; {card['Status']}",
        "Evidence": _joined(
            card["Tiers"], f"{card['Events']}" if card["Events"] else None, f"{card['Lost']} lost", card["Coverage"]
        ),
    }
    return [(label, str(value)) for label, value in named.items() if value]


def _joined(*parts: object) -> str:
    return ", ".join(str(part) for part in parts if part)


def _clock(utc: str) -> str:
    """Returns the time to the millisecond, because readers compare it with a log."""
    return re.sub(r"(\.\d{3})\d+$", r"\1", utc.replace("T", " ").rstrip("Z"))


def _end(start_utc: str, seconds: float) -> str | None:
    """Returns the end of the recording, or None if the start is not readable."""
    try:
        start = datetime.fromisoformat(_clock(start_utc))
    except ValueError:
        return None
    return (start + timedelta(seconds=seconds)).isoformat(" ", "milliseconds")


def _process_rows(target: TargetJson, pool: PoolJson) -> list[Row]:
    command = target.get("command")
    return [
        ("Name", UNKNOWN if target["name"] == f"process-{target['pid']}" else target["name"]),
        ("Process id", target.get("pid")),
        ("Command", _command(command)),
        ("Runtime", _runtime(target.get("runtime"))),
        ("Exit code", _exit_code(target)),
        (
            "Minimum threads",
            f"{pool['min_threads']:,} ({LIMITS_KNOWN.get(pool['limits_known'], pool['limits_known'])})",
        ),
        (
            "Maximum threads",
            f"{pool['max_threads']:,}{NOT_TOLD.get(pool['limits_known'], '')}",
        ),
    ]


def _command(command: list[str] | None) -> str:
    """Returns the words of a command line, ready for a shell. Other tools record it as one text, which is returned
    unchanged."""
    if not command:
        return UNKNOWN
    return command[0].strip() if len(command) == 1 else shlex.join(map(str, command))


def _look_rows(look: LookJson | None, words: str) -> list[Row]:
    """Returns the items queued when the collector looked: no event shows items queued before it attached."""
    if look is None:
        return []
    shown = [f"{row['count']:,} of {row['method']}" for row in look["queued"][:QUEUED_SHOWN]]
    rest = look["queue_length"] - sum(row["count"] for row in look["queued"][:QUEUED_SHOWN])
    said = [*shown, *([f"{rest:,} of other methods"] if shown and rest > 0 else [])]
    of = f": {', '.join(said)}" if said else ""
    return [(words, f"{counted(look['queue_length'], 'item')}{of}")]


def _runtime(runtime: str | None) -> str:
    warning = untested(runtime)
    return f"{runtime}. {warning}" if warning else runtime or UNKNOWN


def _exit_code(target: TargetJson) -> int | str | None:
    code = target.get("exit_code")
    signal = SIGNALS.get(code - BY_SIGNAL) if code is not None else None
    return f"{code} (that of {signal})" if signal else code


def _host_rows(capture: CaptureCardJson, capacity: list[CapacityJson]) -> list[Row]:
    host, target = capture["host"], capture["target"]
    quota, memory = target.get("cpu_quota"), host.get("memory_bytes")
    # Other tools do not record it, and no tool records it on Windows.
    without = UNKNOWN if of_other_tool(capture) else "none"
    return [
        ("Name", host.get("name")),
        ("System", host.get("os") or (UNKNOWN if capture["made_from"] else None)),
        ("Kernel", host.get("kernel")),
        ("Architecture", host.get("architecture")),
        ("Cores online", host.get("cpus_online")),
        ("Cores allowed", target.get("cpus_allowed")),
        ("CPU quota", f"{quota:g} CPUs" if quota else without),
        ("CPU over time", ", ".join(_cores(c) for c in capacity) if len(capacity) > 1 else None),
        ("Taken by the virtual machine's host", _stolen(capture["stolen_share"])),
        ("Processor count of .NET", target.get("processor_count")),
        ("Memory", size(memory) if memory else None),
    ]


def _stolen(share: float | None) -> str | None:
    """Returns the share that the host took, or None if it was little, as on most machines."""
    return f"{percent(share)} of its processor time" if share is not None and share >= LEAST_STOLEN else None


def _cores(change: CapacityJson) -> str:
    cores = f"{change['cores']:g} core{'' if change['cores'] == 1 else 's'}"
    return f"{cores} from {moment(change['from_s'])} on" if change["from_s"] > 0 else f"{cores} at first"


def _known(rows: list[Row]) -> list[Row]:
    return [(label, value) for label, value in rows if value is not None and value != ""]
