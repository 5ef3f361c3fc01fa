"""The tables as the generated part of docs/measured/verdicts.md."""

from __future__ import annotations

from collections import Counter

from verdicts.given import Given
from verdicts.tables import Miss, calibration, confusion, misses

BEGIN = "<!-- begin: written by ./build.sh verdicts -->"
END = "<!-- end -->"


def into_page(page: str, given: list[Given], measured: str) -> str:
    """Returns the page with its generated part replaced. Raises ValueError if the page has no such part."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no generated part")
    return f"{before}{BEGIN}\n\n{render(given, measured)}\n{END}{after}"


def render(given: list[Given], measured: str) -> str:
    """Returns Markdown; `measured` is a sentence with the time and machine of the measurement."""
    parts = [measured, "", *_overview(given), ""]
    groups = (
        ("Without spinning processes", [g for g in given if not g.beside]),
        ("Beside two spinning processes", [g for g in given if g.beside]),
        ("Held-out programs only, with and without spinning processes", [g for g in given if g.held_out]),
    )
    for title, group in groups:
        if group:
            parts += [
                f"### {title}",
                "",
                *_sizes(group),
                "",
                *_calibration(group),
                "",
                *_confusion(group),
                "",
            ]
            parts += [*_misses(group), ""]
    return "\n".join(parts)


def _overview(given: list[Given]) -> list[str]:
    lines = [
        "| | runs of each | runs | right | high | medium | low |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for beside in (False, True):
        for source, name in (("zoo", "zoo"), ("seeds", "published experiments")):
            group = [g for g in given if (g.source, g.beside) == (source, beside)]
            if group:
                of_each = Counter(g.program for g in group).values()
                least, most = min(of_each), max(of_each)
                cells = [
                    f"{name}, {'beside two spinning processes' if beside else 'quiet'}",
                    str(least) if least == most else f"{least} to {most}",
                    str(len(group)),
                    str(sum(g.right for g in group)),
                    *(f"{row.right} of {row.given}" for row in calibration(group)),
                ]
                lines.append(f"| {' | '.join(cells)} |")
    return lines


def _sizes(given: list[Given]) -> list[str]:
    right = sum(g.right for g in given)
    programs = len({(g.source, g.program) for g in given})
    return [f"{len(given)} runs of {programs} programs; {right} verdicts right ({100 * right / len(given):.1f} %)."]


def _calibration(given: list[Given]) -> list[str]:
    lines = [
        "| confidence | given | right | share | at least (95 %) |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for row in calibration(given):
        share, least = (f"{100 * v:.1f} %" if v is not None else "" for v in (row.share, row.least))
        lines.append(f"| {row.confidence} | {row.given} | {row.right} | {share} | {least} |")
    return lines


def _confusion(given: list[Given]) -> list[str]:
    counts = confusion(given)
    lines = [
        f"| expected \\ given | {' | '.join(map(str, counts.columns))} |",
        f"| --- |{' ---: |' * len(counts.columns)}",
    ]
    for name, row in counts.iterrows():
        lines.append(f"| {name} | {' | '.join(str(n) if n else '' for n in row)} |")
    return lines


def _misses(given: list[Given]) -> list[str]:
    wrong = misses(given)
    if not wrong:
        return ["Misses: none."]
    return [
        "Misses:",
        "",
        "| program | given | how often, of its runs | confidence | expected |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| `{miss.program}` | {miss.verdict} | {miss.times} of {miss.runs} | {_confidences(miss)} "
            f"| {' or '.join(miss.expected)} |"
            for miss in wrong
        ),
    ]


def _confidences(miss: Miss) -> str:
    if len(miss.by_confidence) == 1:
        return miss.by_confidence[0][0]
    return ", ".join(f"{name or 'none'} {times}" for name, times in miss.by_confidence)
