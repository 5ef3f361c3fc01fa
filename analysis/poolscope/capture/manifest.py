"""Reading capture.json (traces/README.md): every value is of its type and in its range before anything uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from poolscope.base.errors import UnreadableCapture
from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.capture.schema import load_schema

MOST_BYTES = 4 << 20
"""A manifest has some 3 kB; its longest parts are a command line and what the capture could not have."""
LATEST_NS = 1 << 62
"""146 years: no clock that counts from a start of a machine gets there, and sums of two times still fit 64 bits."""
MOST_CPUS = 65_536
LABEL_KEY = re.compile(r"[a-z0-9_.-]{1,64}")
MOST_LABELS = 32
MOST_LABEL = 256
"""Characters of a label's text."""
NEEDED = ("clock", "host", "target", "tool")
"""What every manifest says."""

Check = Callable[[Any], bool]


def read_manifest(raw: bytes, path: Path) -> dict[str, Any]:
    """Returns the content of capture.json. Raises UnreadableCapture, naming the key, when it is damaged or of another format."""

    def damaged(why: str) -> NoReturn:
        raise UnreadableCapture(f"{path}: capture.json is damaged ({why})")

    if len(raw) > MOST_BYTES:
        damaged(f"it has {len(raw):,} bytes; {MOST_BYTES:,} are allowed")
    try:
        manifest = json.loads(raw, parse_constant=_no_constant)
    except RecursionError:
        damaged("it is nested too deeply")
    except ValueError as error:
        damaged(str(error))
    if not isinstance(manifest, dict) or "format" not in manifest:
        damaged("it names no format")
    known = load_schema().format
    if not _whole(manifest["format"], 0, LATEST_NS):
        damaged("format is no whole number")
    if manifest["format"] != known:
        raise UnreadableCapture(f"{path}: {_other_format(manifest['format'], known)}")
    if lacking := [part for part in NEEDED if not isinstance(manifest.get(part), dict)]:
        damaged(f"it lacks {', '.join(lacking)}")
    for place, value, (words, check) in _values(manifest):
        if not check(value):
            damaged(f"{place} is {_shown(value)}, not {words}")
    return manifest


def _other_format(found: int, known: int) -> str:
    if found > known:
        return f"capture format {found}, made by a newer Poolscope; this one reads format {known}: update it"
    return f"capture format {found}, made by an older Poolscope; this one reads format {known}: use the Poolscope that recorded it"


