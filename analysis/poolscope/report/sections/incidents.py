"""The incidents, in which items started late: those that matter one by one, the others in sentences."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, IncidentJson, SummaryJson
from poolscope.html.formatting import ABSENT, count, counted, duration, moment, percent
from poolscope.naming.choice import KIND_WORDS
from poolscope.report.sections.split import bar
from poolscope.report.strip import build_strip, late_spells, spell_words

TOLD = 50
"""The number of incidents that matter with a part of their own on the page, costliest first: readers open no more."""
FIRST = 3
"""The number shown, costliest first. The others are folded."""
SENTENCES = 10
"""The number of incidents that do not matter up to which each has its own sentence. More are grouped."""


def incidents_section(analysis: AnalysisJson) -> dict[str, object]:
    incidents = analysis["incidents"]
    mattering = [i for i in incidents if i["matters"]]
    told = costliest(mattering, TOLD)
    left_out = [i for i in mattering if i not in told]
    anchors = {id(i): f"incident-{n}" for n, i in enumerate((i for i in mattering if i in told), 1)}
    minor = [i for i in incidents if not i["matters"]]
    first = costliest(told, FIRST)
    return {
        "seen": analysis["items"]["count"] > 0,
        "limit": duration(analysis["late_limit_ms"]),
        "summary": summary(analysis),
        "told": [
            _told(i, anchors[id(i)], outside_words(analysis), first=i in first) for i in mattering if id(i) in anchors
        ],
        "more": counted(len(told) - len(first), "more incident") if len(told) > len(first) else "",
        "left_out": (
            f"The {TOLD} costliest of {count(len(mattering))} incidents are listed. In the others "
            f"{counted(sum(i['late'] for i in left_out), 'item')} started late and waited "
            f"{duration(1e3 * sum(i['item_seconds'] for i in left_out))} in all."
            if left_out
            else ""
        ),
        "minor": minor_sentences(minor),
        "minor_gist": f"{counted(sum(i['late'] for i in minor), 'item')} in {counted(len(minor), 'incident')}",
        "spells": [f"{spell_words(spell)}." for spell in late_spells(analysis)],
        "strip": build_strip(analysis, anchors) if analysis["items"]["count"] else None,
    }


def costliest(incidents: list[IncidentJson], most: int) -> list[IncidentJson]:
    """Returns at most `most` incidents, costliest by item-seconds, in order of time."""
    kept = sorted(incidents, key=lambda i: -float(i["item_seconds"]))[:most]
    return sorted(kept, key=lambda i: float(i["start_s"]))


def summary(analysis: AnalysisJson) -> str:
    """Returns a sentence on how many incidents there are and how many of them matter."""
    incidents, limit = analysis["incidents"], duration(analysis["late_limit_ms"])
    if not analysis["coverage"]["items_recorded"]:
        return "Not known: work items were not recorded."
    if not incidents:
        return f"No item waited longer than {limit}."
    mattering = [i for i in incidents if i["matters"]]
    late = counted(sum(i["late"] for i in incidents), "item")
    said = f"{late} waited longer than {limit}, in {counted(len(incidents), 'incident')}"
    if len(mattering) == len(incidents):
        return f"{said}."
    if not mattering:
        return f"{said} that {'does' if len(incidents) == 1 else 'do'} not matter."
    return f"{said}; {count(len(mattering))} of them {'matters' if len(mattering) == 1 else 'matter'}."


def longest(incident: IncidentJson) -> str:
    """Returns the longest wait, with a sign if it is a lower bound."""
    return duration(incident["longest_ms"], incident["at_least"])


def waited(incident: IncidentJson) -> str:
    """Returns the total wait of its late items: item-seconds as a duration."""
    return duration(1e3 * incident["item_seconds"], incident["at_least"])


def cause_words(incident: IncidentJson) -> str:
    """Returns the verdict's id and its confidence, or a dash if the incident has no verdict of its own."""
    verdict = incident["verdict"]
    return f"{verdict['id']} ({verdict['confidence']})" if verdict else ABSENT


