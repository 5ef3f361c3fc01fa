"""Other services that answer sooner or later. Times are ms."""

import numpy as np
import poolscope
import pytest
from poolscope.attribution import attribute
from poolscope.base.errors import InsufficientEvidence, InvalidArgument
from poolscope.measures.requests import measure_requests
from poolscope.measures.services import ServiceCalls, find_service_calls, load_sockets
from poolscope.replay.workload import Op
from poolscope.whatif import Setting, captured_work
from poolscope.whatif.faster import _with_askers, expected_fall, with_faster, within
from poolscope.whatif.predict import Predictor
from poolscope.whatif.request_fit import unmoved
from service import EPOLL, web_service
from synthetic import MS, CaptureBuilder

DATABASE = "10.0.0.9:5432"


def predicted(capture, times):
    made = Predictor(capture, attribute(capture), 1)
    settings = [Setting(f"{x}", faster=((DATABASE, x),)) for x in times]
    return [row.requests.latency_ms["p50"] for row in made.predict(settings)]


def test_requests_take_as_much_less_as_the_answers_that_they_await(tmp_path):
    """The service takes 200 of 211."""
    capture = web_service(tmp_path, [200] * 30, remote=DATABASE).write()
    assert predicted(capture, [1.0, 2.0, 10.0, 0.5]) == pytest.approx([211, 111, 31, 411], abs=8)


def blocking_service(folder, took, count=3, asks=1):
    """Builds items that block for answers, one after another on one worker; each asks `asks` times and runs for 2 in
    between."""
    builder = CaptureBuilder(folder, length=1000 * MS).thread(EPOLL, 100, ".NET Sockets")
    at = 0
    for number in range(count):
        transfers, states = [], []
        begin = at + 1
        for ask in range(asks):
            sent = begin + ask * (took + 2) + 2
            transfers += [(sent * MS, "sent", 5, 500), ((sent + took) * MS, "arrived", 9)]
            transfers += [((sent + took) * MS, "read", 9, 500)]
            states += [("running", 2 * MS), ("blocked", took * MS)]
        end = begin + asks * (took + 2) + 3
        builder.item(at * MS, begin * MS, end * MS, 500, [*states, ("running", 3 * MS)], enqueue_tid=EPOLL)
        builder.connection(*transfers, role="connected")
        builder.rows["sockets"][-1]["remote"] = DATABASE
        at = end + number
    return builder


def blocked(workload):
    return (workload.program.per_item(Op.BLOCKED) / MS).tolist()


@pytest.mark.parametrize("asks", [1, 2])
@pytest.mark.parametrize("times", [1.0, 2.0, 4.0, 0.5, 0.1])
def test_a_thread_that_blocks_for_an_answer_blocks_for_as_much_less(tmp_path, times, asks):
    capture = blocking_service(tmp_path, 8, asks=asks).write()
    attribution = attribute(capture)
    workload = with_faster(attribution, load_sockets(capture, attribution), ((DATABASE, times),))
    assert blocked(workload) == pytest.approx([asks * 8 / times] * 3)
    computed = workload.program.per_item(Op.CPU) / MS
    assert computed.tolist() == [2 * asks + 3] * 3, "what it computes stays"


def test_only_what_was_asked_of_that_service_changes(tmp_path):
    builder = blocking_service(tmp_path, 8)
    builder.rows["sockets"][1]["remote"] = "10.0.0.10:6379"
    capture = builder.write()
    attribution = attribute(capture)
    io = load_sockets(capture, attribution)
    assert blocked(with_faster(attribution, io, ((DATABASE, 2.0),))) == pytest.approx([4, 8, 4])
    both = ((DATABASE, 2.0), ("10.0.0.10:6379", 8.0))
    assert blocked(with_faster(attribution, io, both)) == pytest.approx([4, 1, 4])
    with pytest.raises(
        InvalidArgument, match=r"1.2.3.4:5 gave no answer in this capture; these did: 10.0.0.9:5432, 10.0.0.10"
    ):
        with_faster(attribution, io, (("1.2.3.4:5", 2.0),))


def test_an_answer_in_parts_is_one_and_lasts_up_to_its_last_byte(tmp_path):
    builder = blocking_service(tmp_path, 8, count=1)
    builder.rows["socket_io"] += [
        {**row, "time": row["time"] - 3 * MS} for row in builder.rows["socket_io"] if row["bytes"] == 9
    ]
    capture = builder.write()
    attribution = attribute(capture)
    calls = find_service_calls(load_sockets(capture, attribution))
    assert (calls.duration / MS).tolist() == [8] and calls.services() == {DATABASE: 8 * MS}


