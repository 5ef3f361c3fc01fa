"""speedscope's own format: one JSON file with a profile for each view (docs/export.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from poolscope.base.errors import InsufficientEvidence
from poolscope.export.formats import Source, Written
from poolscope.export.stacks import NEEDS, TITLES, VIEWS, StackFrame, WeightedStacks, plain, weighted_stacks
from poolscope.version import __version__

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
"""The identifier that a file of this format must contain. Nothing is fetched from this address."""
UNITS = {"nanoseconds": "nanoseconds", "samples": "none"}


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes a profile for each view that the capture can show. speedscope opens the file with the profile of `view`.

    Raises InsufficientEvidence if the capture can show none.
    """
    notes: list[str] = []
    shown: list[WeightedStacks] = []
    for name in VIEWS:
        found = weighted_stacks(source, name)
        if found is None:
            notes.append(f"No profile \u201c{TITLES[name]}\u201d: it takes {NEEDS[name]}.")
        elif not found.stacks:
            # speedscope rejects a profile without samples as damaged.
            notes.append(f"No profile \u201c{found.title}\u201d: there was no such time.")
        else:
            shown.append(found)
            notes += found.notes
    if not shown:
        raise InsufficientEvidence(f"{source.capture.path}: nothing for speedscope to show. {' '.join(notes)}")
    first = next((at for at, stacks in enumerate(shown) if stacks.view == view), 0)
    content = document(plain(source.capture.path.name), shown, first)
    output.write_text(json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n", "utf-8")
    counts = {"profiles": len(shown), "stacks": sum(len(s.stacks) for s in shown)}
    return Written(counts | {"frames": len(content["shared"]["frames"])}, notes)


def document(name: str, views: list[WeightedStacks], first: int) -> dict[str, Any]:
    """Returns the file's content. `first` is the index of the profile shown when the file is opened."""
    frames: dict[StackFrame, int] = {}
    profiles = []
    for view in views:
        samples = [[frames.setdefault(frame, len(frames)) for frame in stack] for stack in view.stacks]
        profiles.append(
            {
                "type": "sampled",
                "name": view.title,
                "unit": UNITS[view.unit],
                "startValue": 0,
                "endValue": view.total,
                "samples": samples,
                "weights": view.weights,
            }
        )
    return {
        "$schema": SCHEMA,
        "name": name,
        "exporter": f"poolscope {__version__}",
        "activeProfileIndex": first,
        "shared": {"frames": [_frame(frame) for frame in frames]},
        "profiles": profiles,
    }


def _frame(frame: StackFrame) -> dict[str, str]:
    # Returns a frame of the format. speedscope colours by file, so the module is written as the file.
    return {"name": frame.name} | ({} if frame.module is None else {"file": frame.module})
