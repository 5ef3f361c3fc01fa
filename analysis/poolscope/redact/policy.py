"""Which key of an analysis holds what kind of name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from poolscope.redact import names
from poolscope.redact.names import Token

Rule = Callable[[str, Token], str]

KEYS: dict[str, Rule] = {
    "method": names.method,
    "methods": names.method,
    "frames": names.method,
    "stack": names.method,
    "call": names.call,
    "instead": names.call,
    "assemblies": names.assembly,
    "entry": names.assembly,
    "module": names.module,
    "file": names.file,
    "from": names.file,
    "cut": names.file,
    "path": names.file,
    "process": names.process,
    "thread": names.thread,
    "worker": names.thread,
    "route": names.fixed("route"),
    "service": names.fixed("service"),
    "services": names.fixed("service"),
    "source": names.fixed("source"),
    "operation": names.fixed("activity"),
    "trace_id": names.fixed("trace"),
    "endpoint": names.fixed("endpoint"),
    "http_method": names.http_method,
    "user": names.fixed("user"),
    "runtime": names.runtime,
    "kernel": names.kernel,
    "os": names.system,
    "start_utc": names.time,
    "end_utc": names.time,
    "version": names.version,
}
"""By the last key, wherever it stands, or by the last word of it, as in `enqueue_thread`. Strings of a list are ruled by the key of the list."""
NAMES: dict[tuple[str, ...], Rule | None] = {
    ("capture",): names.fixed("capture"),
    ("capture", "host"): names.fixed("host"),
    ("capture", "target"): names.process,
    ("capture", "tool"): None,
    ("tool",): None,
}
"""The meaning of the key `name` inside these; elsewhere it is the name of a thread."""
COMMAND = ("capture", "target", "command")
CONDITIONS = ("command", "host")
"""For a comparison's conditions, those that are replaced as a whole: in a sentence redaction leaves the tool's own words, and
an argument may be one."""


def rule_of(path: tuple[str, ...], index: int | None, siblings: Mapping[str, object]) -> Rule | None:
    """Returns how the string at `path` (keys only, `index` in its list) is made harmless. None: as a sentence of the tool's own."""
    if path == COMMAND:
        return names.fixed("argument") if index else names.file
    if label := _label(path, siblings):
        return names.fixed(label)
    if kind := _condition(path, siblings):
        return names.fixed(kind)
    if path and path[-1] == "name":
        return NAMES.get(path[:-1], names.thread)
    module = siblings.get("module")
    if path and path[-1] == "method" and isinstance(module, str) and siblings.get("kind") == "native":
        return partial(names.method, module=module)
    last = path[-1] if path else ""
    return KEYS.get(last) or KEYS.get(last.rpartition("_")[2])


def _condition(path: tuple[str, ...], siblings: Mapping[str, object]) -> str | None:
    """Returns which of CONDITIONS the string is: a run's own, or one in which two sides of a comparison differ."""
    if len(path) > 1 and path[-2] == "conditions":
        kind = path[-1]
    elif path in (("differs", "a"), ("differs", "b")):
        kind = str(siblings.get("what"))
    else:
        return None
    return kind if kind in CONDITIONS else None


def _label(path: tuple[str, ...], siblings: Mapping[str, object]) -> str | None:
    """Returns what a value of a capture's label or of a fleet's group is a name of; None of what is no such value, or names nobody: hours and runtimes."""
    if path and path[-1] in ("version_name", "before", "after"):
        return "version" if path[0] == "trends" else None
    of_capture = path == ("capture", "labels", "value")
    if not of_capture and (not path or path[-1] != "value" or path[0] not in ("ranking", "groups")):
        return None
    key = siblings.get("key") if "key" in siblings else "label"
    return None if key in ("hour", "runtime") else "host" if key == "host" else "label"