def _values(manifest: dict[str, Any]) -> Iterator[tuple[str, Any, tuple[str, Check]]]:
    """Yields every value that the analysis reads, with its place and the rule for it."""
    for name, rule in WHOLE.items():
        yield name, manifest.get(name), rule
    for part, rules in PARTS.items():
        content = manifest.get(part)
        if isinstance(content, dict):
            for key, rule in rules.items():
                yield f"{part}.{key}", content.get(key), rule
    for part, rules in LISTS.items():
        for at, entry in enumerate(manifest.get(part) or []):
            for key, rule in rules.items():
                yield f"{part}[{at}].{key}", entry.get(key), rule


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _number(value: Any, most: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= most


def _is_time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        # A page adds the capture's length to it, and shows it in UTC.
        return 1970 <= datetime.fromisoformat(value).year <= 9000
    except ValueError:
        return False


def _limit(value: Any) -> bool:
    return isinstance(value, dict) and _whole(value.get("value"), 0, 32_767) and isinstance(value.get("known"), str)


def _optional(rule: tuple[str, Check]) -> tuple[str, Check]:
    words, check = rule
    return f"{words} or null", lambda value: value is None or check(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return "missing" if value is None else text if len(text) <= 40 else f"{text[:37]}..."


TEXT: tuple[str, Check] = ("a text", lambda value: isinstance(value, str))
FLAG: tuple[str, Check] = ("true or false", lambda value: isinstance(value, bool))
MOMENT: tuple[str, Check] = ("a time in ns", lambda value: _whole(value, -LATEST_NS, LATEST_NS))
TIME: tuple[str, Check] = ("a time in ns", lambda value: _whole(value, -1, LATEST_NS))
UTC: tuple[str, Check] = ("a time in UTC", _is_time)
COUNT: tuple[str, Check] = ("a count", lambda value: _whole(value, -1, LATEST_NS))
PROCESS: tuple[str, Check] = ("a process id", lambda value: _whole(value, 0, (1 << 31) - 1))
EXIT: tuple[str, Check] = ("an exit code", lambda value: _whole(value, -(1 << 31), (1 << 32) - 1))
CPUS: tuple[str, Check] = ("a number of CPUs", lambda value: _whole(value, 1, MOST_CPUS))
QUOTA: tuple[str, Check] = ("a number of CPUs", lambda value: _number(value, MOST_CPUS))
LIMIT: tuple[str, Check] = ("a limit of threads and its source", _limit)
COUNTS: tuple[str, Check] = (
    "an object of counts",
    lambda value: isinstance(value, dict) and all(_whole(count, 0, LATEST_NS) for count in value.values()),
)
LABELS: tuple[str, Check] = (
    "at most 32 labels, each a key of 1 to 64 of a-z, 0-9, _, . and - with a text of at most 256 characters",
    lambda value: isinstance(value, dict)
    and len(value) <= MOST_LABELS
    and all(
        LABEL_KEY.fullmatch(key) and isinstance(text, str) and len(text) <= MOST_LABEL for key, text in value.items()
    ),
)
THREADS: tuple[str, Check] = ("a number of threads", lambda value: _whole(value, 1, 32_767))
QUEUED: tuple[str, Check] = (
    "a list of methods with their kinds and counts",
    lambda value: isinstance(value, list)
    and all(
        isinstance(entry, dict)
        and isinstance(entry.get("method"), str)
        and isinstance(entry.get("kind"), str)
        and _whole(entry.get("count"), 0, LATEST_NS)
        for entry in value
    ),
)
OBJECT: tuple[str, Check] = ("an object", lambda value: isinstance(value, dict))
TEXTS: tuple[str, Check] = (
    "a list of texts",
    lambda value: isinstance(value, list) and all(isinstance(word, str) for word in value),
)
OBJECTS: tuple[str, Check] = (
    "a list of objects",
    lambda value: isinstance(value, list) and all(isinstance(entry, dict) for entry in value),
)

WHOLE = {
    "status": _optional(TEXT),
    "stop": _optional(TEXT),
    "pool": _optional(OBJECT),
    "look": _optional(OBJECT),
    "look_at_end": _optional(OBJECT),
    "labels": _optional(LABELS),
    "tables": _optional(COUNTS),
    **dict.fromkeys(("phases", "streams", "refused", "made_from"), _optional(OBJECTS)),
}
LOOK = {
    "minimum": THREADS,
    "maximum": THREADS,
    "goal": _optional(THREADS),
    "queue_length": COUNT,
    "queued": QUEUED,
}
PARTS = {
    "tool": {"name": _optional(TEXT), "version": _optional(TEXT), "pid": _optional(PROCESS)},
    "clock": {"id": _optional(TEXT), "start_ns": TIME, "start_utc": UTC},
    "host": {
        **dict.fromkeys(("name", "os", "kernel", "architecture"), _optional(TEXT)),
        "cpus_online": _optional(CPUS),
        "memory_bytes": _optional(COUNT),
    },
    "target": {
        "pid": PROCESS,
        "name": TEXT,
        "launched": FLAG,
        "cpus_allowed": CPUS,
        "processor_count": CPUS,
        "cpu_quota": _optional(QUOTA),
        "command": _optional(TEXTS),
        "limits": _optional(TEXTS),
        "exit_code": _optional(EXIT),
        "runtime": _optional(TEXT),
        "process_start_ns": _optional(MOMENT),
        "min_threads": _optional(LIMIT),
        "max_threads": _optional(LIMIT),
    },
    "look": LOOK,
    "look_at_end": LOOK,
    "pool": {"name": _optional(TEXT), "provider": _optional(TEXT), "other_items": _optional(COUNT)},
}
LISTS = {
    "streams": {
        "file": TEXT,
        **dict.fromkeys(("tier", "scope"), _optional(TEXT)),
        **dict.fromkeys(("start_ns", "end_ns", "poll_step_ns"), _optional(TIME)),
        **dict.fromkeys(("bytes", "events", "lost", "cpu_ns", "stalled_ns"), _optional(COUNT)),
    },
    "phases": {"name": TEXT, "start_ns": TIME, "end_ns": TIME},
    "made_from": dict.fromkeys(("file", "from", "format"), TEXT),
    "refused": dict.fromkeys(("stream", "wanted", "why", "how"), _optional(TEXT)),
}


def of_windows(manifest: Mapping[str, object]) -> bool:
    """Returns whether the manifest's `host.os` names Windows, as in "Microsoft Windows 10.0.19045"."""
    host = manifest.get("host")
    return isinstance(host, Mapping) and "Windows" in str(host.get("os"))


def utc_ns_at_start(clock: Mapping[str, Any]) -> int:
    """Returns nanoseconds since 1970 in UTC at `clock.start_ns` of a manifest, good to a millisecond."""
    seconds = datetime.fromisoformat(str(clock["start_utc"])).timestamp()
    return round(seconds * MS_PER_S) * int(NS_PER_MS)
