"""docs/measured/look.json and the tables of docs/measured/look.md."""

from __future__ import annotations

import datetime
import json
import os
import platform
from typing import Any

from . import clients, damaged, queued, restless
from .targets import ROOT

DATA = ROOT / "docs" / "measured" / "look.json"
PAGE = ROOT / "docs" / "measured" / "look.md"
ZOO_LOOKS = ROOT / "reports" / "zoo-look.json"
BEGIN = "<!-- begin: written by ./build.sh bench look -->"
END = "<!-- end -->"
QUIET = 20.0
"""Limit of the share of time, percent, in which tasks waited for a core. A look that began above it says nothing about
its speed."""


def read() -> dict[str, Any]:
    """Returns the rows of each part. Rows of the zoo's last run, if it exists, replace those of the same programs."""
    kept: dict[str, Any] = json.loads(DATA.read_text("utf-8")) if DATA.is_file() else {}
    if ZOO_LOOKS.is_file():
        rows = json.loads(ZOO_LOOKS.read_text("utf-8"))["looks"]
        new = {_of(row): {key: row[key] for key in row if key not in ("text", "queued", "run")} for row in rows}
        kept["zoo"] = [new.pop(_of(row), row) for row in kept.get("zoo", [])] + list(new.values())
    return kept


def _of(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["program"], row["framework"], row["source"]


def write(kept: dict[str, Any]) -> None:
    """Writes the data and the page."""
    kept["machine"] = f"{os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}"
    kept["until"] = datetime.date.today().isoformat()
    DATA.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    text = PAGE.read_text("utf-8")
    first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:first]}\n\n{markdown(kept)}\n{text[last:]}", "utf-8")


def totals(kept: dict[str, Any]) -> dict[str, Any]:
    """Returns counts of each measured part."""
    parts = {"restless": restless, "clients": clients, "queued": queued, "damaged": damaged}
    return {name: part.totals(kept[name]) for name, part in parts.items() if kept.get(name)}


def markdown(kept: dict[str, Any]) -> str:
    """Returns the tables."""
    lines = [f"Measured until {kept['until']} on {kept['machine']}.", ""]
    if kept.get("zoo"):
        lines += _zoo(kept["zoo"])
    found = totals(kept)
    if part := found.get("restless"):
        lines += [
            "### A process that changes as fast as it can",
            "",
            f"{part['looks']} looks: {part['answered']} answers, {part['refused_in_one_line']} refusals in one line, "
            f"{part['wrong_limits']} wrong limits, {part['over_2_s']} longer than 2 s. Median {part['seconds_median']:.2f} s, "
            f"longest {part['seconds_max']:.2f} s, both looks of the command included. "
            + ("The process lived." if not part["target_ended"] else "The process ended.")
            + _busy([row["pressure"] for row in kept["restless"]]),
            "",
        ]
    if part := found.get("clients"):
        lines += _clients(kept["clients"], part)
    if kept.get("queued"):
        lines += _queued(kept["queued"])
    if part := found.get("damaged"):
        lines += [
            "### Damaged dumps",
            "",
            f"{part['inputs']:,} inputs: {part['answered']:,} answers, {part['refused_in_one_line']:,} refusals in one line, "
            f"{part['findings']} that broke a rule. In {part['reader_died']:,} the reader process died, in "
            f"{part['reader_ended_by_limit']:,} its limit ended it; `look` then answered from what it had written, or refused. "
            f"The reader's memory peaked at {part['peak_mib']} MiB.",
            "",
        ]
    return "\n".join(lines)


def _zoo(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "### Programs whose cause is known",
        "",
        "| runtime | look at | programs | method right | verdict right | cannot tell | healthy ones with a cause | first answer: median, longest |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    keys = dict.fromkeys((row["framework"], row["source"], row["kind"]) for row in rows)
    for framework, source, kind in sorted(keys, key=lambda key: (int(key[0][3:-2]), key[1], key[2])):
        own = [row for row in rows if (row["framework"], row["source"], row["kind"]) == (framework, source, kind)]
        asked = [row for row in own if row["holder_right"] is not None]
        pressures = [row.get("pressure_before") for row in own]
        times = sorted(row["first_s"] for row in own if (row.get("pressure_before") or 0) <= QUIET)
        methods = f"{sum(row['holder_right'] for row in asked)} of {len(asked)}" if asked else ""
        lines.append(
            f"| .NET {framework[3:-2]} | {source} | {len(own)} {kind} | {methods} "
            f"| {sum(row['right'] is True for row in own)} of {len(own)} | {sum(row['right'] is None for row in own)} "
            f"| {sum(row['cause_in_healthy'] for row in own) if kind == 'healthy' else ''} "
            f"| {_times(times, len(own))}{', load not recorded' if times and None in pressures else ''} |"
        )
    misses = [
        f"- {row['program']}, .NET {row['framework'][3:-2]}, {row['source']}: `{row['verdict']}`"
        + (f", method {row['holder']}" if row["holder_right"] is False else "")
        for row in rows
        if row["right"] is not True or row["holder_right"] is False
    ]
    return [*lines, "", *(["What was not right:", "", *misses, ""] if misses else [])]


def _times(times: list[float], looks: int) -> str:
    if not times:
        return "not on a quiet machine"
    of = "" if len(times) == looks else f" ({len(times)} on a quiet machine)"
    return f"{times[len(times) // 2]:.2f} s, {times[-1]:.2f} s{of}"


def _busy(pressures: list[float]) -> str:
    """Says that other programs also wanted the cores, if they did."""
    middle = sorted(pressures)[len(pressures) // 2]
    return (
        f" Other programs kept the cores busy (CPU pressure {middle:.0f} % in the median), so these are not the times of a quiet machine."
        if middle > QUIET
        else ""
    )


def _clients(rows: list[dict[str, Any]], part: dict[str, Any]) -> list[str]:
    lines = [
        "### Clients of a web service",
        "",
        f"{part['pairs']} pairs of stretches at {rows[0]['rate']} requests a second, one with looks and one without, in turn, "
        f"with the same arrivals: {part['requests']:,} requests, {part['looks']} looks, one after the other, "
        f"{part['refused']} refused. The 99th percentile changed by {part['p99_change_ms_median']:+.2f} ms in the median ({part['p99_change_ms_min']:+.2f} to "
        f"{part['p99_change_ms_max']:+.2f})."
        + _busy([row[key]["pressure"] for row in rows for key in ("alone", "looked_at")]),
        "",
        "| pair | alone: median, p99, longest | looked at: median, p99, longest |",
        "| ---: | --- | --- |",
    ]
    for row in rows:
        cells = (
            f"{row[key]['p50_ms']}, {row[key]['p99_ms']}, {row[key]['max_ms']:.1f} ms" for key in ("alone", "looked_at")
        )
        lines.append(f"| {row['pair'] + 1} | {' | '.join(cells)} |")
    return [*lines, ""]


def _queued(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "### What is queued, against the program's own count",
        "",
        "| runtime | program | verdict | queued | off |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for row in rows:
        off = "" if row["off"] is None else f"{100 * row['off']:.1f} %"
        right = "" if row["verdict_right"] else " (wrong)"
        lines.append(
            f"| .NET {row['framework'][3:-2]} | {row['program']} | `{row['verdict']}`{right} | {row['length']:,} | {off} |"
        )
    return [*lines, ""]
