"""The captured work as the worlds of settings see it: the work, its requests, and the service that answered them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

import numpy as np

from poolscope.attribution import Attribution
from poolscope.attribution.causes.socket_io import SocketIo
from poolscope.base.arrays import BoolArray
from poolscope.base.errors import InsufficientEvidence
from poolscope.base.units import NS_PER_MS
from poolscope.base.words import percent
from poolscope.capture import DecodedCapture
from poolscope.executions.items import Items
from poolscope.measures.requests import Requests, measure_requests, request_parts
from poolscope.measures.services import find_service_calls, load_sockets
from poolscope.replay.policies import Allowed
from poolscope.replay.simulate import World, simulate
from poolscope.replay.workload import Op, Program, Workload
from poolscope.whatif.faster import expected_fall, with_faster
from poolscope.whatif.load import Groups, Loaded, unchanged
from poolscope.whatif.missing import with_missing
from poolscope.whatif.request_fit import MOST_HELD, RequestFit, at_best, fit, held, unmoved
from poolscope.whatif.requests import FollowedRequests, RequestItems, follow_requests
from poolscope.whatif.setting import Captured, Faster, Setting, is_as_captured

NOTABLE = 0.1
"""A share of the time of requests. A service that they waited for no longer than this is not worth a row."""
TWICE = 2.0
MANY_ITEMS = 200_000
"""A capture with this many items has one other load replayed at a time. The work of two would set the peak of
memory."""


class CapturedWork:
    """The captured work of one capture. Everything is computed once, on first use, and kept."""

    def __init__(self, capture: DecodedCapture, attribution: Attribution, captured: Captured, seed: int):
        """Requires an `attribution` with a kernel stream. `seed` determines the random choices for unread requests."""
        assert attribution.split is not None
        self.capture = capture
        self.attribution = attribution
        self.captured = captured
        self.seed = seed
        self.workload: Workload = attribution.split.workload
        self._workloads: dict[Faster, Workload] = {(): self.workload}
        self._services: dict[Faster, Service] = {}
        self._load = Lock()
        self._groups: dict[int, Groups] = {}
        self._drawn: dict[tuple[int, float], tuple[int | None, Loaded, RequestItems | None]] = {}

    def of(self, setting: Setting) -> tuple[Workload, FollowedRequests | None]:
        """Returns the work in the world of a setting, and the requests in it.

        Raises InvalidArgument and InsufficientEvidence like `with_faster`.
        """
        service = None if is_as_captured(setting) else self._service(setting.faster)
        if service is not None:
            return service.workload, service.requests
        return self._asked(setting.faster), self.requests

    def at_load(self, setting: Setting, seed: int) -> tuple[Loaded, RequestItems | None]:
        """Returns the work of a setting at its load, and its requests. `seed` decides which work is repeated or
        dropped. The latest draw is kept."""
        workload, requests = self.of(setting)
        drawn = seed if setting.load != 1.0 else None
        # Workloads are kept, so each has a unique id.
        kept = self._drawn.get((id(workload), setting.load))
        if kept is not None and kept[0] == drawn:
            return kept[1:]
        loaded = unchanged(workload) if drawn is None else self._in_groups(workload).at_load(setting.load, seed)
        there = requests.among(loaded.origin) if requests is not None and self.tells_of_requests else None
        self._drawn[id(workload), setting.load] = drawn, loaded, there
        return loaded, there

    @contextmanager
    def turn(self, setting: Setting) -> Iterator[None]:
        """Has a large capture's work at one other load at a time, and drops it afterwards."""
        if setting.load == 1.0 or self.workload.count < MANY_ITEMS:
            yield
            return
        with self._load:
            yield
            self._drawn.pop((id(self.of(setting)[0]), setting.load), None)

    def _in_groups(self, workload: Workload) -> Groups:
        if id(workload) not in self._groups:
            carried = np.arange(self.attribution.items.count, self.workload.count)
            self._groups[id(workload)] = Groups.of(workload, carried)
        return self._groups[id(workload)]

    def _service(self, faster: Faster) -> Service | None:
        """Returns the workload with requests, or None if no request is predicted."""
        if self.requests is None or not self.tells_of_requests:
            return None
        if faster not in self._services:
            made = serve(self._asked(faster), self.requests, self.attribution.items, self.seed)
            stay = self._unmoved(made, faster) if faster else np.zeros(1, dtype=bool)
            if stay.any():
                made = serve(self._asked(faster), self.requests.where(~stay), self.attribution.items, self.seed)
            self._services[faster] = made
        return self._services[faster]

    def _unmoved(self, made: Service, faster: Faster) -> BoolArray:
        """Returns the followed requests that are left out. Raises InsufficientEvidence if there are many."""
        present = self._service(())
        assert present is not None and self.requests is not None
        assert self.measured is not None and self.sockets is not None
        fall = expected_fall(self.measured, self.attribution, self.sockets, faster)[self.requests.row]
        before, after = (at_best(world.requests, world.workload)[: len(fall)] for world in (present, made))
        stay = unmoved(before, after, fall)
        if stay.mean() > MOST_HELD:
            raise InsufficientEvidence(
                f"for {percent(float(stay.mean()))} of the requests, the capture does not show what the answers of "
                f"{', '.join(endpoint for endpoint, _ in faster)} led to, so Poolscope cannot predict another speed"
            )
        return stay

    def _asked(self, faster: Faster) -> Workload:
        if faster not in self._workloads:
            self._workloads[faster] = with_faster(self.attribution, self.sockets, faster)
        return self._workloads[faster]

    @cached_property
    def measured(self) -> Requests | None:
        """The measured requests. None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @cached_property
    def requests(self) -> FollowedRequests | None:
        """The followed requests. None if too few can be followed."""
        return None if self._held is None else self._held[0]

    @cached_property
    def _held(self) -> tuple[FollowedRequests, int] | None:
        """The followed requests without those that waited for something unknown, and the number of these."""
        requests = follow_requests(self.capture, self.attribution, self.measured)
        if requests is None:
            return None
        apart = held(requests, self.workload)
        return requests.where(~apart), int(apart.sum())

    @cached_property
    def sockets(self) -> SocketIo | None:
        """The socket events. None if they were not recorded."""
        return load_sockets(self.capture, self.attribution)

    @cached_property
    def needed_ms(self) -> float:
        """The mean time of the answered requests without waits for a thread and for a core.

        If another request lets an item continue, the replay keeps that wait: for a connection, for example, that
        HttpClient would have opened itself if its pool had had a thread. So the simulated latency may be too long, by
        the difference to this at most.
        """
        assert self.requests is not None
        parts = request_parts(self.capture, self.attribution)
        if parts is None:
            return 0.0
        mine = np.isin(parts.row, self.requests.row)
        waits = sum(parts.part[name][mine] for name in ("unread", "queued", "ready"))
        return float((parts.latency[mine] - waits).mean()) / NS_PER_MS if mine.any() else 0.0

    def slowest_service(self) -> str | None:
        """Returns the endpoint whose answers were awaited longest. None if that is a small part of the time of
        requests, or if it is unknown what waited for its answers."""
        if self.requests is None or not self.tells_of_requests:
            return None
        services = find_service_calls(self.sockets).services()
        endpoint = next(iter(services), None)
        if endpoint is None or services[endpoint] < NOTABLE * self.requests.total_ns:
            return None
        try:
            self._service(((endpoint, TWICE),))
        except InsufficientEvidence:
            return None
        return endpoint

    @property
    def tells_of_requests(self) -> bool:
        """Whether requests are predicted."""
        return self.request_fit is not None and self.request_fit.why_not is None

    @cached_property
    def request_fit(self) -> RequestFit | None:
        """How well the replay reproduces the requests. None without requests."""
        if self._held is None:
            return None
        requests, left_out = self._held
        if not requests.is_answered.any():
            return None
        goal = Allowed(self.attribution.pool.goal)
        as_it_was = simulate(self.workload, World(self.captured.cores, self.captured.competitors, goal))
        replayed = requests.latency(as_it_was, np.arange(self.workload.count))
        return fit(requests, left_out, self.workload, replayed)


MOST_OUT_OF_TURN = 0.2
"""A share of the waiting items: those whose wait may differ from that under first come, first served. Measured in 18
recordings of services under eight settings: 0 to 9 %."""
OTHER_WAIT = 0.2
"""A wait differs if the difference is more than this share of it and more than OTHER_WAIT_NS. The number of overtaking
items says less: if an item is in the own queue of a blocked worker, all others overtake it."""
OTHER_WAIT_NS = NS_PER_MS


@dataclass(frozen=True)
class Service:
    """A workload with requests. Items of the captured workload come first, in their order."""

    workload: Workload
    requests: FollowedRequests


def serve(workload: Workload, requests: FollowedRequests, items: Items, seed: int) -> Service:
    """Adds the unread requests, and a sender for each answer that went out with another one: if a thread is free, each
    answer has its own.

    Items are picked in order of arrival if the captured ones were, because the measured order would not hold for items
    that arrive at other times. `seed` determines which requests the missing ones resemble.
    """
    service = _with_senders(*with_missing(workload, requests, seed))
    return replace(service, workload=replace(service.workload, stand_ins=True, first_come=_in_turn(items)))


def _with_senders(workload: Workload, requests: FollowedRequests) -> Service:
    last = np.unique(requests.last[requests.joined])
    if len(requests.senders) == 0 or len(last) == 0:
        return Service(workload, requests)
    program, count = workload.program, workload.count
    sender = count + np.arange(len(last))
    takes = float(np.median(requests.sending[requests.joined]))
    parts = (
        (np.repeat(np.arange(count), np.diff(program.first)), program.op, program.value, program.target),
        (last, np.full(len(last), Op.ENQUEUE, dtype=np.int8), np.zeros(len(last)), sender),
        (sender, np.full(len(last), Op.CPU, dtype=np.int8), np.full(len(last), takes), np.full(len(last), -1)),
    )
    item, op, value, target = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], np.arange(count + len(last) + 1)).astype(np.int64)
    more = np.zeros(len(last), dtype=bool)
    made = replace(
        workload,
        arrival=np.append(workload.arrival, np.full(len(last), np.inf)),
        rank=np.append(workload.rank, workload.rank[last]),
        program=Program(first, op[order], value[order], target[order]),
        shared=None if workload.shared is None else np.append(workload.shared, more),
        queue=np.append(np.full(count, -1), 1 + np.arange(len(last)) % requests.queues),
    )
    return Service(made, replace(requests, senders=np.append(requests.senders, sender)))


def _in_turn(items: Items) -> bool:
    """Returns whether items waited as long as they would have if the threads had taken them in the order of their
    enqueue."""
    began = items.started
    enqueue, wait = items.enqueue[began], items.wait[began]
    start = enqueue + wait
    in_turn = np.empty_like(start)
    in_turn[np.argsort(enqueue, kind="stable")] = np.sort(start)
    other = np.abs(in_turn - start) > np.maximum(OTHER_WAIT * wait, OTHER_WAIT_NS)
    waited = wait > OTHER_WAIT_NS
    return not waited.any() or bool(other[waited].mean() <= MOST_OUT_OF_TURN)
