"""Arguments that several verbs share, and where their results go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from poolscope.base.errors import ExitCode, InvalidArgument
from poolscope.base.files import keep_out_of_evidence, write_text
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.cli.completion import CapturePath
from poolscope.cli.durations import parse_duration
from poolscope.cli.output_path import OutputPath

if TYPE_CHECKING:
    from poolscope.contract.analysis_json import VerdictJson

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
    """Returns when it was: a capture is named after its process, and a file's own name travels with it."""
    return "redacted-" + "".join(c for c in str(start_utc)[:19] if c.isdigit() or c == "T")


def late_option(verb: Verb) -> Verb:
    """Adds `--late`: what counts as late. The verb gets `late`, ms."""
    return click.option(
        "--late",
        metavar="TIME",
        default=f"{LATE_LIMIT_MS:g}ms",
        show_default=True,
        callback=lambda context, option, text: parse_duration("--late", text),
        help="An item that waits longer is late, such as 100ms or 2s.",
    )(verb)


def own_option(verb: Verb) -> Verb:
    """Adds `--own`: whose methods count as your own code. The verb gets `own`, the assemblies, or None."""
    return click.option(
        "--own",
        metavar="ASSEMBLY,...",
        callback=lambda context, option, text: None if text is None else parse_own(text),
        help="Assemblies whose methods count as your own code, such as 'Acme.*'. Default: those that the application ships "
        "as its own (docs/blame.md).",
    )(verb)


def parse_own(text: str) -> list[str]:
    """Returns the assemblies that `--own` names. Raises InvalidArgument where one has no name."""
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
    """Adds `--json`: the answer on stdout for scripts instead of for people."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def end_with_verdict(verdict: VerdictJson) -> None:
    """Ends the verb with exit code 4 if there is no verdict: the question was asked, and not answered."""
    if verdict["id"] == NO_VERDICT:
        click.get_current_context().exit(int(ExitCode.INSUFFICIENT))


def default_output(capture: Path, name: str, folder: Path | None = None) -> Path:
    """Returns `name` in `folder` (default: the current one), or beside the capture if that would be inside it."""
    here = folder or Path()
    evidence = capture.resolve()
    place = here.resolve()
    return evidence.parent / name if evidence == place or evidence in place.parents else here / name
