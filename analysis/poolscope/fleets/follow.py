"""A question that is asked again whenever captures came or went."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from poolscope.capture.archive import MANIFEST
from poolscope.fleets.sources import find_sources, is_url

EVERY_S = 30.0


def changes(
    captures: Callable[[], list[str]], every_s: float, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[str]]:
    """Yields the sources at once, and again each time that they, or the content of one, have changed. Never ends."""
    before: object = None
    while True:
        sources = captures()
        state = [(source, _state(source)) for source in sources]
        if state != before:
            before = state
            yield sources
        sleep(every_s)


def listed(words: list[str]) -> Callable[[], list[str]]:
    """Returns the sources that the words name at the moment of the call."""
    return lambda: find_sources(words)


def _state(source: str) -> tuple[int, ...]:
    """Returns what changes when a capture is written: times and sizes of its manifest and tables, or of its zip. Empty of a URL,
    whose content is examined when it is first seen."""
    if is_url(source):
        return ()
    path = Path(source)
    places = [path] if path.is_file() else [path / MANIFEST, path / "tables"]
    found: list[int] = []
    for place in places:
        try:
            status = place.stat()
        except OSError:
            continue
        found += [status.st_mtime_ns, status.st_size]
    return tuple(found)
