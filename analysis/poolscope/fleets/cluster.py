"""Dask workers: a cluster on this machine for the duration of the question, or an existing cluster."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from poolscope.base.errors import ExitCode, InvalidArgument, PoolscopeError
from poolscope.fleets.sources import INSTALL
from poolscope.fleets.task import Answer, answer, begin, code_key

AHEAD = 4
"""Captures assigned to each worker before it has answered: no worker waits for the network, and few captures are lost
with a scheduler."""
CONNECT_S = 10
NO_WORKER_S = 60
"""The time that a cluster may be without any worker, seconds: a restart takes a few seconds."""
LOOK_S = 5
"""The time between two checks for workers, seconds."""
PREFIX = "poolscope"
OF_DASK = {
    "distributed.admin.large-graph-warning-threshold": "1GB",
    # Dask's profiler would walk a worker's stack a hundred times a second, and its tick would wake the worker fifty
    # times a second. Together they take a tenth of its time.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
"""Dask settings for the workers of a question."""


@dataclass(frozen=True)
class Cluster:
    """The workers that analyse captures."""

    workers: int
    """The number of processes on this machine."""
    scheduler: str | None = None
    """The address of an existing scheduler. None for workers on this machine."""

    @property
    def here(self) -> bool:
        """True if this process does all the work, without Dask."""
        return self.scheduler is None and self.workers == 1


def default_workers() -> int:
    """Returns one worker for each CPU that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_workers(
    cluster: Cluster, sources: Sequence[str], late_ms: float, cache: str | None
) -> Iterator[tuple[str, Answer | str]]:
    """Yields the answer for each source as it arrives, or the reason why no worker gave one.

    If a worker dies, its capture moves to another one, up to Dask's `distributed.scheduler.allowed-failures` times.
    When the caller stops iterating, captures that have not started are cancelled. Raises PoolscopeError without Dask,
    if the scheduler does not answer, or without a worker.
    """
    with _client(cluster, len(sources)) as client:
        _hold_to_code(client)
        # Only workers on this machine cache rows: a folder of this machine means nothing to another.
        folder = cache if cluster.scheduler is None else None
        left = iter(sources)
        pending: dict[Any, str] = {}
        lonely = 0
        try:
            while True:
                room = AHEAD * max(_workers(client), 1) - len(pending)
                for source in islice(left, max(room, 0)):
                    pending[client.submit(answer, source, late_ms, folder, key=_name(source), pure=False)] = source
                if not pending:
                    return
                done = _wait(client, pending)
                for future in done:
                    yield pending.pop(future), _told(future)
                lonely = 0 if done or _workers(client) else lonely + LOOK_S
                if lonely >= NO_WORKER_S or client.status != "running":
                    yield from ((source, "no worker was left to analyse it") for source in (*pending.values(), *left))
                    return
        finally:
            if pending and client.status == "running":
                client.cancel(list(pending))


def _name(source: str) -> str:
    """Returns the key of a task, as Dask's own tools show it."""
    import uuid

    return f"{PREFIX}-{source.rsplit('/', 1)[-1][:60]}-{uuid.uuid4().hex[:12]}"


def _wait(client: Any, pending: dict[Any, str]) -> list[Any]:
    """Returns the futures that are done, at least one unless LOOK_S passed."""
    import distributed

    try:
        with client.as_current():
            wait: Any = distributed.wait
            return list(wait(list(pending), timeout=LOOK_S, return_when="FIRST_COMPLETED").done)
    except (TimeoutError, distributed.TimeoutError):
        return []


def _told(future: Any) -> Answer | str:
    if future.status == "cancelled":
        return "cancelled: the scheduler lost it"
    if future.status == "error":
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            return "its worker died on every attempt: out of memory, or killed"
        if isinstance(error, ModuleNotFoundError):
            return f"its worker lacks a package: {error}"
        return f"its worker failed: {type(error).__name__}: {' '.join(str(error).split())}"[:500]
    result = future.result()
    if not _is_answer(result):
        return "its worker's answer did not come from Poolscope"
    return cast(Answer, result)


def _is_answer(value: object) -> bool:
    """Returns whether a worker's result has the plain types of an answer."""
    if type(value) is not dict or set(value) != set(Answer.__annotations__):
        return False
    texts = type(value["code"]) is str and type(value["reason"]) is str and type(value["cached"]) is bool
    return texts and type(value["key"]) in (str, type(None)) and type(value["packed"]) in (bytes, type(None))


def _workers(client: Any) -> int:
    return len(client.scheduler_info().get("workers", {}))


@contextmanager
def _client(cluster: Cluster, captures: int) -> Iterator[Any]:
    try:
        import dask
        import distributed
    except ImportError as error:
        raise PoolscopeError(
            f"several workers need Dask, which is not installed: {INSTALL}; or ask with --workers 1", ExitCode.USAGE
        ) from error
    # Untyped in some versions of Dask.
    connect: Any = distributed.Client
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(OF_DASK):
        if cluster.scheduler is not None:
            try:
                client = connect(cluster.scheduler, timeout=CONNECT_S, set_as_default=False)
            except (OSError, ValueError, TimeoutError) as error:
                raise InvalidArgument(
                    f"no Dask scheduler answers at {cluster.scheduler} ({type(error).__name__}): "
                    "start one with `dask scheduler`, and name its address with --scheduler"
                ) from error
            with client:
                try:
                    client.wait_for_workers(1, timeout=CONNECT_S)
                except (TimeoutError, distributed.TimeoutError) as error:
                    raise InvalidArgument(
                        f"the scheduler {cluster.scheduler} has no worker: start one with `dask worker {cluster.scheduler}`"
                    ) from error
                yield client
            return
        workers = min(cluster.workers, captures)
        with _local(distributed, workers) as own:
            with connect(own, set_as_default=False) as client:
                client.run(begin, default_workers() // workers)
                yield client


def _local(distributed: Any, workers: int) -> Any:
    """Returns a cluster on this machine.

    Its processes talk over loopback, which every user of the machine can reach, and a client of a scheduler can run
    code. Certificates made for this run therefore keep all others out.
    """
    try:
        security = distributed.Security.temporary()
    except ImportError as error:
        raise PoolscopeError(
            f"workers need certificates of their own, which the package cryptography makes: {INSTALL}; "
            "or ask with --workers 1",
            ExitCode.USAGE,
        ) from error
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
        host="127.0.0.1",
        security=security,
        silence_logs=logging.CRITICAL,
    )


def _hold_to_code(client: Any) -> None:
    """Raises InvalidArgument if a worker has no Poolscope or a different version."""
    try:
        found = client.run(code_key)
    except Exception as error:  # noqa: BLE001 - what the worker raised
        raise InvalidArgument(
            f"a worker cannot run Poolscope ({type(error).__name__}: {' '.join(str(error).split())}): "
            "install the same version of it there"
        ) from error
    if others := sorted(address for address, key in found.items() if key != code_key()):
        raise InvalidArgument(
            f"worker {others[0]} has another Poolscope than this machine: install the same version on both"
        )
