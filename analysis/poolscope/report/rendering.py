"""Assembles the report from its sections, chart data and embedded files, and its essence as Markdown for a ticket."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from markupsafe import Markup

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.html.escape import markdown, script_json
from poolscope.html.formatting import count, duration, moment, percent
from poolscope.html.page import chart_scripts, content_security_policy, environment, inline, redacted_section, styles
from poolscope.naming.choice import KIND_WORDS
from poolscope.product.causes import CAUSE_WORDS
from poolscope.report.charts import figures
from poolscope.report.charts.whatif import whatif_still
from poolscope.report.sections.activities import activities_section, activities_words, activity_row
from poolscope.report.sections.blame import antagonists_section, blame_section, cpu_section, source_place
from poolscope.report.sections.calls import calls_section
from poolscope.report.sections.captured import captured_lines, captured_section
from poolscope.report.sections.findings import advice_section, fixes, mean_of, rejected, rules_section
from poolscope.report.sections.flames import flames_section
from poolscope.report.sections.incidents import (
    arrived_words,
    cause_words,
    costliest,
    incidents_section,
    longest,
    outside_words,
    summary,
    waited,
)
from poolscope.report.sections.profile import profile_section
from poolscope.report.sections.requests import (
    application_words,
    coverage_words,
    late_places,
    late_words,
    request_parts,
    requests_section,
)
from poolscope.report.sections.split import split_section
from poolscope.report.sections.timeline import lanes_section, timeline_section
from poolscope.report.sections.verdict import coverage_line, part_lines, verdict_section
from poolscope.report.sections.whatif import whatif_section
from poolscope.report.sections.without_items import counters_section, shown_lines
from poolscope.report.sections.worst import worst_section

HERE = Path(__file__).parent
ASSETS = HERE / "assets"
SCRIPTS = (
    "words.js",
    "inview.js",
    "zoom.js",
    "selection.js",
    "timeline.js",
    "cursor.js",
    "waits.js",
    "lanes-picture.js",
    "lanes.js",
    "flames-names.js",
    "flames-chains.js",
    "flames.js",
    "folds.js",
    "page.js",
)
"""In order of dependency: the shared state, what shows it, and the page as a whole last."""

EARLY = "theme.js"
"""Runs before anything is shown: a page that turns dark after its first frame flashes."""


def render(analysis: AnalysisJson) -> str:
    """Returns the report of one analysis.json as one HTML page.

    A pure function: the same input gives the same bytes, apart from the machine's version of plotly.js (html/page.py).
    """
    drawn = figures(analysis)
    scripts = chart_scripts(*(ASSETS / name for name in SCRIPTS)) if drawn else []
    early = [inline((ASSETS / EARLY).read_text("utf-8"))]
    return (
        environment(HERE / "templates")
        .get_template("page.html")
        .render(
            name=str(analysis["capture"]["name"]),
            version=analysis["tool"]["version"],
            policy=content_security_policy([*early, *scripts]),
            style=styles(ASSETS),
            early=[Markup(script) for script in early],
            scripts=[Markup(script) for script in scripts],
            data={
                "analysis": script_json(analysis),
                "figures": script_json(drawn),
                "markdown": script_json(to_markdown(analysis)),
            },
            # The lanes are drawn too, but not from a figure.
            charts=sorted([*drawn, *(["lanes"] if analysis["lanes"] else [])]),
            redacted=redacted_section(analysis.get("redacted")),
            verdict=verdict_section(analysis),
            advice=advice_section(analysis),
            incidents=incidents_section(analysis),
            whatif=whatif_section(analysis),
            whatif_still=whatif_still(drawn.get("whatif")),
            captured=captured_section(analysis),
            requests=requests_section(analysis),
            calls=calls_section(analysis),
            activities=activities_section(analysis),
            split=split_section(analysis),
            timeline=timeline_section(analysis),
            lanes=lanes_section(analysis),
            blame=blame_section(analysis),
            antagonists=antagonists_section(analysis),
            counters=counters_section(analysis),
            profile=profile_section(analysis),
            cpu=cpu_section(analysis),
            flames=flames_section(analysis),
            worst=worst_section(analysis),
            rules=rules_section(analysis),
        )
    )


INCIDENTS = 5
"""The number of incidents in a ticket, costliest first."""
OPERATIONS = 5
"""The number of activities in a ticket, longest total time first."""
QUANTILES: tuple[Literal["p50", "p99", "max"], ...] = ("p50", "p99", "max")
METHODS = 3
"""The number of methods that held threads: a ticket must show whose code it is, and the page has the rest."""


def to_markdown(analysis: AnalysisJson) -> str:
    """Returns verdict, coverage, split, fixes and the card of the capture as Markdown. Names from the capture are
    escaped."""
    verdict = analysis["verdict"]
    lines = [
        f"**{markdown(verdict['text'])}**",
        "",
        f"Verdict `{verdict['id']}`, confidence {verdict['confidence']}. "
        + markdown("; ".join(c.text for c in coverage_line(analysis["coverage"], of_part="part" in analysis)) + "."),
        *(f"- {markdown(reason)}" for reason in dict.fromkeys(verdict["reasons"])),
        "",
    ]
    if shown := shown_lines(analysis):
        lines += ["**What it shows all the same**", "", *(f"- {markdown(line.text)}" for line in shown), ""]
    if part := part_lines(analysis.get("part")):
        lines += [markdown(" ".join(part)), ""]
    waits = analysis["items"]["wait_ms"]
    if waits["p99"] is not None:
        least = waits["at_least"]
        median, p99, longest = (duration(waits[key], key in least) for key in QUANTILES)
        lines += [f"Wait from enqueue to start: median {median}, p99 {p99}, longest {longest}.", ""]
    lines += _requests(analysis)
    lines += _activities(analysis)
    split = analysis["attribution"]
    if split:
        of = split["judged"]
        lines += [
            f"| part of the wait | mean per {'late ' if of['late_only'] else ''}item | share |",
            "| --- | ---: | ---: |",
        ]
        lines += [
            f"| {CAUSE_WORDS[cause]} | {duration(ms)} | {percent(of['wait_share'][cause])} |"
            for cause, ms in of["wait_ms"].items()
        ]
        lines.append("")
    lines += _incidents(analysis)
    if rows := fixes(analysis):
        lines += [f"| one fix alone | {mean_of(analysis)}, measured | with the fix |", "| --- | ---: | ---: |"]
        lines += [f"| {row['title']} | {row['before']} | {row['after']} |" for row in rows] + [""]
    if against := rejected(analysis):
        lines += ["**Not recommended**", ""]
        for other in against:
            figures = f" ({other['figures']})" if other["figures"] else ""
            lines.append(f"- {markdown(other['title'] + ': ' + other['reason'] + figures)}.")
        lines.append("")
    lines += _advice(analysis)
    lines += _held(analysis)
    lines += ["**Captured**", ""]
    lines += [f"- {label}: {markdown(str(value))}" for label, value in captured_lines(analysis)]
    if redacted := redacted_section(analysis.get("redacted")):
        lines += ["", markdown(f"Redacted, by tokens: {redacted['replaced']}.")]
    version = analysis["tool"]["version"]
    lines += ["", markdown(f"Made by poolscope {version}. The whole story, item by item, is in the HTML report.")]
    return "\n".join(lines) + "\n"


def _requests(analysis: AnalysisJson) -> list[str]:
    """Returns how long requests took, and by which parts."""
    requests = analysis["requests"]
    if requests is None:
        return []
    lines = [markdown(coverage_words(requests)), ""]
    if late := late_words(requests):
        lines += [markdown(late), "", "| late requests were | time | share |", "| --- | ---: | ---: |"]
        lines += [f"| {markdown(str(p['words']))} | {p['ms']} | {p['share']} |" for p in late_places(requests)]
        lines.append("")
    if application := application_words(requests):
        lines += [markdown(application), ""]
    if not requests["parts_ms"]:
        return lines
    least = requests["latency_ms"]["at_least"]
    median, p99, longest = (duration(requests["latency_ms"][key], key in least) for key in QUANTILES)
    lines += [
        f"Latency from the last byte in to the first byte out: median {median}, p99 {p99}, longest {longest}.",
        "",
    ]
    lines += ["| part of the latency | mean per answered request | share |", "| --- | ---: | ---: |"]
    lines += [f"| {words} | {ms} | {share} |" for words, ms, share in request_parts(requests["parts_ms"])]
    return [*lines, ""]


def _activities(analysis: AnalysisJson) -> list[str]:
    """Returns how long activities took, by operation."""
    activities = analysis["activities"]
    if activities is None:
        return []
    lines = [markdown(activities_words(activities)), ""]
    lines += [
        "| activity (source) | count | median | p90 | p99 | longest |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in activities["kinds"][:OPERATIONS]:
        row = activity_row(kind)
        durations = " | ".join(row["duration"])
        lines.append(f"| {markdown(kind['operation'])} ({markdown(kind['source'])}) | {row['count']} | {durations} |")
    return [*lines, ""]


def _incidents(analysis: AnalysisJson) -> list[str]:
    """Returns the number of incidents, and the costliest of those that matter."""
    lines = [markdown(summary(analysis)), ""] if analysis["items"]["count"] else []
    rows = costliest([i for i in analysis["incidents"] if i["matters"]], INCIDENTS)
    if rows:
        tied = any(i["requests"] for i in rows)
        lines += [
            f"| incident | late items | longest wait | item-seconds |{' requests arrived: latency |' if tied else ''} "
            "cause (confidence) |",
            f"| --- | ---: | ---: | ---: |{' --- |' if tied else ''} --- |",
        ]
        lines += [
            f"| {moment(i['start_s'])} to {moment(i['end_s'])} | {count(i['late'])} of {count(i['items'])} | {longest(i)} "
            f"| {waited(i)} |{f' {arrived_words(i)} |' if tied else ''} {markdown(cause_words(i))} |"
            for i in rows
        ] + [""]
        if tied and (others := outside_words(analysis)):
            lines += [f"Latency of requests outside of incidents: {others}.", ""]
    return lines


def _advice(analysis: AnalysisJson) -> list[str]:
    """Returns the advice under its cause, with the evidence for the cause, and how to improve the evidence."""
    section = advice_section(analysis)
    evidence = {finding["title"]: finding["evidence"] for finding in analysis["findings"]}
    lines: list[str] = []
    for cause in section["causes"]:
        number = f" ({cause['number']})" if cause["number"] else ""
        lines += [f"**{markdown(cause['title'] + number)}**", ""]
        lines += [f"- **Do:** {markdown(line)}" for line in cause["advice"]]
        lines += [f"- Seen: {markdown(line)}" for line in evidence.get(cause["title"], [])] + [""]
    if section["capture_again"]:
        lines += ["**For better evidence next time**", ""]
        lines += [f"- {markdown(line)}" for line in section["capture_again"]] + [""]
    return lines


def _held(analysis: AnalysisJson) -> list[str]:
    """Returns the code that held the threads, costliest first."""
    rows = [row for row in analysis["blame"] or [] if row["method"]][:METHODS]
    if not rows or analysis["verdict"]["id"] == "healthy":
        return []
    lines = ["| what held the threads while items waited | kind of wait | share |", "| --- | --- | ---: |"]
    for row in rows:
        kind = KIND_WORDS.get(row["kind"], row["kind"])
        place = source_place(row)
        method = f"{row['method']} ({place})" if place else str(row["method"])
        lines.append(f"| {markdown(method)} | {markdown(kind)} | {percent(row['share'])} |")
    return [*lines, ""]
