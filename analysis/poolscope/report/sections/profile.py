"""The places of threads in samples of the runtime's own profiler: by thread, over time and as a flame graph."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, ProfileJson, ProfilePlaceJson, ProfileThreadJson
from poolscope.html.formatting import counted, moment, percent
from poolscope.report.sections.flames import ALL, least_note

SHOWN = 8
"""The number of threads shown. The others are folded."""
NO_NAME = "code without a name"
KINDS = {"idle": "waiting for a work item", "wait": "in a call that blocks", "code": ""}
MARKS = "ABCDEF"
"""A letter for each place, so that a strip is readable without its colours."""
EMPTY, OTHER = "\u00b7", "\u2013"


def profile_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of the sampled profile, or None without samples."""
    profile = analysis.get("profile")
    if profile is None:
        return None
    threads = [_thread(thread, profile) for thread in profile["threads"]]
    views = [ALL, ("workers", "on the pool's threads")] if profile["workers"] else [ALL]
    return {
        "words": _words(profile),
        "places": [_place(at, place, profile) for at, place in enumerate(profile["places"])],
        "first": threads[:SHOWN],
        "more": threads[SHOWN:],
        "more_words": counted(len(threads[SHOWN:]), "more thread"),
        "left_out": f"Left out: {counted(profile['threads_left_out'], 'thread')} with "
        f"{counted(profile['samples_left_out'], 'sample')}."
        if profile["threads_left_out"]
        else "",
        "idle_known": any(place["kind"] == "idle" for place in profile["places"]),
        "bin": moment(profile["bin_s"]),
        "views": views,
        "notes": least_note(profile["least"], len(profile["nodes"]["parent"])),
    }


def _words(profile: ProfileJson) -> str:
    said = counted(profile["total"], "sample")
    if profile["workers"]:
        said += f", {profile['workers']:,} of them on threads of the pool"
    if profile["no_stack"]:
        said += f"; {profile['no_stack']:,} have no stack"
    return f"{said}."


def _place(at: int, place: ProfilePlaceJson, profile: ProfileJson) -> dict[str, object]:
    return {
        "mark": MARKS[at],
        "style": _style(at, profile),
        "method": _name(place["method"], place["kind"]),
        "kind": KINDS[place["kind"]] if place["kind"] != "idle" else "",
        "share": percent(place["samples"] / profile["total"]),
    }


def _style(place: int, profile: ProfileJson) -> str:
    """Returns the suffix of the CSS class that colours a place."""
    if place < 0:
        return "other"
    return "idle" if profile["places"][place]["kind"] == "idle" else str(place)


def _name(method: str | None, kind: str) -> str:
    return KINDS["idle"] if kind == "idle" else method or NO_NAME


def _thread(thread: ProfileThreadJson, profile: ProfileJson) -> dict[str, object]:
    busy = thread["samples"] - thread["idle"]
    return {
        "tid": thread["tid"],
        "pool": thread["pool"],
        "samples": f"{thread['samples']:,}",
        "idle": percent(thread["idle"] / thread["samples"]),
        "method": (thread["method"] or NO_NAME) if busy else "",
        "method_share": percent(thread["method_samples"] / busy) if busy else "",
        "cells": [
            {"x": at, "style": _style(place, profile), "mark": MARKS[place] if place >= 0 else OTHER}
            for at, place in enumerate(thread["places"])
            if place != -2
        ],
        "strip": "".join(MARKS[p] if p >= 0 else EMPTY if p == -2 else OTHER for p in thread["places"]),
        "bins": len(thread["places"]),
    }
