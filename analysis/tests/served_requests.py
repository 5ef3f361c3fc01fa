"""A capture of a web service in which every request is one item on its own thread, for tests of requests."""

from __future__ import annotations

from pathlib import Path

from synthetic import MS, CaptureBuilder

EPOLL = 90


def served(
    folder: Path,
    latencies: list[float],
    *,
    paths: tuple[str, ...] = ("/a",),
    gap: float = 20,
    queued: float | list[float] | list[int] = 1,
    length: float | None = None,
    unanswered: int = 0,
    sockets: bool = True,
    windows: bool = False,
    untied: int = 0,
    unread: int = 0,
) -> Path:
    """Builds requests that arrive every `gap` ms, each on its own connection, the first at 10 ms. Each waits in the
    queue for `queued` ms (one value for each if it is a list) and is answered after its latency in ms. On `windows` the
    kernel reports bytes, but neither their arrival nor their reader.

    The last `unanswered` requests are in the application at the end. The bytes of the last `untied` are not tied to
    them. `unread` more connections have data that was never read.
    """
    last = 10 + gap * (len(latencies) - 1) + max(latencies)
    builder = CaptureBuilder(folder, length=int((length or last + 50) * MS)).thread(EPOLL, 100, ".NET Sockets")
    for i, latency in enumerate(latencies):
        arrived, tid = 10 + gap * i, 200 + i
        end = arrived + latency
        is_open = i >= len(latencies) - unanswered
        stop = builder.length / MS if is_open else end + 1
        started = arrived + (queued[i] if isinstance(queued, list) else queued)
        builder.item(
            int(arrived * MS),
            int(started * MS),
            -1 if is_open else int(stop * MS),
            tid,
            [("running", int((stop - started) * MS))],
            enqueue_tid=EPOLL,
        )
        transfers: list[tuple] = [(arrived, "arrived", 50), (started + 0.25, "read", 50, tid)]
        transfers += [] if is_open else [(end, "sent", 100, tid)]
        if windows:
            told = {"arrived": "received", "sent": "transmitted"}
            builder.reported(*((int(t * MS), told[what], size) for t, what, size, *_ in transfers if what in told))
        elif sockets and i < len(latencies) - untied:
            builder.connection(*((int(time * MS), *rest) for time, *rest in transfers))
        left = -1 if is_open else int((end - 0.25) * MS)
        builder.request(
            int((started + 0.5) * MS),
            tid,
            left,
            -1 if is_open else tid,
            connection=f"C{i}",
            path=paths[i % len(paths)],
        )
    for i in range(unread):
        builder.connection((int((30 + i) * MS), "arrived", 50))
    builder.write()
    return folder