def minor_sentences(minor: list[IncidentJson]) -> list[str]:
    """Returns why each incident does not matter, or, if there are many, one sentence for each reason."""
    if len(minor) <= SENTENCES:
        return [f"{moment(i['start_s'])} to {moment(i['end_s'])}: {i['why_not']}" for i in minor]
    groups = (
        ([i for i in minor if i["at_start_up"]], "while the program started and its code was compiled"),
        ([i for i in minor if not i["at_start_up"]], "too few and too short to matter"),
    )
    return [
        f"{counted(len(group), 'incident')} from {moment(group[0]['start_s'])} to {moment(group[-1]['end_s'])}, {why}: "
        f"{counted(sum(i['late'] for i in group), 'item')} started late, up to "
        f"{duration(max(i['longest_ms'] for i in group))}."
        for group, why in groups
        if group
    ]


def request_words(incident: IncidentJson) -> str:
    """Returns how many requests overlapped the incident. Empty if none is tied to its bytes."""
    requests = incident["requests"]
    if requests is None:
        return ""
    return (
        f"{requests['arrived']:,} arrived, {requests['in_progress']:,} were in progress, "
        f"{requests['answered']:,} were answered"
    )


def arrived_words(incident: IncidentJson) -> str:
    """Returns how many requests arrived in the incident, and how long they took, as a table cell."""
    requests = incident["requests"]
    if requests is None:
        return ABSENT
    latency = latency_words(requests["latency_ms"])
    return f"{requests['arrived']:,}: {latency}" if latency else f"{requests['arrived']:,}"


def latency_words(latency: SummaryJson) -> str:
    """Returns median and p99. Empty without requests."""
    if latency["p50"] is None:
        return ""
    median, p99 = (duration(latency[key], key in latency["at_least"]) for key in ("p50", "p99"))  # type: ignore[literal-required]
    return f"median {median}, p99 {p99}"


def outside_words(analysis: AnalysisJson) -> str:
    """Returns the latency of requests outside of incidents, for comparison. Empty if unknown."""
    outside = analysis["requests"]["outside_incidents"] if analysis["requests"] else None
    if outside is None:
        return ""
    said = latency_words(outside["latency_ms"])
    return (
        f"{said} of {counted(outside['count'], 'request')} that met no incident"
        if said
        else "every request met an incident"
    )


def _gist(incident: IncidentJson) -> str:
    """Returns what the folded line says about the incident's requests."""
    latency = incident["requests"]["latency_ms"] if incident["requests"] else None
    if latency is None or latency["p50"] is None:
        return ""
    return f"requests took {duration(latency['p50'], 'p50' in latency['at_least'])} (median)"


def _requests(incident: IncidentJson, outside: str) -> str:
    """Returns one line on the number of requests, and the latency of those that arrived in the incident compared with
    the others."""
    requests = incident["requests"]
    if requests is None:
        return ""
    latency = latency_words(requests["latency_ms"])
    took = f"; latency of those that arrived: {latency} ({outside})" if latency else ""
    return f"{request_words(incident)}{took}"


def _told(incident: IncidentJson, anchor: str, outside: str, first: bool) -> dict[str, object]:
    verdict = incident["verdict"]
    late, items = incident["late"], incident["items"]
    mean_ms = 1e3 * incident["item_seconds"] / late
    share = incident["wait_share"] or {}
    return {
        "anchor": anchor,
        "first": first,
        "open": incident["costliest"],
        "from": moment(incident["start_s"]),
        "to": moment(incident["end_s"]),
        "from_s": incident["start_s"],
        "to_s": incident["end_s"],
        "late": f"{count(late)} of the {counted(items, 'item')} queued then"
        if late < items
        else f"all {counted(items, 'item')} queued then"
        if items > 1
        else "the one item queued then",
        "longest": longest(incident),
        "waited": waited(incident),
        "mean": duration(mean_ms, incident["at_least"]),
        "bar": bar({cause: part * mean_ms for cause, part in share.items()}),
        "gist": _gist(incident),
        "requests": _requests(incident, outside),
        "verdict": verdict,
        "reasons": list(dict.fromkeys(verdict["reasons"])) if verdict else [],
        "blame": [
            {
                "method": row["method"],
                "kind": KIND_WORDS.get(row["kind"], row["kind"]),
                "thread_time": duration(1e3 * row["thread_s"]),
                "share": percent(row["share"]),
            }
            for row in incident["blame"]
            if row["method"]
        ],
    }