def test_where_nobody_is_known_to_have_waited_nothing_is_told(tmp_path):
    """A thread without an item asks, so it is unknown which items the answers release."""
    builder = blocking_service(tmp_path, 8)
    builder.thread(900, 100, "Poller")
    transfers = [
        (n * 20 * MS + 5 * MS + k * MS, what, 9, 900) for n in range(20) for k, what in ((0, "sent"), (9, "read"))
    ]
    arrived = [(n * 20 * MS + 13 * MS, "arrived", 9) for n in range(20)]
    builder.connection(*sorted([*transfers, *arrived]), role="connected")
    builder.rows["sockets"][-1]["remote"] = DATABASE
    capture = builder.write()
    attribution = attribute(capture)
    with pytest.raises(
        InsufficientEvidence, match="for 87 % of the time up to the answers of 10.0.0.9:5432, the capture does not show"
    ):
        with_faster(attribution, load_sockets(capture, attribution), ((DATABASE, 2.0),))


def test_without_sockets_there_are_no_services(tmp_path):
    attribution = attribute(CaptureBuilder(tmp_path, length=9 * MS).item(0, MS, 2 * MS, 5, [("running", MS)]).write())
    assert find_service_calls(None).services() == {}
    with pytest.raises(InvalidArgument, match="these did: none"):
        with_faster(attribution, None, ((DATABASE, 2.0),))


def test_the_page_asks_for_the_service_that_is_waited_for_longest(tmp_path):
    web_service(tmp_path, [200] * 30, remote=DATABASE).write()
    opened = poolscope.open(tmp_path)
    services = opened.services()
    assert services.index.tolist() == [DATABASE]
    assert services.loc[DATABASE].tolist() == [30, 200 * MS, 200 * MS, 200 * MS, 200 * MS]
    rows = opened.analysis()["what_if"]["rows"]
    [row] = [row for row in rows if row["group"] == "service"]
    assert row["label"] == f"{DATABASE} 2 times as fast"
    assert row["setting"]["faster"] == [{"endpoint": DATABASE, "times": 2.0}]
    assert row["request_ms"]["p50"] == pytest.approx(111, abs=6)
    assert DATABASE not in str(opened.analysis(redact=True))


def test_a_service_that_takes_little_has_no_row(tmp_path, monkeypatch):
    web_service(tmp_path, [200] * 30, remote=DATABASE).write()
    monkeypatch.setattr(captured_work, "NOTABLE", 0.96)  # it is 200 of 211
    rows = poolscope.open(tmp_path).analysis()["what_if"]["rows"]
    assert not [row for row in rows if row["group"] == "service"]
    assert all(row["request_ms"] is not None for row in rows)


def expected(capture, times):
    attribution = attribute(capture)
    requests, io = measure_requests(capture, attribution), load_sockets(capture, attribution)
    return expected_fall(requests, attribution, io, ((DATABASE, times),)) / MS


@pytest.mark.parametrize(("times", "fall"), [(2.0, 100), (10.0, 180), (0.5, -200), (1.0, 0)])
def test_a_request_that_awaits_an_answer_is_expected_to_be_so_much_sooner(tmp_path, times, fall):
    capture = web_service(tmp_path, [200] * 30, remote=DATABASE).write()
    assert expected(capture, times) == pytest.approx(np.full(30, fall))


def service_that_blocks(folder, count=30, wait=40, asks=True):
    """Builds requests whose items block for an answer; unless `asks`, the last one blocks for one that another thread
    asked for."""
    builder = CaptureBuilder(folder, length=(count * 100 + 200) * MS).thread(EPOLL, 100, ".NET Sockets")
    builder.thread(900, 100, "Poller")
    for number in range(count):
        at, worker = number * 100 + 10, 1000 + number
        states = [("running", 3 * MS), ("blocked", wait * MS), ("running", 2 * MS)]
        builder.item(at * MS, (at + 1) * MS, (at + 6 + wait) * MS, worker, states, enqueue_tid=EPOLL)
        builder.connection(
            ((at - 1) * MS, "arrived", 50),
            ((at + 2) * MS, "read", 50, worker),
            ((at + 5 + wait) * MS, "sent", 9, worker),
        )
        who = worker if asks or number < count - 1 else 900
        sent, came = ((at + 4) * MS, "sent", 5, who), ((at + 4 + wait) * MS, "arrived", 9)
        builder.connection(sent, came, ((at + 4 + wait) * MS, "read", 9, who), role="connected")
        builder.rows["sockets"][-1]["remote"] = DATABASE
        builder.request((at + 2) * MS, worker, (at + 5 + wait) * MS, worker, connection=f"C{number}")
    return builder


