"""What a capture lacks that was made of other tools' files (docs/other-tools.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WORK_ITEMS = "work items"
"""What such a file lacks where they were not recorded, as the collector notes it (ForeignGaps.cs)."""


@dataclass(frozen=True)
class Lack:
    """Something that the other tool did not record."""

    why: str
    how: str
    """What records it."""


def without_work_items(manifest: Mapping[str, object]) -> Lack | None:
    """Why no work item is in a capture, and the command that records them; None where they were recorded, or Poolscope
    recorded it."""
    refused = manifest.get("refused")
    if not manifest.get("made_from") or not isinstance(refused, list):
        return None
    return next((Lack(str(r.get("why")), str(r.get("how"))) for r in refused if r.get("wanted") == WORK_ITEMS), None)
