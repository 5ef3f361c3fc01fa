"""The tables of docs/measured/overhead.md, made from the samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import paths, plan, recorders, results
from .estimate import Bound
from .measure import Sample, Workload

BEGIN = "<!-- measured: begin (made by ./build.sh bench overhead) -->"
END = "<!-- measured: end -->"
RUNTIMES_BEGIN = "<!-- runtimes: begin (made by ./build.sh bench overhead --only flood-8 --only flood-10) -->"
SERVICES_BEGIN = "<!-- requests: begin (made by ./build.sh bench overhead --only requests --only requests-spinning --only requests-closed) -->"
SERVICES_END = "<!-- requests: end -->"
SPINNING_BEGIN = "<!-- spinning: begin (made by ./build.sh bench overhead --only paced-spinning) -->"
SPINNING_END = "<!-- spinning: end -->"
RUNTIMES_END = "<!-- runtimes: end -->"

# Share of the time. On two cores the target's own threads wait for a core about a quarter of it.
QUIET = 0.5


def _number(value: float, form: str) -> str:
    return "-" if math.isinf(value) or math.isnan(value) else format(value, form)


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *body]]


def _goal(outcome: results.Outcome) -> list[str]:
    goal, bound = outcome.goal, outcome.bound
    unit = {plan.Measure.RATIO: "", plan.Measure.CORES: " % of a core", plan.Measure.LOSS: " %"}[goal.measure]

    def show(value: float) -> str:
        return f"{_number(value * 100, '.2f')}{unit}" if unit else _number(value, ".2f")

    verdict = {True: "met", False: "**missed**", None: "cannot tell"}[outcome.met]
    if bound is None:
        return [goal.text, goal.workload.name, show(goal.limit), "-", "-", "0", verdict]
    return [
        goal.text,
        goal.workload.name,
        show(goal.limit),
        show(bound.value),
        show(bound.upper),
        str(bound.pairs),
        verdict,
    ]


def _added(bound: Bound | None) -> list[str]:
    return ["-", "-"] if bound is None else [_number(bound.value, ",.0f"), _number(bound.upper, ",.0f")]


def _workload(samples: Sequence[Sample], experiment: plan.Experiment) -> list[str]:
    body = [
        [
            recorders.BY_NAME[row.recorder].title,
            *_added(row.added),
            f"{row.throughput:.3f}",
            f"{row.cores * 100:.1f} %",
            str(row.pairs),
        ]
        for row in results.rows(samples, experiment.workload.name)
    ]
    if not body:
        return []
    own = [s for s in samples if s["workload"] == experiment.workload.name]
    bare = [b for s in own for b in s["bare"]]
    per_item = float(np.median([results.cpu_per_item(b) for b in bare]))
    speed = float(np.median([results.rate(b) for b in bare]))
    item = experiment.workload.item
    unrecorded = f"Not recorded: {speed:,.0f} {item}s/s" + (f", {per_item:,.0f} ns of CPU each." if per_item else ".")
    head = ["recorder", f"added CPU per {item}, ns", "upper 95 %", "throughput", "recorder's own CPU", "pairs"]
    return [
        f"### `{experiment.workload.name}`: {experiment.workload.title}",
        "",
        unrecorded,
        "",
        *_table(head, body),
        "",
    ]


def _quietness(samples: Sequence[Sample]) -> str:
    # Bare windows of the paced workload leave the cores almost idle, so waits there come from other programs.
    shares = [
        b["pressure_us"] * 1000 / b["wall_ns"]
        for s in samples
        if s["workload"] == plan.PACED.name
        for b in s["bare"]
        if b["pressure_us"] is not None
    ]
    if not shares:
        return "How quiet the machine was is not known."
    loud = float(np.median(shares)) > QUIET
    return (
        f"Quietness: while `{plan.PACED.name}` ran unrecorded, some task waited for a core during "
        f"{np.median(shares) * 100:.0f} % of the time (PSI, median; highest {max(shares) * 100:.0f} %)."
        + (" **Not quiet**: throughput means little then, and CPU times come out too high." if loud else "")
    )


def render(document: dict[str, Any]) -> str:
    """Returns the measured part of the page: the same samples give the same text."""
    apart = (*plan.FLOODS, *plan.SERVICES, plan.PACED_SPINNING)
    lines = [_about(document), "", *_goals(document, [g for g in plan.GOALS if g.workload not in apart])]
    for experiment in plan.EXPERIMENTS:
        if experiment.workload not in apart:
            lines += _workload(document["samples"], experiment)
    return "\n".join([*lines, *_left_out(document)])


def render_runtimes(document: dict[str, Any]) -> str:
    """Returns the part of the page that compares the runtimes."""
    lines = [_about(document), ""]
    for workload in plan.FLOODS:
        lines += _workload(document["samples"], plan.BY_NAME[workload.name])
    return "\n".join(lines)


def render_services(document: dict[str, Any]) -> str:
    """Returns the part of the page about web requests."""
    return _with_goals(document, plan.SERVICES)


def render_spinning(document: dict[str, Any]) -> str:
    """Returns the part of the page about workers that spin."""
    return _with_goals(document, [plan.PACED_SPINNING])


def _with_goals(document: dict[str, Any], workloads: Sequence[Workload]) -> str:
    lines = [_about(document), "", *_goals(document, [g for g in plan.GOALS if g.workload in workloads])]
    for workload in workloads:
        lines += _workload(document["samples"], plan.BY_NAME[workload.name])
    return "\n".join([*lines, *_left_out(document)])


def _goals(document: dict[str, Any], goals: Sequence[plan.Goal]) -> list[str]:
    head = ["goal", "workload", "limit", "measured", "upper 95 %", "pairs", ""]
    rows = [_goal(results.outcome(document["samples"], goal)) for goal in goals]
    return ["### Goals", "", *_table(head, rows), ""]


def _left_out(document: dict[str, Any]) -> list[str]:
    refused = document["refused"]
    return ["Left out:", "", *(f"- {name}: {why}" for name, why in sorted(refused.items())), ""] if refused else []


def _about(document: dict[str, Any]) -> str:
    """Returns the machine and date of the measurement."""
    samples, machine = document["samples"], document["machine"]
    silent = machine["silent_cpus"]
    tasks = (
        f"{silent} CPUs with silent tasks" if silent else "no silent tasks" if silent == 0 else "silent tasks not known"
    )
    return (
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}, {tasks}, "
        f"{'root' if machine['root'] else 'not root'}. {_quietness(samples)}"
    )


def insert(text: str, measured: str, begin: str = BEGIN, end: str = END) -> str:
    """Puts the measured part between the page's marks."""
    before, mark, rest = text.partition(begin)
    _, last, after = rest.partition(end)
    if not mark or not last:
        raise ValueError("the page has lost its marks")
    return f"{before}{begin}\n{measured}\n{end}{after}"


def measured_parts(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Returns the parts of the page for which there are samples: text, and the marks around it."""
    measured = {sample["workload"] for sample in document["samples"]}
    runtimes = {workload.name for workload in plan.FLOODS}
    services = {workload.name for workload in plan.SERVICES}
    spinning = {plan.PACED_SPINNING.name}
    parts = [
        (measured - runtimes - services - spinning, render, BEGIN, END),
        (measured & runtimes, render_runtimes, RUNTIMES_BEGIN, RUNTIMES_END),
        (measured & services, render_services, SERVICES_BEGIN, SERVICES_END),
        (measured & spinning, render_spinning, SPINNING_BEGIN, SPINNING_END),
    ]
    return [(text(document), begin, end) for some, text, begin, end in parts if some]


def write(document: dict[str, Any]) -> None:
    """Writes the measured parts into docs/measured/overhead.md; parts without samples stay as they are."""
    text = paths.PAGE.read_text(encoding="utf-8")
    for part, begin, end in measured_parts(document):
        text = insert(text, part, begin, end)
    paths.PAGE.write_text(text, encoding="utf-8")