@pytest.mark.parametrize("asks", [True, False])
def test_a_request_that_blocks_while_an_answer_is_awaited_is_expected_to_be_sooner_whoever_asked(tmp_path, asks):
    capture = service_that_blocks(tmp_path, asks=asks).write()
    assert expected(capture, 2.0) == pytest.approx(np.full(30, 20), abs=0.1)


@pytest.mark.parametrize(("asks", "count"), [(True, 30), (False, 29)])
def test_a_request_that_would_not_get_sooner_is_left_out(tmp_path, asks, count):
    """It blocks for an answer that another thread asked for. That one is unknown, so its time stays in the replay."""
    capture = service_that_blocks(tmp_path, asks=asks).write()
    made = Predictor(capture, attribute(capture), 1)
    faster = Setting("faster", faster=((DATABASE, 4.0),))
    assert len(made.work.of(faster)[1].arrived) == count
    assert made.predict([faster])[0].requests.latency_ms["max"] == pytest.approx(17, abs=3), "10 for the answer and 7"
    assert len(made.work.of(Setting("more", min_threads=9))[1].arrived) == 30


def test_where_many_requests_would_not_get_sooner_nothing_is_told(tmp_path, monkeypatch):
    capture = service_that_blocks(tmp_path, asks=False).write()
    made = Predictor(capture, attribute(capture), 1)
    monkeypatch.setattr(captured_work, "MOST_HELD", 0.03)
    with pytest.raises(
        InsufficientEvidence,
        match="for 3 % of the requests, the capture does not show what the answers of 10.0.0.9:5432",
    ):
        made.check(Setting("faster", faster=((DATABASE, 4.0),)))
    assert made.work.slowest_service() is None


@pytest.mark.parametrize(
    ("before", "after", "fall", "left_out"),
    [
        (200, 100, 100, False),
        (200, 121, 100, True),
        (200, 119, 100, False),
        (200, 400, -200, False),
        (200, 300, -200, True),
        (200, 200, 4, False),
        (200, 200, 6, True),
        (200, 200, 0, False),
    ],
)
def test_a_request_moves_by_most_of_what_is_expected_or_is_left_out(before, after, fall, left_out):
    was, is_now, expected = (np.array([ms]) * float(MS) for ms in (before, after, fall))
    assert unmoved(was, is_now, expected).tolist() == [left_out]


@pytest.mark.parametrize("seed", range(8))
def test_of_each_stretch_counts_what_lies_in_calls_of_its_own_item(seed):
    """By the definition, one nanosecond at a time: of overlapping calls the first counts, and then the rest of the
    next."""
    random = np.random.default_rng(seed)
    count = 6
    item, asked = random.integers(0, 3, count), random.integers(0, 60, count)
    order = np.lexsort((asked, item))
    item, asked = item[order], asked[order]
    came = asked + random.integers(1, 15, count)
    for k in range(1, count):  # answers come in the order of their questions
        came[k] = max(came[k], came[k - 1] + 1) if item[k] == item[k - 1] else came[k]
    share = random.integers(1, 5, count) / 4
    counts = np.zeros((3, 200))
    for who, begin, end, each in zip(item, asked, came, share, strict=True):
        free = counts[who, begin:end] == 0
        counts[who, begin:end][free] = each
    of, start = random.integers(0, 3, 20), random.integers(0, 60, 20)
    end = start + random.integers(0, 60, 20)
    calls = ServiceCalls(np.full(count, DATABASE), np.zeros(count, int), item, asked, came, np.ones(count, bool))
    expected = [counts[who, a:b].sum() for who, a, b in zip(of, start, end, strict=True)]
    assert within(of, start, end, calls, share).tolist() == pytest.approx(expected)


def test_who_asks_and_who_queued_that_may_both_block_for_the_answer_also_the_first_item_of_all():
    """Item 1, queued by item 0, asked at 5; item 2 asked at 3; a thread without an item asked at 4."""
    nothing = np.zeros(3, dtype=np.int64)
    calls = ServiceCalls(
        np.full(3, DATABASE), nothing, np.array([1, -2, 2]), np.array([5, 4, 3]), nothing + 9, nothing > 0
    )
    every = _with_askers(calls, np.array([-1, 0, -1]))
    assert list(zip(every.item.tolist(), every.asked.tolist())) == [(0, 5), (1, 5), (2, 3)]
