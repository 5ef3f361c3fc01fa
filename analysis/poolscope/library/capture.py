"""`poolscope.open` and the `Capture` that it returns: all questions about one capture, and its card in a notebook."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from poolscope import capture as decoded
from poolscope.base.files import keep_out_of_evidence, write_text
from poolscope.base.limits import LATE_LIMIT_MS, MOST_REPLICATIONS, SEED
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, moment, percent
from poolscope.capture import DecodedCapture
from poolscope.capture.fitting import Limits, larger_than_memory, open_fitting
from poolscope.html.notebook import card, paragraph, split_bar, table
from poolscope.library import arguments
from poolscope.library.analysed import AnalysisQuestions
from poolscope.library.tables import Tables
from poolscope.naming import name_own

if TYPE_CHECKING:
    from poolscope.check import Outcome
    from poolscope.contract.analysis_json import IncidentJson
    from poolscope.contract.manifest_json import ManifestJson
    from poolscope.coverage.coverage import Coverage
    from poolscope.findings import Findings, Verdict
    from poolscope.product import Analysis
    from poolscope.whatif import WhatIf

DEFAULT_CONDITION = "high"
"""The condition of a check without any other: a cause of high severity."""
MOST_THREADS = 32767
"""The largest limit of threads that the runtime accepts."""


def open(
    path: str | os.PathLike[str],
    *,
    late_ms: float = LATE_LIMIT_MS,
    from_s: float | None = None,
    until_s: float | None = None,
    memory: int | None = None,
    own: str | Iterable[str] | None = None,
) -> Capture:
    """Opens a capture: a folder that `poolscope-collect` wrote, or a zip of one.

    - `late_ms`, above 0: an item that waits longer is late. Verdict, incidents and findings use it; default: 50.
    - `from_s`, `until_s`: only this part of the recording, in s from its beginning; default: all of it.
    - `memory`: bytes that the analysis may use; default: four fifths of the free memory. If a capture needs more, only
      the part with the longest waits is opened (docs/large-captures.md). `part` then has its limits, and tables have
      its rows.
    - `own`: the assemblies whose methods count as your own code, such as "Acme.*"; default: those that the application
      ships as its own (docs/blame.md).

    Raises UnreadableCapture if the path does not exist or is no capture, if the capture is not decoded yet or has
    another format, or if not even a part of it fits into memory. Raises InvalidArgument if `late_ms` or `memory` is not
    above 0, if `from_s` and `until_s` are no part of the recording, or if `own` holds an empty name. Raises TypeError
    if `path` is neither text nor a path, `own` is no text, or another argument is no number.
    """
    late_ms = arguments.positive("late_ms", late_ms)
    limits = Limits(
        None if from_s is None else arguments.not_negative("from_s", from_s),
        None if until_s is None else arguments.positive("until_s", until_s),
        None if memory is None else arguments.integer("memory", memory, least=1),
    )
    source = open_fitting(arguments.path("path", path), limits, late_ms)
    if own is not None:
        name_own(source.manifest, arguments.texts("own", own))
    return Capture(source, late_ms)


class Capture(AnalysisQuestions):
    """A capture, as `poolscope.open` returns it. Each result is computed once, on first use.

    Every method raises UnreadableCapture if a table that it needs is missing or damaged, and InsufficientEvidence if
    the capture lacks the stream that the answer needs. The caller owns the result; changing it does not change later
    answers.
    """

    def __init__(self, source: decoded.DecodedCapture, late_ms: float = LATE_LIMIT_MS) -> None:
        super().__init__(source, late_ms)
        self._tables = Tables(source)

    @property
    def path(self) -> Path:
        return self._source.path

    @property
    def name(self) -> str:
        """The file name of its folder or zip."""
        return self._source.path.name

    @property
    def manifest(self) -> ManifestJson:
        """The content of capture.json (traces/README.md): host, target, streams, refusals."""
        return copy.deepcopy(self._source.manifest)

    @property
    def window(self) -> tuple[int, int]:
        """The first and the last nanosecond of the capture, on CLOCK_MONOTONIC."""
        return self._source.window

    @property
    def kernel_tier(self) -> str:
        """tracepoint, etw, switch, schedstat or none. docs/attribution.md describes what each tier shows."""
        return self._source.kernel_tier

    @property
    def tables(self) -> Tables:
        """The tables by name, as DataFrames."""
        return self._tables

    @property
    def part(self) -> tuple[float, float] | None:
        """The limits of this part, in s from the recording's beginning. None if it is the whole recording."""
        part = self._source.part
        if part is None:
            return None
        begin = part.recorded.start
        return (part.start - begin) / NS_PER_S, (part.stop - begin) / NS_PER_S

    def verdict(self) -> Verdict:
        """Returns the answer in one sentence, with its confidence and the reasons for doubt."""
        return copy.deepcopy(self.analysed.verdict)

    def incidents(self) -> list[IncidentJson]:
        """Returns the incidents in order of time, each as `incidents[]` of analysis.json describes it."""
        return copy.deepcopy(self._content["incidents"])

    def findings(self) -> Findings:
        """Returns the findings: the verdict's cause first, then by cost in item-seconds. Empty if there are none."""
        from poolscope.findings import Findings

        return Findings(copy.deepcopy(self.analysed.findings))

    def coverage(self) -> Coverage:
        """Returns the coverage of the evidence and its losses."""
        return copy.deepcopy(self.analysed.coverage)

    def stack(self, stack: int) -> list[str | None]:
        """Returns the methods of a stack, leaf first, with None for code without a name.

        `stack` is a value of a column of that name, such as `waits.stack`. For -1 (no stack) the result is empty.
        Raises InvalidArgument if there is no such stack.
        """
        number = arguments.integer("stack", stack, -1, len(self._source.table("stacks")) - 1)
        return list(self._stack_path(number)) if number >= 0 else []

    def whatif(
        self,
        *,
        min_threads: int | Iterable[int] | None = None,
        max_threads: int | None = None,
        cores: float | None = None,
        asynchronous: bool = False,
        dedicated: bool = False,
        policy: str | None = None,
        load: float = 1.0,
        faster: Mapping[str, float] | None = None,
        unrecorded: bool = False,
        target_p99_ms: float | None = None,
        replications: int | None = None,
        seed: int = SEED,
        progress: Callable[[str], None] | None = None,
    ) -> WhatIf:
        """Simulates the captured work under other settings. Settings that are not given stay as captured.

        Without any setting, simulates a sweep of the minimum of threads, each fix alone, and the present settings at
        1.5 and 2 times the load.

        - `min_threads`: minimum of worker threads, 1 to 32767; several values are a sweep.
        - `max_threads`: maximum of worker threads, 1 to 32767.
        - `cores`: CPUs' worth of time that the process may use, above 0.
        - `asynchronous`: blocked items give their thread back, as with await.
        - `dedicated`: a thread of its own for every item (LongRunning).
        - `policy`: another pool: net, net4x, net35, net11, rotor, fixed, instant.
        - `load`: a multiple of the captured arrivals, above 0, at most 1000; default: 1.
        - `faster`: endpoints of services that the target calls, as in `analysis()["requests"]["services"]`, and the
          factor by which they answer faster, 0.001 to 1000; slower if below 1.
        - `unrecorded`: ignores the CPU demand of the recorder's own threads, for a comparison with unrecorded runs.
        - `target_p99_ms`: the advice then names the fewest min threads whose p99 wait is at most this.
        - `replications`: runs of each setting that depends on chance, 1 to 1000; default: up to 5.
        - `seed`: seed of the random numbers, 0 or more; default: 1. The same seed gives the same figures.
        - `progress`: called with the label of each finished setting, from several threads.

        Raises InvalidArgument (also if settings contradict each other) or TypeError. Raises InsufficientEvidence
        without items or without a kernel stream, or if it is unknown what waited for a service's answers. Raises
        UnreadableCapture if only a part of the capture fits into memory, unless the caller named it (`from_s`,
        `until_s`).
        """
        from poolscope.whatif import Setting, ask

        self._refuse_worst_part()
        base = Setting(
            label="",
            policy=None if policy is None else arguments.text("policy", policy),
            max_threads=None if max_threads is None else arguments.integer("max_threads", max_threads, 1, MOST_THREADS),
            cores=None if cores is None else arguments.positive("cores", cores),
            asynchronous=arguments.boolean("asynchronous", asynchronous),
            dedicated=arguments.boolean("dedicated", dedicated),
            load=arguments.positive("load", load),
            unrecorded=arguments.boolean("unrecorded", unrecorded),
            faster=() if faster is None else arguments.numbers_by_name("faster", faster),
        )
        minimums = [] if min_threads is None else arguments.integers("min_threads", min_threads)
        target = None if target_p99_ms is None else arguments.positive("target_p99_ms", target_p99_ms)
        runs = None if replications is None else arguments.integer("replications", replications, 1, MOST_REPLICATIONS)
        seed = arguments.integer("seed", seed, least=0)
        if progress is not None:
            arguments.function("progress", progress)
        return ask(self._source, self._attribution, base, minimums, target, runs, seed, progress)

    def check(self, *conditions: str, redact: bool = False) -> list[Outcome]:
        """Checks conditions such as `injection.p99>100ms`, `high` or `finding:lock-convoy`, in order; default: `high`.

        docs/check.md has the grammar. Terms joined by `or` have an outcome each. The `status` of an outcome is `failed`
        if the condition holds, `passed` if it does not, and `unknown` if the capture has too little evidence: a gate
        must not treat that as passed. With `redact`, outcomes have tokens instead of names, paths and arguments.

        Raises InvalidArgument for an invalid condition, TypeError for one that is no str. Raises UnreadableCapture if
        only a part of the capture fits into memory, unless the caller named it (`from_s`, `until_s`).
        """
        from poolscope.check import evaluate, parse_any

        self._refuse_worst_part()
        texts = [arguments.text("condition", text) for text in conditions or (DEFAULT_CONDITION,)]
        wanted = [condition for text in texts for condition in parse_any(text)]
        content = self._redacted(arguments.boolean("redact", redact))
        return [evaluate(condition, content) for condition in wanted]

    def report(self, output: str | os.PathLike[str] | None = None, *, redact: bool = False) -> str:
        """Returns the report as one self-contained HTML page, which needs no network. If given, writes it to `output`
        too.

        With `redact`, leaves out names, paths and arguments (docs/security.md). Raises InvalidArgument if `output`
        cannot be written or lies inside the capture, which is never changed.
        """
        page = None if output is None else arguments.path("output", output)
        if page is not None:
            keep_out_of_evidence(page, self.path)
        content = self._redacted(arguments.boolean("redact", redact))
        from poolscope.report import render

        html = render(content)
        if page is not None:
            write_text(page, html)
        return html

    def _refuse_worst_part(self) -> None:
        """Raises UnreadableCapture if this is the part with the longest waits, chosen because the whole does not fit
        into memory: an answer for that part does not hold for the whole."""
        part = self._source.part
        if part is not None and not part.named:
            raise larger_than_memory(self._source, part.recorded.needed, part.recorded.allowed or 0)

    def __repr__(self) -> str:
        return f"<poolscope.Capture {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows, with the verdict only if an earlier call computed it."""
        return capture_card(self._source, self.__dict__.get("analysed"))

    @cached_property
    def _stack_path(self) -> Callable[[int], list[str | None]]:
        from poolscope.blame.stacks import StackNames

        return StackNames(self._source).shown


