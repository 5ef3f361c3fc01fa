"""Ranking: planted causes come first, chance results are rare, and indistinguishable services are reported as such."""

import numpy as np
import pytest

from poolscope.fleets.excess import ITEMS, REQUESTS, Delays, Figures, Group, State, excess
from poolscope.fleets.ranking import groups_of, rank
from poolscope.measures.requests.parts import PARTS
from poolscope.product.causes import CAUSES

INJECTION, BLOCKING, CORE = 0, 1, 2
ITEMS_EACH = 500


class Fleet:
    """Captures with made-up delays: every service has its own level, and every capture its own random factor."""

    def __init__(self, captures=400, seed=1, hosts=20, versions=3):
        self.draw = np.random.default_rng(seed)
        self.service = self.draw.integers(0, 3, captures)
        self.host = self.draw.integers(0, hosts, captures)
        self.version = self.draw.integers(0, versions, captures)
        self.hour = self.draw.integers(0, 12, captures)
        self.ms = self.draw.gamma(4.0, 1.0, (captures, len(CAUSES))) * np.array([2.0, 20.0, 5.0])[self.service][:, None]
        self.ms[:, 4] = 0
        self.routes = {}

    def figures(self):
        count = np.full(len(self.service), float(ITEMS_EACH))
        items = Delays(count, self.ms / 1e3 * count[:, None])
        requests = Delays(np.zeros(len(count)), np.zeros((len(count), len(PARTS))))
        for own in self.routes.values():
            requests.count[:] += own.count
            requests.seconds[:] += own.seconds
        return Figures(self.service, {ITEMS: items, REQUESTS: requests}, self.routes)

    def values(self, **more):
        named = {
            "service": [f"s{s}" for s in self.service],
            "host": [f"h{h}" for h in self.host],
            "version": [f"s{s} {v}" for s, v in zip(self.service, self.version)],
            "hour": [f"{h}:00" for h in self.hour],
        }
        return {**named, **{key: [str(v) for v in value] for key, value in more.items()}}

    def rank(self, **more):
        figures = self.figures()
        return rank(figures, groups_of(figures, self.values(**more)))

    def with_routes(self, slow_ms=0.0):
        for service in range(3):
            here = self.service == service
            for name in ("GET /a", "GET /b", "GET /c"):
                count = np.where(here, 100.0, 0.0)
                ms = self.draw.gamma(4.0, 3.0, (len(here), len(PARTS)))
                if service == 1 and name == "GET /b":
                    ms[:, PARTS.index("services")] += slow_ms
                self.routes[service, name] = Delays(count, ms / 1e3 * count[:, None])
        return self


def named(rows):
    return [(row.candidate.group.key, row.candidate.group.value, row.candidate.cause) for row in rows]


def test_planted_host_version_and_route_are_the_first_three():
    fleet = Fleet(captures=900).with_routes(slow_ms=400)
    fleet.ms[fleet.host == 7, INJECTION] += 900
    fleet.ms[(fleet.service == 2) & (fleet.version == 1), BLOCKING] += 150
    rows = fleet.rank()
    assert set(named(rows)[:3]) == {
        ("host", "h7", "injection"),
        ("version", "s2 1", "blocking"),
        ("route", "s1 GET /b", "services"),
    }
    seconds = [row.candidate.found.seconds for row in rows[:3]]
    assert seconds == sorted(seconds, reverse=True)


def test_excess_is_the_time_that_was_planted():
    fleet = Fleet()
    fleet.ms[fleet.host == 7, INJECTION] += 900
    row = fleet.rank()[0]
    planted = 0.9 * ITEMS_EACH * (fleet.host == 7).sum()
    assert row.candidate.found.seconds == pytest.approx(planted, rel=0.05)
    low, high = row.candidate.found.interval_ms
    assert low < 900 < high


def test_fleets_without_a_cause_have_a_row_in_at_most_one_of_ten():
    # One in twenty by chance, and twice that as a margin for sixty draws.
    assert sum(bool(Fleet(captures=150, seed=seed).rank()) for seed in range(60)) <= 6


def test_a_zone_is_not_blamed_for_its_bad_host():
    fleet = Fleet(captures=900)
    fleet.ms[fleet.host == 7, INJECTION] += 900
    assert named(fleet.rank(zone=fleet.host // 5))[0] == ("host", "h7", "injection")


def test_a_host_is_not_blamed_for_its_bad_zone():
    fleet = Fleet(captures=900)
    fleet.ms[fleet.host // 5 == 1, INJECTION] += 900
    rows = fleet.rank(zone=fleet.host // 5)
    assert named(rows)[0] == ("zone", "1", "injection")
    assert not rows[0].same_as


def test_host_and_version_that_go_together_cannot_be_told_apart():
    fleet = Fleet(captures=900)
    fleet.version[fleet.host == 7] = 9
    fleet.ms[fleet.host == 7, CORE] += 500
    rows = fleet.rank(build=fleet.version)
    assert {rows[0].candidate.group.key, *(group.key for group in rows[0].same_as)} == {"host", "build"}
    assert len(rows) == 1


def test_a_cause_that_takes_both_says_so():
    fleet = Fleet(captures=900)
    fleet.ms[(fleet.host // 5 == 1) & (fleet.version == 2), CORE] += 900
    row = fleet.rank(zone=fleet.host // 5, build=fleet.version)[0]
    assert {row.candidate.group.key, row.only_with.key} == {"zone", "build"}
    assert len(row.captures) == ((fleet.host // 5 == 1) & (fleet.version == 2)).sum()


def test_a_slow_service_is_no_excess_of_its_host():
    fleet = Fleet(captures=600)
    fleet.host[:] = fleet.service
    assert fleet.rank() == []


def test_two_captures_are_not_enough():
    fleet = Fleet(captures=30)
    fleet.host[:] = 1
    fleet.host[:2] = 2
    fleet.ms[:2, INJECTION] += 5000
    assert all(group.value != "h2" for group in groups_of(fleet.figures(), fleet.values()))


def test_one_freak_capture_does_not_make_a_bad_host():
    fleet = Fleet(captures=300)
    freak = int(np.flatnonzero(fleet.host == 3)[0])
    fleet.ms[freak, INJECTION] += 20_000
    assert ("host", "h3", "injection") not in named(fleet.rank())


def test_excess_is_none_without_a_rest():
    fleet = Fleet(captures=30)
    everywhere = Group("host", "all", np.ones(30, dtype=bool))
    assert excess(fleet.figures(), everywhere, ITEMS, INJECTION, State(np.ones(30, dtype=bool))) is None
