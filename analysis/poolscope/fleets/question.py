"""A whole question: sources, workers, labels and cache, asked once or again and again as captures arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.fleets.answer import FleetAnswer, gather
from poolscope.fleets.cluster import Cluster
from poolscope.fleets.keys import from_path
from poolscope.fleets.row import Row
from poolscope.fleets.run import Progress, ask
from poolscope.fleets.sources import find_sources


@dataclass(frozen=True)
class Question:
    """What is asked, and who answers."""

    captures: Sequence[str]
    """Folders, zips, folders of these, globs, and URLs."""
    cluster: Cluster
    cache: Path | None
    late_ms: float = LATE_LIMIT_MS
    group_by: Sequence[str] = ()
    labels_from: str | None = None
    """A pattern such as `{service}/{version}/{*}` for the ends of paths; a capture's own labels come before it."""

    def answer(self, progress: Callable[[Progress], None] = lambda state: None) -> FleetAnswer:
        """Asks every capture that there is now. Raises as `ask` and `gather`."""
        if self.labels_from is not None:
            from_path(self.labels_from, "")
        found = ask(find_sources(self.captures), self.late_ms, self.cluster, self.cache, progress)
        if self.labels_from is not None:
            pattern = self.labels_from
            found = [one.labelled(from_path(pattern, one.source)) if isinstance(one, Row) else one for one in found]
        return gather(found, self.late_ms, self.group_by)
