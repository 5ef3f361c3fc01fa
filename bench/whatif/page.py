"""docs/measured/whatif-accuracy.md and docs/measured/whatif-accuracy.json, made from the samples and the predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from . import accuracy
from .accuracy import Comparison, Row, Summary
from .claims import Claim

BEGIN = "<!-- measured: begin (made by ./build.sh whatif-check) -->"
END = "<!-- measured: end -->"
HEAD = ["scenario", "change", "mean wait", "predicted", "error", "p99 wait", "predicted", "error"]
HEAD += ["last end", "predicted", "error"]


def document(
    rows: Sequence[Row], calibration: Sequence[dict[str, Any]], claims: Sequence[Claim], about: dict[str, Any]
) -> dict[str, Any]:
    """Returns the content of docs/measured/whatif-accuracy.json."""
    mean = accuracy.summarise(row.mean for row in rows)
    content = {
        "format": 1,
        **about,
        "rows": [row.to_json() for row in rows],
        "median_error": mean.median_relative,
        "worst_error": mean.worst,
        "median_error_all_rows": mean.median,
        "undisturbed": asdict(accuracy.summarise(row.mean for row in rows if not row.loud)),
        "p99": asdict(accuracy.summarise(row.p99 for row in rows)),
        "completion": asdict(accuracy.summarise(row.end for row in rows)),
        "calibration": list(calibration),
        "claims": [asdict(claim) for claim in claims],
        "misses": [
            {"scenario": row.scenario, "change": row.change, "figures": row.misses, "cause": row.cause}
            for row in rows
            if row.misses
        ],
    }
    finite: dict[str, Any] = _finite(content)
    return finite


def _finite(value: Any) -> Any:
    """Replaces infinity, which JSON lacks, by null; the row's `deadlock` gives the reason."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def markdown(
    rows: Sequence[Row], calibration: Sequence[dict[str, Any]], claims: Sequence[Claim], about: dict[str, Any]
) -> str:
    """Returns the measured part of the page."""
    lines = [_about(about), "", "### Errors", "", *_errors(rows), "", "### Every change", "", *_changes(rows), ""]
    lines += ["### Misses", "", *_misses(rows), "", "### Claims", "", *_claims(claims), ""]
    lines += ["### The baselines, simulated as captured", "", *_calibration(calibration)]
    return "\n".join(lines) + "\n"


def insert(text: str, measured: str, begin: str = BEGIN, end: str = END) -> str:
    """Puts the measured part between the page's marks. Raises ValueError if the page lacks them."""
    before, mark, rest = text.partition(begin)
    _, ending, after = rest.partition(end)
    if not mark or not ending:
        raise ValueError("the page has lost its marks")
    return f"{before}{begin}\n\n{measured}\n{end}{after}"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *body]]


def _about(about: dict[str, Any]) -> str:
    machine, quiet = about["machine"], about["quiet"]
    text = f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}; "
    text += f"{quiet['runs']} runs. "
    if quiet["runs"]:
        text += (
            f"Other processes used {quiet['others_median']:.2f} cores in the median run and {quiet['others_most']:.2f} in the "
            f"loudest; in {quiet['disturbed']} runs more than {accuracy.DISTURBED}. Before the runs, some task waited for a core "
            f"during {quiet['stalled_most']:.0%} of the time at most (PSI)."
        )
    return text


def _errors(rows: Sequence[Row]) -> list[str]:
    kinds = zip(accuracy.FIGURES, ("mean", "p99", "end"), strict=True)
    body = [[name, *_summary(accuracy.summarise(getattr(row, field) for row in rows))] for name, field in kinds]
    quiet = [row.mean for row in rows if not row.loud]
    body.append(["mean wait, where nothing disturbed baseline and runs", *_summary(accuracy.summarise(quiet))])
    return table(["", "median", "worst", "changes", "median with those compared in ms", ""], body)


def _summary(summary: Summary) -> list[str]:
    if summary.median is None or summary.worst is None:
        return ["-", "-", "0", "-", "not predicted"]
    middle = summary.median if summary.median_relative is None else summary.median_relative
    met = middle <= accuracy.MEDIAN_GOAL and summary.worst <= accuracy.WORST_GOAL
    verdict = "within the goals" if met else "**beyond the goals**"
    return [_share(middle), _share(summary.worst), str(summary.rows), _share(summary.median), verdict]


def _changes(rows: Sequence[Row]) -> list[str]:
    body = []
    previous = None
    for row in rows:
        name = "" if row.scenario == previous else f"`{row.scenario}`"
        previous = row.scenario
        marks = [mark for mark, here in (("lower bound", row.lower_bound), ("disturbed", row.loud)) if here]
        mark = f" ({', '.join(marks)})" if marks else ""
        cells = [name, row.change + mark, *_cells(row.mean), *_cells(row.p99), *_cells(row.end)]
        if row.low_ms is not None and row.high_ms is not None and row.high_ms > row.low_ms:
            cells[3] += f" ({_ms(row.low_ms)} to {_ms(row.high_ms)})"
        body.append(cells)
    return table(HEAD, body)


def _cells(c: Comparison) -> list[str]:
    measured = _ms(c.measured_ms)
    if c.measured_high_ms > c.measured_low_ms:
        measured += f" ({_ms(c.measured_low_ms)} to {_ms(c.measured_high_ms)})"
    error = "-" if c.error is None else f"**{_share(c.error)}**" if c.error > accuracy.WORST_GOAL else _share(c.error)
    return [measured, "-" if c.predicted_ms is None else _ms(c.predicted_ms), error]


def _misses(rows: Sequence[Row]) -> list[str]:
    missed = [row for row in rows if row.misses]
    if not missed:
        return ["None." if any(row.mean.error is not None for row in rows) else "Nothing was predicted yet."]
    return [
        f"- `{row.scenario}`, {row.change}: {', '.join(row.misses)}. {row.cause or 'Cause not known.'}"
        for row in missed
    ]


def _claims(claims: Sequence[Claim]) -> list[str]:
    words = {True: "holds", False: "**does not hold**", None: "cannot tell"}
    return table(["claim", "figures", ""], [[c.text, c.figures, words[c.holds]] for c in claims])


def _calibration(calibration: Sequence[dict[str, Any]]) -> list[str]:
    body = [
        [
            f"`{c['scenario']}`",
            _ms(c["measured_ms"]),
            "-" if c["predicted_ms"] is None else _ms(c["predicted_ms"]),
            f"{c['others_cores']:.2f}",
        ]
        for c in calibration
    ]
    return table(["scenario", "mean wait", "simulated", "cores that others used"], body)


def _ms(value: float) -> str:
    if not math.isfinite(value):
        return "never"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _share(value: float) -> str:
    if not math.isfinite(value):
        return "never ends"
    return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"
