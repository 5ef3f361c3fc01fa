"""Options and arguments that several verbs share: captures, durations, the part to analyse, and output files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from poolscope.base.errors import ExitCode, InvalidArgument
from poolscope.base.files import keep_out_of_evidence, write_text
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.typed import duration_ns, size_bytes
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.cli.completion import CapturePath

if TYPE_CHECKING:
    from poolscope.contract.analysis_json import VerdictJson


def parse_length(option: str, text: str | None) -> float | None:
    """Returns a length of time such as 30s, 1h30m, 300 or 00:05:00 in seconds, at least 1; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    length = duration_ns(text, bare="s")
    if length is None:
        raise InvalidArgument(f"{option} {text}: a time such as 30s, 5m, 1h30m or 300 (seconds)")
    if length < NS_PER_S:
        raise InvalidArgument(f"{option} {text}: at least 1 s")
    return length / NS_PER_S


def parse_moment(option: str, text: str | None) -> float | None:
    """Returns a moment of a recording in seconds from its beginning; a number alone is seconds. None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    at = duration_ns(text, bare="s")
    if at is None:
        raise InvalidArgument(
            f"{option} {text}: a time from the beginning of the recording, such as 90s, 1m30s or 250ms"
        )
    return at / NS_PER_S


def parse_duration(option: str, text: str | None) -> float | None:
    """Returns a duration with its unit, such as 100ms or 2s, in ms, above 0; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    duration = duration_ns(text)
    if duration is None:
        raise InvalidArgument(f"{option} {text}: a time with its unit, such as 100ms or 2s")
    if not duration:
        raise InvalidArgument(f"{option} {text}: a time above 0")
    return duration / NS_PER_MS


class OutputPath(click.Path):
    """A file to write, or a folder if the verb can write one. Fails at once if it cannot be written."""

    name = "output"

    def __init__(self, folder_allowed: bool = False) -> None:
        super().__init__(path_type=Path)
        self.folder_allowed = folder_allowed

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Returns the path. Raises InvalidArgument, which says why it cannot be written."""
        path = Path(value)
        if not str(value):
            raise InvalidArgument("cannot write to a file without a name: -o takes a path")
        if why := self._in_the_way(path):
            raise InvalidArgument(f"cannot write {path}: {why}")
        return path

    def _in_the_way(self, path: Path) -> str | None:
        parent = path.parent
        try:
            if path.is_dir() and not self.folder_allowed:
                return "it is a folder; name a file in it"
            if not parent.exists():
                return f"there is no folder {parent}"
            if not parent.is_dir():
                return f"{parent} is a file, not a folder"
        except OSError as error:
            return error.strerror or str(error)
        if not os.access(parent, os.W_OK):
            return f"the folder {parent} is not writable"
        return None


LEAST_BYTES = 1 << 20


class PartOptions(TypedDict):
    """Arguments of `poolscope.open`."""

    from_s: float | None
    until_s: float | None
    memory: int | None


def part_options(verb: Callable[..., object]) -> Callable[..., object]:
    """Adds `--from`, `--until` and `--memory`. The verb receives them as `part`, a PartOptions."""

    @click.option(
        "--from",
        "begin",
        metavar="TIME",
        help="Analyse from this moment of the recording on, such as 90s or 1m30s. Default: its beginning.",
    )
    @click.option(
        "--until", "end", metavar="TIME", help="Analyse up to this moment. Default: the end of the recording."
    )
    @click.option(
        "--memory",
        metavar="SIZE",
        help="Memory for the analysis, such as 4GB or 512MB. If a capture needs more, Poolscope analyses the part "
        "with the longest waits (docs/large-captures.md). Default: four fifths of the free memory.",
    )
    @functools.wraps(verb)
    def with_part(
        *arguments: object, begin: str | None, end: str | None, memory: str | None, **others: object
    ) -> object:
        part: PartOptions = {
            "from_s": parse_moment("--from", begin),
            "until_s": parse_moment("--until", end),
            "memory": None if memory is None else parse_size("--memory", memory),
        }
        if part["until_s"] == 0:
            raise InvalidArgument(f"--until {end}: the part must end after the recording begins")
        return verb(*arguments, part=part, **others)

    return with_part


def parse_size(option: str, text: str) -> int:
    """Returns a size such as 4GB or 512MiB in bytes, at least LEAST_BYTES.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    size = size_bytes(text)
    if size is None:
        raise InvalidArgument(f"{option} {text}: a size with its unit, such as 4GB or 512MB")
    if size < LEAST_BYTES:
        raise InvalidArgument(f"{option} {text}: at least 1MB")
    return size


__all__ = [
    "capture_argument",
    "default_output",
    "end_with_verdict",
    "json_option",
    "late_option",
    "keep_out_of_evidence",
    "output_option",
    "own_option",
    "redact_option",
    "redacted_name",
    "write_text",
]

NO_VERDICT = "cannot-tell"
Verb = TypeVar("Verb", bound=Callable[..., object])

capture_argument = click.argument("capture", type=CapturePath())


redact_option = click.option(
    "--redact", "redacted", is_flag=True, help="Replace names, paths and arguments by tokens (docs/security.md)."
)


def redacted_name(start_utc: object) -> str:
    """Returns a name from the start time of a capture. The capture's own name contains the process name, and a file's
    name travels with it."""
    return "redacted-" + "".join(c for c in str(start_utc)[:19] if c.isdigit() or c == "T")


def late_option(verb: Verb) -> Verb:
    """Adds `--late`, the wait from which an item is late. The verb receives `late`, ms."""
    return click.option(
        "--late",
        metavar="TIME",
        default=f"{LATE_LIMIT_MS:g}ms",
        show_default=True,
        callback=lambda context, option, text: parse_duration("--late", text),
        help="An item that waits longer is late, such as 100ms or 2s.",
    )(verb)


def own_option(verb: Verb) -> Verb:
    """Adds `--own`, the assemblies whose methods count as the user's own code. The verb receives `own`, a list, or
    None."""
    return click.option(
        "--own",
        metavar="ASSEMBLY,...",
        callback=lambda context, option, text: None if text is None else parse_own(text),
        help="Assemblies whose methods count as your own code, such as 'Acme.*'. Default: those that the application ships "
        "as its own (docs/blame.md).",
    )(verb)


def parse_own(text: str) -> list[str]:
    """Returns the assemblies that `--own` names. Raises InvalidArgument if one has no name."""
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise InvalidArgument(
            f"--own {text!r}: an assembly without a name; write names with commas between, such as Acme.*,Billing"
        )
    return names


def output_option(what: str) -> Callable[[Verb], Verb]:
    """Adds `-o`, which names the output of every verb."""
    return click.option("-o", "--output", type=OutputPath(), metavar="FILE", help=what)


def json_option(what: str) -> Callable[[Verb], Verb]:
    """Adds `--json`: prints the answer on stdout for scripts instead of people."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def end_with_verdict(verdict: VerdictJson) -> None:
    """Ends the verb with exit code 4 if it has no verdict: Poolscope could not answer the question."""
    if verdict["id"] == NO_VERDICT:
        click.get_current_context().exit(int(ExitCode.INSUFFICIENT))


def default_output(capture: Path, name: str, folder: Path | None = None) -> Path:
    """Returns `name` in `folder` (default: the current one), or beside the capture if that folder lies inside it."""
    here = folder or Path()
    evidence = capture.resolve()
    place = here.resolve()
    return evidence.parent / name if evidence == place or evidence in place.parents else here / name
