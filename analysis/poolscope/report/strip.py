"""The strip under the verdict: queue, goal, incidents and late requests over the whole capture, as a picture that needs
no script."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from poolscope.contract.analysis_json import AnalysisJson, IncidentJson, LateSpellJson
from poolscope.html.formatting import count, counted, duration, moment
from poolscope.report.charts.pool import pool_recorded

WIDTH, HEIGHT = 960, 48
"""In the picture's own coordinates. The page stretches it to its width. The lane of the incidents is below it."""
TOP = 3
"""The room above the highest value, so that a line at its peak is not clipped."""
NEAR = 0.01
"""A share of the capture. Incidents that do not matter are drawn as one if the gap between them is shorter."""
MINOR = "incidents-minor"
"""The anchor of the sentences on incidents that do not matter."""
REQUESTS = "requests"
"""The anchor of the sentences on late requests."""
ALL = "incidents"
"""The anchor of the section, for an incident without a part of its own."""


@dataclass(frozen=True)
class Band:
    """One incident, or several nearby ones that do not matter, or a spell of late requests. Percent of the capture."""

    left: float
    width: float
    matters: bool
    anchor: str
    words: str


@dataclass(frozen=True)
class Strip:
    """The values that the template draws. `queue` and `goal` are SVG paths, empty if there is nothing to draw."""

    queue: Markup
    goal: Markup
    bands: list[Band]
    queue_words: str
    goal_words: str
    end: str
    label: str


def build_strip(analysis: AnalysisJson, anchors: dict[int, str]) -> Strip:
    """Returns the strip of a capture. `anchors` has those of incidents (by their id()) with a part of their own on the
    page."""
    timeline, seconds = analysis["timeline"], float(analysis["capture"]["seconds"])
    queue, goal = timeline["queue"], timeline["goal"]
    bands = [_band(i, seconds, anchors.get(id(i), ALL)) for i in analysis["incidents"] if i["matters"]]
    bands += [_requests(spell, seconds) for spell in late_spells(analysis)]
    minor = _minor([i for i in analysis["incidents"] if not i["matters"]], seconds)
    peak = max(queue, default=0)
    low, high = min(goal, default=0), max(goal, default=0)
    queue_words = f"queue, up to {counted(round(peak), 'item')}" if peak else "queue: empty"
    goal_words = (
        f"goal, {count(low)} to {counted(round(high), 'thread')}"
        if high > low
        else f"goal, {counted(round(high), 'thread')}"
    )
    if not pool_recorded(analysis):
        goal, goal_words = [], "goal: not recorded"
    return Strip(
        queue=_path(queue, area=True),
        goal=_path(goal, area=False),
        bands=sorted([*minor, *bands], key=lambda b: b.left),
        queue_words=queue_words,
        goal_words=goal_words,
        end=moment(round(seconds, 1)).replace(".000", "") if seconds >= 10 else moment(seconds),
        label=f"Over time: {queue_words}; {goal_words}; the incidents and late requests are the links below.",
    )


def _band(incident: IncidentJson, seconds: float, anchor: str) -> Band:
    late = f"{count(incident['late'])} of {counted(incident['items'], 'item')} late"
    longest = duration(incident["longest_ms"], incident["at_least"])
    words = f"Incident from {moment(incident['start_s'])} to {moment(incident['end_s'])}: {late}, longest {longest}"
    return Band(*_place(incident["start_s"], incident["end_s"], seconds), True, anchor, words)


def late_spells(analysis: AnalysisJson) -> list[LateSpellJson]:
    """Returns the spells of late requests. Empty if too few were late."""
    requests = analysis["requests"]
    return requests["late"]["spells"] if requests and requests["late"] else []


def spell_words(spell: LateSpellJson) -> str:
    """Returns the time, the number and the longest of a spell."""
    when = f"{moment(spell['start_s'])} to {moment(spell['end_s'])}"
    return f"{when}: {counted(spell['count'], 'late request')}, longest {duration(spell['longest_ms'])}"


def _requests(spell: LateSpellJson, seconds: float) -> Band:
    return Band(*_place(spell["start_s"], spell["end_s"], seconds), True, REQUESTS, f"From {spell_words(spell)}")


def _minor(incidents: list[IncidentJson], seconds: float) -> list[Band]:
    """Merges nearby incidents: a busy hour has hundreds, and the picture has room for few."""
    groups: list[list[IncidentJson]] = []
    for incident in incidents:
        if groups and incident["start_s"] - groups[-1][-1]["end_s"] < NEAR * seconds:
            groups[-1].append(incident)
        else:
            groups.append([incident])
    return [
        Band(
            *_place(group[0]["start_s"], group[-1]["end_s"], seconds),
            False,
            MINOR,
            f"From {moment(group[0]['start_s'])} to {moment(group[-1]['end_s'])}: "
            f"{counted(sum(i['late'] for i in group), 'late item')}, too little to matter",
        )
        for group in groups
    ]


def _place(start_s: float, end_s: float, seconds: float) -> tuple[float, float]:
    left = 100 * start_s / seconds if seconds > 0 else 0.0
    right = 100 * end_s / seconds if seconds > 0 else 100.0
    return round(min(max(left, 0.0), 100.0), 3), round(max(min(right, 100.0) - left, 0.0), 3)


def _path(values: list[float], area: bool) -> Markup:
    """Draws values over time as steps, scaled to their own peak. An area is closed along the bottom."""
    peak = max(values, default=0.0)
    if peak <= 0:
        return Markup()
    step = WIDTH / len(values)
    drawn = [f"M0 {HEIGHT}V{_y(values[0], peak)}" if area else f"M0 {_y(values[0], peak)}"]
    before = values[0]
    for at, value in enumerate(values):
        if value != before:
            drawn.append(f"H{at * step:g}V{_y(value, peak)}")
            before = value
    # Only numbers from Poolscope: the escaping of names would shorten a word of this length.
    return Markup("".join([*drawn, f"H{WIDTH}", f"V{HEIGHT}Z" if area else ""]))


def _y(value: float, peak: float) -> str:
    return f"{HEIGHT - (HEIGHT - TOP) * value / peak:.4g}"
