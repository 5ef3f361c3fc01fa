"""The measured part of docs/measured/performance.md and its plot: the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import plot

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "measured" / "performance.md"
PICTURE = ROOT / "docs" / "images" / "growth.svg"
BEGIN = "<!-- measured: begin (made by ./build.sh bench all) -->"
END = "<!-- measured: end -->"

WHAT = {
    "runtime.wall": "decode `runtime.nettrace`: clock",
    "runtime.cpu": "the same: processor time",
    "runtime.cpu_of_count": "the same: processor time, against a bare count of the events",
    "runtime.memory": "the same: anonymous memory, against the file's size",
    "runtime.memory_of_peer": "the same: anonymous memory, against the peer's",
    "scheduler.lost": "scheduler records lost in a flood of switches",
    "scheduler.raw_per_switch": "bytes of the stream for each switch with its wake-up",
    "scheduler.tables_per_switch": "bytes of tables for each switch",
    "scheduler.wall": "decode `sched.perf.data`: clock",
    "scheduler.wall_of_timehist": "the same, against `perf sched timehist`",
    "scheduler.memory": "the same: anonymous memory",
    "stop.prompt": "from the signal to the prompt after a busy minute",
    "stop.streams": "the part until every stream has ended",
    "stop.memory": "anonymous memory meanwhile",
    "small.first": "analyse 100 items for the first time: clock",
    "small.warm": "the same, not for the first time",
    "service.page": "from Ctrl-C to the page, of a recorded web service",
    "service.memory": "the same: most memory",
    "handoff.wall": "analyse a recorded minute of handoffs: clock",
    "handoff.cpu": "the same: processor time",
    "handoff.memory": "the same: most memory",
    "timers.wall": "analyse 20 s of recorded timers: clock",
    "timers.cpu": "the same: processor time",
    "timers.memory": "the same: most memory",
    "flood.between": "a flood of switches for five minutes: from one to the next",
    "flood.lost": "its records that were lost",
    "flood.decode": "its tables: clock",
    "flood.decode_memory": "the same: most memory, mapped files too",
    "flood.report": "its page: clock",
    "flood.report_memory": "the same: most memory",
}
MEASURES = {"wall": "clock", "cpu": "processor time", "memory": "most memory"}


def write(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
    """Puts the tables between the page's markers, and draws the plot if growth was measured."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{rendered(about, rows)}\n{END}{after}", encoding="utf-8")
    if times := _growth(rows):
        PICTURE.write_text(plot.drawn(times, "work items", "seconds, GB"), encoding="utf-8")


def rendered(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """Returns the machine and one line for each row."""
    pressure = about["cpu_pressure_percent"]
    busy = "" if pressure is None else f" Some task waited for a core in {pressure:.0f} % of the time."
    lines = [
        f"{about['cores']} cores of {about['processor']}, {about['memory_gib']:.0f} GiB, Linux {about['kernel']}, "
        f".NET {about['dotnet']}, {about['perf'] or 'no perf'}.{busy} Medians, with the least and the most; of pairs, the ratio of each.",
        "",
        "| figure | ours | against | ours / that | goal | | n | day |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *map(_line, rows),
        "",
    ]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    alone = row["peer_name"] == "no peer"
    goal = "" if row["goal"] is None else f"at most {row['goal']:.2f}"
    verdict = {None: "", True: "met", False: "**missed**"}[row["met"]]
    return (
        f"| {_what(row['id'])} | {_value(row['ours'], row['ours_spread'], row['unit'])} "
        f"| {'' if alone else _value(row['peer'], None, row['unit']) + ' (' + row['peer_name'] + ')'} "
        f"| {'' if alone else _value(row['ratio'], row['ratio_spread'], '')} | {goal} | {verdict} | {row['runs']} | {row['day']} |"
    )


def _what(name: str) -> str:
    part, *rest = name.split(".")
    if part == "growth":
        items, measure = rest
        return f"analyse {int(items):,} items: {MEASURES[measure]}"
    return WHAT[name]


def _value(middle: float, spread: Sequence[float] | None, unit: str) -> str:
    form = ",.0f" if abs(middle) >= 100 else ".2f"
    value = f"{middle:{form}} {unit}".rstrip()
    return value if spread is None or spread[0] == spread[1] else f"{value} ({spread[0]:{form}} to {spread[1]:{form}})"


def _growth(rows: Sequence[dict[str, Any]]) -> dict[str, dict[int, float]]:
    """Returns medians by number of items: wall time and CPU time in s, memory in GB."""
    found: dict[str, dict[int, float]] = {}
    for row in rows:
        part, *rest = row["id"].split(".")
        if part == "growth":
            scale, unit = (1e-3, ", GB") if row["unit"] == "MB" else (1.0, ", s")
            found.setdefault(MEASURES[rest[1]] + unit, {})[int(rest[0])] = row["ours"] * scale
    return found
