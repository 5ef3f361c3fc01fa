"""The parts of an export: the source, the writer of a format, and the formats in the order in which `--help` lists
them.

The source is the capture with its attribution, which is computed on first use. An export is written completely or not
at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Protocol

from poolscope.attribution import Attribution, attribute
from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.base.files import written_whole
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.incidents import assess, counted_by_blame
from poolscope.measures.activities import Activities, measure_activities
from poolscope.measures.requests import RequestParts, Requests, measure_requests, request_parts


class Source:
    """One capture to export. Raises the errors of `attribute` when a format needs the attribution."""

    def __init__(self, capture: DecodedCapture) -> None:
        self.capture = capture

    @cached_property
    def attribution(self) -> Attribution:
        """The attribution. Its times are ns from `capture.window[0]`; times in the capture's tables are ns of the
        capture's clock."""
        return attribute(self.capture)

    @cached_property
    def requests(self) -> Requests | None:
        """The requests, or None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @cached_property
    def request_parts(self) -> RequestParts | None:
        """The parts of the requests, or None if no request is both tied and answered."""
        return request_parts(self.capture, self.attribution)

    @cached_property
    def activities(self) -> Activities | None:
        """The activities, or None if none was recorded."""
        return measure_activities(self.capture, self.attribution)

    @cached_property
    def blamed_moments(self) -> Steps | None:
        """The weight of each moment in the report's blame (incidents/find.py)."""
        return counted_by_blame(self.attribution.items, assess(self.capture, self.attribution))


@dataclass(frozen=True)
class Written:
    """The contents of a written file."""

    counts: dict[str, int]
    """Numbers of written elements, such as `{"items": 50, "flows": 49}`. The command prints them, and tests cross-check
    them."""
    notes: list[str] = field(default_factory=list)
    """Sentences on what the format could show and this file lacks."""


class Writer(Protocol):
    """The function `write(source, output, view)` of a format's module."""

    def __call__(self, source: Source, output: Path, view: str | None) -> Written:
        """Writes the file (or folder) `output`, which does not exist yet and has the suffix that the user chose.

        `view` is one of the format's views, or None if it has no views. Raises InsufficientEvidence if the capture
        lacks what the format shows. The caller reports an OSError.
        """


@dataclass(frozen=True)
class Format:
    """One format. Its module, `poolscope.export.MODULE`, has a function `write` (see Writer)."""

    name: str
    suffix: str
    """The suffix of a file written without `-o`. Empty if the format writes a folder."""
    module: str
    what: str
    """The tools that open it, for `--help`."""
    views: tuple[str, ...] = ()
    """The values of `--view` that the format accepts, default first. Empty if it has only one view."""

    def writer(self) -> Writer:
        """Imports the writer on first use, so that a run loads only the libraries of the format it writes."""
        found: Writer = import_module(f"{Source.__module__.rpartition('.')[0]}.{self.module}").write
        return found


STACK_VIEWS = ("blame", "blocked", "cpu", "ready")
"""The same names as in poolscope.export.stacks, which is not imported just to list them."""

FORMATS = {
    f.name: f
    for f in (
        Format("perfetto", ".pftrace", "perfetto", "ui.perfetto.dev, trace_processor"),
        Format("speedscope", ".speedscope.json", "speedscope", "speedscope.app", STACK_VIEWS),
        Format("folded", ".folded", "folded", "flamegraph.pl, inferno, speedscope.app", STACK_VIEWS),
        Format("perfview", ".perfView.xml.zip", "perfview", "PerfView's stack viewer: waits of items by cause"),
        Format("csv", "", "tables_csv", "spreadsheets, databases, anything; a folder, or a .zip of it"),
    )
}


def export(source: Source, form: Format, output: Path, view: str | None = None) -> Written:
    """Writes one format. Replaces an existing file, as every verb does, but a folder only if it is empty.

    Raises PoolscopeError (usage) if `output` cannot be written, and the errors of the format's writer. After an error,
    `output` is unchanged: absent, or the earlier file.
    """
    _refuse_what_is_in_the_way(form, output)
    if output.name in ("", ".."):
        output = output.resolve()
    # Under the same name, because its suffix may decide what is written.
    with written_whole(output) as temporary:
        return form.writer()(source, temporary, view)


def _refuse_what_is_in_the_way(form: Format, output: Path) -> None:
    if not output.is_dir():
        if not form.suffix and output.is_file() and output.suffix.lower() != ".zip":
            raise PoolscopeError(f"cannot write {output}: it is a file, and {form.name} is a folder", ExitCode.USAGE)
        return
    if form.suffix:
        raise PoolscopeError(f"cannot write {output}: it is a folder, and {form.name} is a file", ExitCode.USAGE)
    if any(output.iterdir()):
        raise PoolscopeError(f"cannot write {output}: the folder is not empty", ExitCode.USAGE)
