"""A whole question: sources, workers, labels and cache.

A capture whose content is in the cache is answered from there, any other here or on Dask workers. The question is asked
once, or whenever captures are added or removed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.stages import THREADS
from poolscope.capture.storage import MANIFEST
from poolscope.fleets.answer import FleetAnswer, gather
from poolscope.fleets.cluster import Cluster, on_workers
from poolscope.fleets.keys import from_path
from poolscope.fleets.row import Failed, Row, unpack
from poolscope.fleets.sources import find_sources, is_url
from poolscope.fleets.task import Answer, RowCache, answer, code_key, content_key


@dataclass(frozen=True)
class Progress:
    """The progress of a run."""

    done: int
    of: int
    cached: int
    failed: int


def ask(
    sources: Sequence[str],
    late_ms: float,
    cluster: Cluster,
    cache: Path | None,
    progress: Callable[[Progress], None] = lambda state: None,
) -> list[Row | Failed]:
    """Returns one Row or Failed for each source, in order.

    Every row is cached at once, so an interrupted run continues where it stopped. `cache` is the folder; None caches
    nothing. Raises PoolscopeError if no worker is available; KeyboardInterrupt is passed on.
    """
    kept = RowCache(cache)
    found: dict[str, Row | Failed] = {}
    cached = failed = 0

    def note(source: str, row: Row | Failed) -> None:
        nonlocal cached, failed
        found[source] = row
        cached += isinstance(row, Row) and row.cached
        failed += isinstance(row, Failed)
        progress(Progress(len(found), len(sources), cached, failed))

    for source, packed in _known(sources, late_ms, kept):
        row = _read(source, packed, cached=True)
        if isinstance(row, Row):
            note(source, row)
    left = [source for source in sources if source not in found]
    folder = None if cache is None else str(cache)
    for source, told in _answers(left, late_ms, folder, cluster):
        if isinstance(told, str):
            note(source, Failed(source, told))
            continue
        row = _judge(source, told)
        note(source, row)
        if isinstance(row, Row) and cluster.scheduler is not None and told["packed"] is not None:
            # The worker did not cache it, because it may be on another machine. Cache it here, where the next question
            # is asked.
            kept.put(told["key"], told["packed"])
    return [found[source] for source in sources]


def _known(sources: Sequence[str], late_ms: float, kept: RowCache) -> Iterator[tuple[str, bytes]]:
    """Yields the cached rows of captures on this machine."""

    def look(source: str) -> tuple[str, bytes | None]:
        return source, None if is_url(source) else kept.get(content_key(Path(source), late_ms))

    with ThreadPoolExecutor(THREADS) as pool:
        for source, packed in pool.map(look, sources):
            if packed is not None:
                yield source, packed


def _answers(
    sources: Sequence[str], late_ms: float, cache: str | None, cluster: Cluster
) -> Iterator[tuple[str, Answer | str]]:
    if not sources:
        return
    if cluster.here:
        for source in sources:
            yield source, answer(source, late_ms, cache)
        return
    yield from on_workers(cluster, sources, late_ms, cache)


def _judge(source: str, told: Answer) -> Row | Failed:
    if told["packed"] is None:
        return Failed(source, told["reason"] or "its worker gave no reason")
    if told["code"] != code_key():
        return Failed(source, f"its worker has another Poolscope ({told['code']}; here {code_key()}): install the same")
    return _read(source, told["packed"], told["cached"])


def _read(source: str, packed: bytes, cached: bool) -> Row | Failed:
    try:
        return replace(unpack(source, packed), cached=cached)
    except ValueError as error:
        return Failed(source, f"its row cannot be read: {error}")


def changes(
    captures: Callable[[], list[str]], every_s: float, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[str]]:
    """Yields the sources at once, and again each time the list or the content of a source has changed. Never ends."""
    before: object = None
    while True:
        sources = captures()
        state = [(source, _state(source)) for source in sources]
        if state != before:
            before = state
            yield sources
        sleep(every_s)


def listed(words: list[str]) -> Callable[[], list[str]]:
    """Returns a function that lists the sources that the words name at the moment of the call."""
    return lambda: find_sources(words)


def _state(source: str) -> tuple[int, ...]:
    """Returns values that change when a capture is written: times and sizes of its manifest and tables, or of its zip.
    Empty for a URL, whose content is read only when it is first seen."""
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


@dataclass(frozen=True)
class Question:
    """A question and the workers that answer it."""

    captures: Sequence[str]
    """Folders, zips, folders of these, globs, and URLs."""
    cluster: Cluster
    cache: Path | None
    late_ms: float = LATE_LIMIT_MS
    group_by: Sequence[str] = ()
    labels_from: str | None = None
    """A pattern such as `{service}/{version}/{*}` for the ends of paths. A capture's own labels take precedence."""

    def answer(self, progress: Callable[[Progress], None] = lambda state: None) -> FleetAnswer:
        """Asks every capture that exists now. Raises the errors of `ask` and `gather`."""
        if self.labels_from is not None:
            from_path(self.labels_from, "")
        found = ask(find_sources(self.captures), self.late_ms, self.cluster, self.cache, progress)
        if self.labels_from is not None:
            pattern = self.labels_from
            found = [one.labelled(from_path(pattern, one.source)) if isinstance(one, Row) else one for one in found]
        return gather(found, self.late_ms, self.group_by)
