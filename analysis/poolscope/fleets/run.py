"""Asks every capture of a fleet: from the cache where its content is known, else here or on the workers of Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from poolscope.base.parallel import THREADS
from poolscope.fleets.cache import RowCache
from poolscope.fleets.cluster import Cluster, on_workers
from poolscope.fleets.content import code_key, content_key
from poolscope.fleets.row import Failed, Row, unpack
from poolscope.fleets.sources import is_url
from poolscope.fleets.task import Answer, answer


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

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
    """Returns one Row or Failed for each source, in their order.

    What is known is kept at once: a run that was interrupted goes on where it was. `cache`: its folder; None keeps
    nothing. Raises PoolscopeError where no worker can be had, KeyboardInterrupt as it came.
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
            # Its own machine has kept it there; this one asks again from here.
            kept.put(told["key"], told["packed"])
    return [found[source] for source in sources]


def _known(sources: Sequence[str], late_ms: float, kept: RowCache) -> Iterator[tuple[str, bytes]]:
    """Yields what the cache has of the captures on this machine."""

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
