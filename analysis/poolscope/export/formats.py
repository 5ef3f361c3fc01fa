"""What an export is made of: the source (the capture, and its attribution, made on first use), the writer of a format, and the
formats, in the order in which `--help` lists them. An export is written whole or not at all."""

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
from poolscope.measures.requests import RequestParts, Requests, measure_requests, split_requests


class Source:
    """One capture to be exported. Raises as `attribute` does when a format asks for the attribution."""

    def __init__(self, capture: DecodedCapture) -> None:
        self.capture = capture

    @cached_property
    def attribution(self) -> Attribution:
        """Times in it are ns from `capture.window[0]`; those of the tables are ns of the capture's clock."""
        return attribute(self.capture)

    @cached_property
    def requests(self) -> Requests | None:
        """None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @cached_property
    def request_parts(self) -> RequestParts | None:
        """None without requests that are tied and answered."""
        if self.requests is None or not self.requests.whole.any():
            return None
        return split_requests(self.requests, self.attribution)

    @cached_property
    def activities(self) -> Activities | None:
        """None if no activity was recorded."""
        return measure_activities(self.capture, self.attribution)

    @cached_property
    def blamed_moments(self) -> Steps | None:
        """What each moment counts in the report's blame (incidents/find.py)."""
        return counted_by_blame(self.attribution.items, assess(self.capture, self.attribution))


@dataclass(frozen=True)
class Written:
    """What a file holds."""

    counts: dict[str, int]
    """How many of what, such as `{"items": 50, "flows": 49}`: printed, and cross-checked by tests."""
    notes: list[str] = field(default_factory=list)
    """Sentences on what this file lacks that the format could show."""


class Writer(Protocol):
    """`write(source, output, view)` of a format's module."""

    def __call__(self, source: Source, output: Path, view: str | None) -> Written:
        """Writes the file (or folder) `output`, which does not exist yet and has the suffix that was asked for.

        `view` is one of the format's views, or None if it has none. An OSError is the caller's to report.
        Raises InsufficientEvidence where the capture lacks what the format shows.
        """


@dataclass(frozen=True)
class Format:
    """One format. Its module, `poolscope.export.MODULE`, has a function `write` (see Writer)."""

    name: str
    suffix: str
    """For the file that is written without `-o`; empty: a folder."""
    module: str
    what: str
    """What opens it, for `--help`."""
    views: tuple[str, ...] = ()
    """Values of `--view` that it takes, its default first; none: it has one view only."""

    def writer(self) -> Writer:
        """Imports the writer on first use: no run loads the libraries of a format that it does not write."""
        found: Writer = import_module(f"{Source.__module__.rpartition('.')[0]}.{self.module}").write
        return found


STACK_VIEWS = ("blame", "blocked", "cpu", "ready")
"""As in poolscope.export.stacks, which is not imported to say what there is."""

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
    """Writes one format. A file that is there already is replaced, as by every verb; a folder only if it is empty.

    Raises PoolscopeError (usage) when `output` cannot be written, and what the format's writer raises; then there is no
    `output`, or the one that was there before.
    """
    _refuse_what_is_in_the_way(form, output)
    if output.name in ("", ".."):
        output = output.resolve()
    # Under the same name: its ending may decide what is written.
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
