"""What was replaced in a redacted report, and what a reader of it can still see."""

from __future__ import annotations

from collections.abc import Mapping

from poolscope.html.formatting import counted

KINDS = {
    "capture": "name of the capture",
    "host": "host name",
    "user": "user name",
    "process": "process name",
    "thread": "thread name",
    "method": "method name",
    "type": "type name",
    "module": "module",
    "path": "path",
    "argument": "argument",
    "command": "command line",
    "word": "other word",
}
PLURALS = {"capture": "names of captures"}
STAYS = (
    "times in UTC, durations and counts; sizes of the machine and of its limits; process and thread ids and addresses of "
    "locks; the operating system and the .NET version; names of the runtime, of System.* and Microsoft.*, of system "
    "libraries and of the kernel's own threads"
)


def redacted_section(replaced: Mapping[str, int] | None) -> dict[str, str] | None:
    """Returns what to say of `redacted`, how many names of each kind were replaced. None: the report is not redacted."""
    if replaced is None:
        return None
    kinds = [counted(replaced[k], words, PLURALS.get(k)) for k, words in KINDS.items() if replaced.get(k)]
    return {"replaced": ", ".join(kinds) or "nothing: it held no name", "stays": STAYS}