def capture_card(capture: DecodedCapture, analysis: Analysis | None) -> str:
    """Returns a card with target, host, recorded time and kernel tier. With an `analysis`, it also has the verdict and
    the split of the mean wait."""
    target, host = capture.manifest["target"], capture.manifest["host"]
    start, stop = capture.window
    rows = [
        ("process", f"{target.get('name')} {target.get('pid')}, {target.get('runtime')}"),
        ("host", f"{host.get('name')}, {host.get('os')}"),
        ("recorded", moment((stop - start) / NS_PER_S)),
        ("kernel tier", capture.kernel_tier),
    ]
    told = _told(analysis) if analysis is not None else [paragraph("Not analysed yet: ask for verdict().", faint=True)]
    return card(f"Capture {capture.path.name}", table(("", ""), rows), *told)


def _told(analysis: Analysis) -> list[Markup]:
    verdict, waits = analysis.verdict, analysis.attribution.items.wait
    told = [paragraph(verdict.text), paragraph(f"Confidence: {verdict.confidence}.", faint=True)]
    if len(waits) == 0 or waits.sum() == 0:
        return told
    from poolscope.product.causes import CAUSE_WORDS, wait_by_cause

    shares = {cause: float(part.sum() / waits.sum()) for cause, part in wait_by_cause(analysis.attribution).items()}
    mean = paragraph(f"{items(len(waits))} waited {duration(float(waits.mean()) / NS_PER_MS)} on average:")
    return [*told, mean, split_bar(shares, {c: f"{CAUSE_WORDS[c]} {percent(share)}" for c, share in shares.items()})]
