"""Holds `poolscope.open`, and the `Capture` that it returns: every question about one capture, and its card in a notebook."""

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
"""The condition of a check without any: a cause of high severity."""
MOST_THREADS = 32767
"""The largest number of threads that the runtime accepts as a limit."""


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

    - `late_ms`, above 0: an item that waits longer is late. Verdict, incidents and findings rest on it; default: 50.
    - `from_s`, `until_s`: only this part of the recording, in s from its beginning; default: from its beginning, to its end.
    - `memory`: bytes that the analysis may take; default: four fifths of what is free. What takes more is opened in part: the
      one with the longest waits (docs/large-captures.md). `part` then says which, and tables have the rows of the part.
    - `own`: the assemblies whose methods count as your own code, such as "Acme.*"; default: those that the application ships
      as its own (docs/blame.md).

    Raises UnreadableCapture when there is no such path, it is no capture, it is not decoded yet, it has another format, or
    not even a part of it fits into the memory; InvalidArgument when `late_ms` or `memory` is not above 0, or `from_s` and
    `until_s` are no part of the recording, or `own` holds an empty name; TypeError when `path` is neither text nor a path, `own`
    no text, or another argument no number.
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
    """A capture as `poolscope.open` returns it. Each result is computed on its first use, and only once.

    Every method raises UnreadableCapture where a table that it needs is missing or damaged, and InsufficientEvidence
    where the capture lacks the stream that the answer rests on. The caller owns the result: changing it changes no later answer.
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
        """The content of capture.json (traces/README.md): host, target, streams, what was refused."""
        return copy.deepcopy(self._source.manifest)

    @property
    def window(self) -> tuple[int, int]:
        """The first and the last nanosecond that the capture covers, on CLOCK_MONOTONIC."""
        return self._source.window

    @property
    def kernel_tier(self) -> str:
        """tracepoint, etw, switch, schedstat or none: what each can tell is in docs/attribution.md."""
        return self._source.kernel_tier

    @property
    def tables(self) -> Tables:
        """Its tables by name, as DataFrames."""
        return self._tables

    @property
    def part(self) -> tuple[float, float] | None:
        """From when to when the part of the recording lasts that this is, in s from the beginning of the recording; None: it
        is all of it."""
        part = self._source.part
        if part is None:
            return None
        begin = part.recorded.start
        return (part.start - begin) / NS_PER_S, (part.stop - begin) / NS_PER_S

    def verdict(self) -> Verdict:
        """Returns the answer in one sentence, with its confidence and the reasons for doubt."""
        return copy.deepcopy(self.analysed.verdict)

    def incidents(self) -> list[IncidentJson]:
        """Returns when items were late, in order of time, each as `incidents[]` of analysis.json describes it."""
        return copy.deepcopy(self._content["incidents"])

    def findings(self) -> Findings:
        """Returns what the rules found, the verdict's cause first, then by cost in item-seconds: a list of Finding. Empty: nothing."""
        from poolscope.findings import Findings

        return Findings(copy.deepcopy(self.analysed.findings))

    def coverage(self) -> Coverage:
        """Returns what the evidence covers and what was lost."""
        return copy.deepcopy(self.analysed.coverage)

    def stack(self, stack: int) -> list[str | None]:
        """Returns the methods of a stack, leaf first; None for code without a name. `stack` is a value of a column of that name,
        such as `waits.stack`; of -1 (no stack) the answer is empty.

        Raises InvalidArgument for a number that is no stack's.
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
        """Simulates the captured work under other settings; what is not given stays as captured. Without any: a sweep of
        the minimum of threads, each fix alone, and the present settings at 1.5 and 2 times the load.

        - `min_threads`: minimum of worker threads, 1 to 32767; several are a sweep.
        - `max_threads`: maximum of worker threads, 1 to 32767.
        - `cores`: CPUs' worth of time that the process may use, above 0.
        - `asynchronous`: blocked items give their thread back, as with await.
        - `dedicated`: a thread of its own for every item (LongRunning).
        - `policy`: another pool: net, net4x, net35, net11, rotor, fixed, instant.
        - `load`: times the captured arrivals, above 0, at most 1000; default: 1.
        - `faster`: endpoints of services that the target calls, as in `analysis()["requests"]["services"]`, and how many times
          as fast they answer, 0.001 to 1000; below 1: slower.
        - `unrecorded`: without what the recorder's own threads wanted of the cores; for a comparison with runs that nobody
          records.
        - `target_p99_ms`: the advice then names the fewest min threads whose p99 wait is at most this.
        - `replications`: runs of each setting that chance can change, 1 to 1000; default: up to 5.
        - `seed`: of the random numbers, 0 or more; default: 1. The same seed gives the same figures.
        - `progress`: called with the label of each setting that is done, from several threads.

        Raises InvalidArgument (also where settings contradict each other) or TypeError; InsufficientEvidence without
        items or without a kernel stream, or if it is unknown what waited for a service's answers; UnreadableCapture where
        only a part of the capture fits into the memory, unless it was named (`from_s`, `until_s`).
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
        """Judges conditions such as `injection.p99>100ms`, `high` or `finding:lock-convoy` (docs/check.md has the grammar),
        in their order; without any: `high`. Terms that `or` joins have an outcome each.

        The `status` of an outcome is `failed` where the condition holds, `passed` if it does not, and `unknown` where
        the capture does not have enough evidence: a gate must not treat that as passed.
        `redact`: what outcomes say has tokens instead of names, paths and arguments.
        Raises InvalidArgument for a condition that makes no sense, TypeError for one that is no str; UnreadableCapture where
        only a part of the capture fits into the memory, unless it was named (`from_s`, `until_s`).
        """
        from poolscope.check import evaluate, parse_any

        self._refuse_worst_part()
        texts = [arguments.text("condition", text) for text in conditions or (DEFAULT_CONDITION,)]
        wanted = [condition for text in texts for condition in parse_any(text)]
        content = self._redacted(arguments.boolean("redact", redact))
        return [evaluate(condition, content) for condition in wanted]

    def report(self, output: str | os.PathLike[str] | None = None, *, redact: bool = False) -> str:
        """Returns the report as one self-contained HTML page, which needs no network. Also written to `output`, if given.

        `redact`: without names, paths and arguments (docs/security.md).
        Raises InvalidArgument when `output` cannot be written, or lies inside the capture, which is only read.
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
        """Refuses the part with the longest waits that was chosen because all of it does not fit: no answer for it
        holds for the whole."""
        part = self._source.part
        if part is not None and not part.named:
            raise larger_than_memory(self._source, part.recorded.needed, part.recorded.allowed or 0)

    def __repr__(self) -> str:
        return f"<poolscope.Capture {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows of it. It has the verdict only after an earlier call computed it: showing a capture analyses nothing."""
        return capture_card(self._source, self.__dict__.get("analysed"))

    @cached_property
    def _stack_path(self) -> Callable[[int], list[str | None]]:
        from poolscope.blame.stacks import StackNames

        return StackNames(self._source).shown


def capture_card(capture: DecodedCapture, analysis: Analysis | None) -> str:
    """Returns what was recorded, where and how long; and the verdict with the split of the mean wait, if there is an `analysis`."""
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
