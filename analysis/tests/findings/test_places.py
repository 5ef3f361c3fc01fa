"""Requests that are late while work items start on time: if they were. Times are ms."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from late_captures import in_one_item
from synthetic_stacks import Stacks
from poolscope.attribution.causes.socket_io import CONNECTED, Sends
from poolscope.measures.requests.held_up import find_serial
from poolscope.measures.requests.tiles import EXECUTED, OTHER, Tiles
from poolscope.measures.services import find_silences
from poolscope.product import analyse
from service import EPOLL, web_service
from synthetic import MS, CaptureBuilder

READER = 400


def fired(builder):
    analysis = analyse(builder.write())
    return {f.id: f for f in analysis.findings}, analysis.verdict


def stopped(folder, state=4, threads=(200, 201, 202), back=5000, others=0):
    """One item from 1,900 to 6,000; these threads of its process leave their cores in this state at 2,000, `others` do not."""
    builder = CaptureBuilder(folder, length=10_000 * MS)
    builder.item(
        1900 * MS, 1900 * MS, 6000 * MS, 200, [("running", 100 * MS), ("blocked", 3000 * MS), ("running", 1000 * MS)]
    )
    for tid in range(300, 300 + others):
        builder.thread(tid, 100, "worker")
    for number, tid in enumerate(threads):
        builder.thread(tid, 100, "worker")
        times = ((2000 * MS + number, tid, state, 0), (back * MS + number, 0, 0, tid))
        for time, out, left_as, into in times:
            builder.rows["switches"].append(
                {"time": time, "cpu": 0, "prev_tid": out, "prev_state": left_as, "next_tid": into}
            )
    builder.rows["switches"].sort(key=lambda row: row["time"])
    return builder


@pytest.mark.fires("process-stopped")
@pytest.mark.parametrize("state", [4, 8, 0x104])
def test_a_process_whose_threads_all_stood_still_was_stopped(tmp_path, state):
    found, verdict = fired(stopped(tmp_path, state))
    assert verdict.id == "process-stopped"
    assert "stopped once, 3 s in all" in found["process-stopped"].number
    assert verdict.text.startswith(
        "The whole process was stopped once, for up to 3 s, while 1 work item was under way."
    )


@pytest.mark.quiet("process-stopped")
@pytest.mark.parametrize(
    "other",
    [{"state": 1}, {"threads": (200, 201)}, {"back": 2500}, {"others": 17}],
    ids=["asleep", "one was looked at", "short", "3 of 20 threads"],
)
def test_what_is_no_stopped_process(tmp_path, other):
    assert "process-stopped" not in fired(stopped(tmp_path, **other))[0]


def streams(folder, waited=300, open_at_once=40, protocol="HTTP/2.0", took=340):
    """Rounds of 40 calls over one connection, every 350 ms; each call waited for the streams of the round before."""
    builder = CaptureBuilder(folder, length=10_000 * MS)
    for number in range(6 * open_at_once):
        at = (1_000 + 350 * (number // open_at_once)) * MS
        tid = 200 + number % open_at_once
        builder.item(at, at, at + MS, tid, [("running", MS)])
        first = number < open_at_once
        queue = {} if first else {"waited": waited * MS, "taken": (at, tid)}
        began = at if first else at - waited * MS
        builder.call(began + number, at + took * MS, path=f"/{number}", connection=1, protocol=protocol, **queue)
    return builder


@pytest.mark.fires("stream-limit")
def test_calls_that_wait_while_always_as_many_streams_are_open_name_the_limit(tmp_path):
    found, verdict = fired(streams(tmp_path))
    assert verdict.id == "stream-limit"
    assert "1 connection had no stream left" in verdict.text and "about 40 streams open" in verdict.text
    assert "EnableMultipleHttp2Connections" in found["stream-limit"].advice[0]
    assert "connection-pool-wait" not in found


@pytest.mark.fires("stream-limit")
def test_streams_whose_ends_are_seen_after_the_next_ones_began_are_counted_once(tmp_path):
    assert "about 40 streams open" in fired(streams(tmp_path, took=520))[1].text


def test_calls_that_mostly_waited_for_a_connection_are_late_where_no_limit_is_seen(tmp_path):
    verdict = fired(streams(tmp_path, waited=1_200, open_at_once=1))[1]
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert verdict.text.startswith("Cannot tell why 5 of 6 calls were late")


@pytest.mark.quiet("stream-limit")
def test_calls_that_wait_for_no_stream(tmp_path):
    assert "stream-limit" not in fired(streams(tmp_path / "little", waited=2))[0]
    assert "stream-limit" not in fired(streams(tmp_path / "first", protocol="HTTP/1.1"))[0]
    assert "stream-limit" not in fired(streams(tmp_path / "alone", open_at_once=1))[0]


@pytest.mark.fires("serial-continuations")
def test_requests_that_go_on_in_one_item_wait_for_each_other(tmp_path):
    found, verdict = fired(in_one_item(tmp_path))
    assert verdict.id == "serial-continuations", (verdict, list(found))
    assert "20 of 20 requests were late because their continuations ran one after another" in verdict.text
    assert "2 s" in verdict.text


def test_the_method_that_runs_the_continuations_is_that_of_its_own_item(tmp_path):
    """What other threads were in meanwhile says nothing of it."""
    builder = in_one_item(tmp_path)
    stacks = Stacks(builder)
    quote, other = stacks.stack("System.Threading.Thread.Sleep", "App.Quote"), stacks.stack("App.Parse")
    for at in range(1100, 2000, 100):
        stacks.snapshot(300, at * MS, quote)
        stacks.snapshot(1000, at * MS, other)
    found, verdict = fired(builder)
    assert "in one work item, which took 2 s, most of it in App.Quote." in verdict.text
    assert found["serial-continuations"].where.methods == ["App.Quote"]


@pytest.mark.quiet("serial-continuations")
def test_requests_that_go_on_in_items_of_their_own_do_not(tmp_path):
    assert "serial-continuations" not in fired(in_one_item(tmp_path, share=False))[0]


@pytest.mark.quiet("serial-continuations")
def test_an_item_that_had_no_core_is_no_line(tmp_path):
    assert "serial-continuations" not in fired(in_one_item(tmp_path, ready=1300))[0]


@pytest.mark.parametrize(("requests", "kind", "found"), [(5, EXECUTED, True), (4, EXECUTED, False), (5, OTHER, False)])
def test_two_or_three_requests_that_were_answered_together_are_no_line(requests, kind, found):
    number = np.arange(requests)
    same = np.zeros(requests, dtype=np.int64)
    tiles = Tiles(number, np.full(requests, kind), same, same + 100, same, same - 1)
    told: Any = SimpleNamespace(tiles=tiles)
    assert (find_serial(told) is not None) == found


def held(folder, by=READER, lay=1500, quick=40, often=5):
    """Quick requests, and `often` others whose bytes lay in their socket until one thread, which is in App.Bid meanwhile, reads
    them."""
    builder = web_service(folder, [20] * quick).thread(by, 100, ".NET Sockets")
    stacks = Stacks(builder)
    stack = stacks.stack("System.Threading.Thread.Sleep", "App.Bid")
    for n in range(often):
        at = 200 + 3500 // often * n
        read = at + lay
        builder.connection((at * MS, "arrived", 50), (read * MS, "read", 50, by), ((read + 2) * MS, "sent", 9, by))
        builder.request(at * MS + MS, by, (read + 1) * MS, by, connection=f"H{n}", path="/orders/9")
        stacks.snapshot(by, (at + 100) * MS, stack)
    for table in ("requests", "socket_io", "snapshots"):
        builder.rows[table].sort(key=lambda row: row.get("start", row.get("time")))
    return builder


@pytest.mark.fires("reader-held")
def test_a_thread_that_alone_reads_and_is_elsewhere_is_named_with_its_method(tmp_path):
    found, verdict = fired(held(tmp_path))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert f"thread {READER} (.NET Sockets), which reads it, was in App.Bid" in verdict.text
    assert "INLINE_COMPLETIONS" in found["reader-held"].advice[0]


def resumed(folder, name, by=91):
    """Quick requests, and three others that wait until a thread outside the pool queues what answers them. Another process had a thread
    of its id."""
    builder = web_service(folder, [20] * 40).thread(by, 999, "a stranger's").thread(by, 100, name)

    def run(enqueue, dequeue, end, worker, queued_by):
        states = [("running", (end - dequeue) * MS)]
        builder.item(enqueue * MS, dequeue * MS, end * MS, worker, states, enqueue_tid=queued_by)

    for n in range(3):
        at, reader, caller, ender = 250 + 700 * n, 7000 + 3 * n, 7001 + 3 * n, 7002 + 3 * n
        run(at, at + 1, at + 3, reader, 90)
        run(at + 2, at + 3, at + 6, caller, reader)
        run(at + 1500, at + 1501, at + 1505, ender, by)
        builder.connection(
            ((at - 1) * MS, "arrived", 50),
            ((at + 2) * MS, "read", 50, reader),
            ((at + 1504) * MS, "sent", 9, ender),
        )
        builder.request((at + 4) * MS, caller, (at + 1503) * MS, ender, connection=f"R{n}", path="/orders/9")
    for table, key in (("work_items", "enqueue"), ("requests", "start"), ("socket_io", "time")):
        builder.rows[table].sort(key=lambda row, key=key: row[key])
    return builder


@pytest.mark.parametrize(
    ("made", "most"),
    [
        (lambda folder: held(folder), ("held", ".NET Sockets", None)),
        (lambda folder: working(folder), ("blocked", None, None)),
        (
            lambda folder: web_service(folder, [20] * 30 + [1500] * 2 + [20] * 10, remote="db:5432"),
            ("service", None, "db:5432"),
        ),
        (lambda folder: polled(folder, silent=1550), ("silent", None, "10.0.0.9:6379")),
        (lambda folder: downloads(folder), ("client", None, None)),
        (lambda folder: resumed(folder, ".NET Timer"), ("timer", None, None)),
        (lambda folder: resumed(folder, "Reader"), ("thread", "Reader", None)),
    ],
    ids=["held", "blocked", "service", "silent", "client", "timer", "thread"],
)
def test_the_places_of_late_requests_add_up_and_the_verdict_s_is_the_first(tmp_path, made, most):
    late = analyse(made(tmp_path).write()).to_json()["requests"]["late"]
    assert sum(place["ms"] for place in late["places"]) == pytest.approx(late["total_ms"], abs=1e-3)
    first = late["places"][0]
    assert (first["place"], first["thread"], first["endpoint"]) == most
    assert first["ms"] >= 0.5 * late["total_ms"]
    spells = late["spells"]
    assert sum(spell["count"] for spell in spells) == late["count"]
    assert max(spell["longest_ms"] for spell in spells) == late["longest_ms"]
    assert all(one["end_s"] < other["start_s"] for one, other in zip(spells, spells[1:]))


def test_what_held_up_most_requests_is_found_although_it_raises_their_median(tmp_path):
    found, verdict = fired(held(tmp_path, quick=3, often=8))
    assert verdict.id == "reader-held", (verdict, list(found))
    assert verdict.text.startswith("8 of 11 requests were late while data lay unread for up to 1.5 s")
    assert "lying unread" not in verdict.text
    assert len(found["healthy"].advice) == 0, "no reader of a place is sent elsewhere"


@pytest.mark.quiet("reader-held")
@pytest.mark.parametrize("took", [[20] * 40, [20] * 20 + [1500] * 2 + [20] * 20])
def test_data_that_is_read_at_once_was_held_by_nobody(tmp_path, took):
    assert "reader-held" not in fired(web_service(tmp_path, took))[0]


def messages(folder, took=2000, handled=True, behind=True):
    """A message every 100 on one connection, each answered 3 later; the one at 2,000 `took` longer. What reads it has queued an item
    that runs that long (`handled`), and goes on reading (`behind`)."""
    builder = CaptureBuilder(folder, length=8000 * MS).thread(EPOLL, 100, ".NET Sockets")
    stack, transfers = Stacks(builder).stack("System.Threading.Thread.Sleep", "App.Export"), []
    for n in range(70):
        at, reader, late = 10 + 100 * n, 1000 + n, 2000 < 10 + 100 * n < 2010 + took
        if late and not behind and n > 20:
            continue
        answer = 2014 + took + n if late else at + 3
        transfers += [(at, "arrived", 40), (at + 1, "read", 40, reader), (answer, "sent", 20, 3000 if late else reader)]
        end = at + 2 if late else at + 4
        builder.item(at * MS, at * MS, end * MS, reader, [("running", (end - at) * MS)], enqueue_tid=EPOLL, work_id=n)
    start, ran = 2011 * MS, took + 100 if handled else 4
    builder.item(
        start + MS // 2,
        start + MS,
        start + ran * MS,
        3000,
        [("blocked", (ran - 1) * MS)],
        enqueue_tid=1020,
        work_id=500,
    )
    builder.connection(*((at * MS, *rest) for at, *rest in sorted(transfers, key=lambda t: t[0])), role="accepted")
    builder.rows["snapshots"].append({"time": start + 500 * MS, "tid": 3000, "stack": stack})
    return builder


@pytest.mark.fires("connection-busy")
def test_messages_behind_one_that_blocks_name_its_method(tmp_path):
    found, verdict = fired(messages(tmp_path))
    assert verdict.id == "connection-busy", (verdict, list(found))
    assert verdict.text.startswith("Messages on 1 connection were answered up to 2 s late")
    assert "one spent that long in App.Export" in verdict.text


@pytest.mark.quiet("connection-busy")
@pytest.mark.parametrize(
    "other",
    [{"took": 900}, {"handled": False}, {"behind": False}],
    ids=["short", "no item of its own ran", "nothing behind it"],
)
def test_a_connection_on_which_no_message_waited_for_another(tmp_path, other):
    assert "connection-busy" not in fired(messages(tmp_path, **other))[0]


def test_messages_that_wait_for_each_other_without_an_item_are_not_healthy(tmp_path):
    _, verdict = fired(messages(tmp_path, handled=False))
    assert verdict.id == "cannot-tell"
    assert verdict.text.startswith("Cannot tell why messages on 1 connection were answered up to 2 s late")
    assert any("--activities Microsoft.AspNetCore.SignalR.Server" in reason for reason in verdict.reasons)


def test_messages_behind_an_awaited_call_of_a_hub_name_it_where_its_activity_was_recorded(tmp_path):
    builder = messages(tmp_path, handled=False)
    for name, start, end in (("Team.ChatHub/Export", 2011, 4016), ("Team.ChatHub/Say", 500, 503)):
        builder.activity(start * MS, end * MS, source="Microsoft.AspNetCore.SignalR.Server", name=name)
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("connection-busy", "medium")
    assert "one spent that long in Team.ChatHub.Export" in verdict.text


@pytest.mark.parametrize("what", ["activities", "calls"])
def test_late_activities_or_calls_of_a_process_without_requests_are_not_healthy(tmp_path, what):
    builder = CaptureBuilder(tmp_path, length=9000 * MS)
    for n in range(40):
        at, took = 10 + 100 * n, 1500 if n in (10, 20) else 20
        builder.item(at * MS, at * MS, (at + 1) * MS, 200 + n, [("running", MS)])
        if what == "calls":
            builder.call(at * MS, (at + took) * MS, path=f"/prices/{n}")
        else:
            builder.activity(at * MS, (at + took) * MS, name=f"price {n}")
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("cannot-tell", "low")
    assert verdict.text.startswith(f"Cannot tell why 2 of 40 {what} were late, up to 1.5 s")


def working(folder, state="blocked", took=1500, long=3):
    """Forty quick requests and some that are `took` in one item of their own, in this state; each is one item."""
    builder = CaptureBuilder(folder, length=8000 * MS).thread(EPOLL, 100, ".NET Sockets")
    stack = Stacks(builder).stack("System.Threading.Thread.Sleep", "App.Price")
    for n in range(40 + long):
        at, lasts, tid = 10 + 100 * n, took if n % 15 == 14 and n // 15 < long else 20, 1000 + n
        states = [("running", MS), (state, (lasts - 2) * MS), ("running", MS)]
        builder.item(at * MS, at * MS, (at + lasts) * MS, tid, states, enqueue_tid=EPOLL, work_id=n)
        builder.connection(
            ((at - 1) * MS, "arrived", 50),
            (at * MS + MS // 2, "read", 50, tid),
            ((at + lasts - 1) * MS, "sent", 9, tid),
        )
        builder.request(
            at * MS + MS * 3 // 4, tid, (at + lasts) * MS - MS * 3 // 2, tid, connection=f"C{n}", path=f"/prices/{n}"
        )
        if lasts == took:
            builder.rows["snapshots"].append({"time": (at + 500) * MS, "tid": tid, "stack": stack})
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


@pytest.mark.fires("own-work")
@pytest.mark.parametrize(("state", "how"), [("blocked", "kept its thread blocked"), ("running", "computed")])
def test_requests_whose_own_code_takes_long_name_it(tmp_path, state, how):
    found, verdict = fired(working(tmp_path, state))
    assert verdict.id == "own-work", (verdict, list(found))
    assert verdict.text.startswith(f"2 of 43 requests were late because App.Price {how}, for up to 1.5 s")


@pytest.mark.quiet("own-work")
def test_requests_that_are_late_for_something_else_are_not_late_for_their_own_code(tmp_path):
    assert "own-work" not in fired(working(tmp_path / "quick", took=300))[0]
    assert "own-work" not in fired(web_service(tmp_path / "elsewhere", [20] * 30 + [1500] * 2 + [20] * 10))[0]


def downloads(folder, full=1500, resumes=1500, slow=2, path="/prices"):
    """Requests of 20; `slow` of them send the rest of their answers `resumes` later. Their connections are full for the first
    `full` of that time; what follows is the server's own."""
    builder = CaptureBuilder(folder, length=6_000 * MS).thread(EPOLL, 100, ".NET Sockets")
    for n in range(40):
        at, first, rest, is_slow = 10 + 100 * n, 1000 + n, 2000 + n, n % 15 == 14 and n // 15 < slow
        end = at + 5 + (resumes if is_slow else 0)
        builder.item(at * MS, at * MS, (at + 4) * MS, first, [("running", 4 * MS)], enqueue_tid=EPOLL, work_id=n)
        builder.item(
            end * MS, end * MS, (end + 4) * MS, rest, [("running", 4 * MS)], enqueue_tid=EPOLL, work_id=900 + n
        )
        transfers = [
            ((at - 1) * MS, "arrived", 50),
            (at * MS + MS // 2, "read", 50, first),
            ((at + 2) * MS, "sent", 9000, first),
        ]
        if is_slow and full:
            transfers += [((at + 3) * MS, "full", 0, first), ((at + 3 + full) * MS, "sent", 400, EPOLL)]
        builder.connection(*transfers, ((end + 1) * MS, "sent", 900, rest))
        route = f"{path}/{n}" if is_slow else f"/prices/{n}"
        builder.request((at + 1) * MS, first, (end + 2) * MS, rest, connection=f"C{n}", path=route)
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


@pytest.mark.fires("client-side")
def test_requests_whose_clients_take_the_answer_slowly(tmp_path):
    found, verdict = fired(downloads(tmp_path))
    assert (verdict.id, verdict.confidence) == ("client-side", "high"), (verdict, list(found))
    assert verdict.text.startswith(
        "2 of 40 requests took long because their clients were slow to take the answer, for up to 1.5 s"
    )
    assert verdict.text.endswith("The first byte of an answer went out 3 ms after its request arrived, on average.")


def test_a_route_whose_clients_are_always_slow_may_have_been_missed_by_nobody(tmp_path):
    _, verdict = fired(downloads(tmp_path, path="/maps"))
    assert (verdict.id, verdict.confidence) == ("client-side", "medium")
    assert any("their users may not mind" in reason for reason in verdict.reasons)


@pytest.mark.quiet("client-side")
@pytest.mark.parametrize(
    "other",
    [{"full": 0}, {"full": 700}, {"full": 900, "resumes": 900}],
    ids=["the server produced slowly", "less than half of it", "less than a second"],
)
def test_answers_that_take_long_for_another_reason_are_not_their_clients(tmp_path, other):
    assert "client-side" not in fired(downloads(tmp_path, **other))[0]


def test_a_late_request_without_a_place_is_not_healthy(tmp_path):
    """Its answer was not asked for over the network, nor is anything else known of that time."""
    builder = web_service(tmp_path, [20] * 30 + [1500] * 2 + [20] * 10)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    _, verdict = fired(builder)
    assert verdict.id == "cannot-tell"
    assert "Cannot tell why 2 of 42 requests were late" in verdict.text and "not the thread pool" in verdict.text


def test_long_requests_of_a_route_with_few_are_neither_late_nor_quite_healthy(tmp_path):
    """Nothing says what their route usually takes."""
    builder = web_service(tmp_path, [1500] * 2 + [20] * 4)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("healthy", "medium")
    assert any("2 requests took up to 1.51 s, on routes with too few others" in reason for reason in verdict.reasons)


def test_where_much_data_cannot_be_followed_to_its_read_healthy_is_not_certain(tmp_path):
    builder = web_service(tmp_path, [20] * 10)
    assert fired(builder)[1].confidence == "high"
    builder = web_service(tmp_path / "again", [20] * 10)
    arrived = next(row for row in builder.rows["socket_io"] if row["bytes"] == 88)
    builder.rows["socket_io"].append({**arrived, "time": arrived["time"] + MS})
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("healthy", "medium")
    assert any("lay unread is not known" in reason for reason in verdict.reasons)


def test_late_requests_that_awaited_another_service_name_it(tmp_path):
    _, verdict = fired(web_service(tmp_path, [20] * 30 + [1500] * 2 + [20] * 10, remote="10.0.0.9:5432"))
    assert verdict.id == "slow-service" and "they awaited answers of 10.0.0.9:5432" in verdict.text


def silences(gaps, role=CONNECTED):
    """One question after another on one connection, answered after this many ms each."""
    asked = np.cumsum([0, *gaps[:-1]]) * MS + np.arange(len(gaps)) * MS
    count = len(gaps)
    io: Any = SimpleNamespace(
        role=np.array([role]),
        remote=np.array(["cache:6379"], dtype=object),
        sends=Sends(np.zeros(count, dtype=np.int64), asked, np.zeros(count, dtype=np.int64)),
        arrival_socket=np.zeros(count, dtype=np.int64),
        arrival_time=asked + np.array(gaps) * MS,
    )
    return find_silences(io, int(asked[-1] + 10_000 * MS))


def test_a_service_is_silent_where_it_takes_far_longer_than_it_usually_does():
    (silence,) = silences([2] * 12 + [3000] + [2] * 3)
    assert silence.endpoint == "cache:6379" and (silence.end - silence.start).tolist() == [3000 * MS]
    assert silences([2] * 12 + [900] + [2] * 3) == []
    assert silences([2000] * 12 + [3000] + [2000] * 3) == [], "it always takes long"
    assert silences([2] * 5 + [3000]) == [], "too few to know what is usual"


def polled(folder, poll=(), silent=0):
    """Two late requests of which nothing is known, and a cache that answers at once on one connection, but for `silent`, the ms that
    it takes while these two wait. `poll`: when it was asked on another connection to tell news, and when these came."""
    builder = web_service(folder, [20] * 30 + [1500] * 2 + [20] * 10)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    asked = [(20 + 100 * n, 22 + 100 * n) for n in range(55)]
    asked = [(sent, came) for sent, came in asked if not 3020 < sent < 3020 + silent]
    asked = [(sent, sent + silent if silent and sent == 3020 else came) for sent, came in asked]
    for pairs in (asked, poll) if poll else (asked,):
        transfers = [t for sent, came in pairs for t in ((sent * MS, "sent", 9, 3000), (came * MS, "arrived", 9))]
        builder.connection(*transfers, role="connected")
        builder.rows["sockets"][-1]["remote"] = "10.0.0.9:6379"
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


@pytest.mark.parametrize("poll", [(), ((50, 2600), (2602, 5300))])
def test_a_long_poll_on_a_connection_of_its_own_is_no_silence(tmp_path, poll):
    found, verdict = fired(polled(tmp_path, poll))
    assert verdict.id == "cannot-tell" and "slow-service" not in found


@pytest.mark.parametrize("poll", [(), ((50, 2600), (2602, 5300))])
def test_a_service_that_is_silent_on_the_connection_that_requests_share_is_named(tmp_path, poll):
    _, verdict = fired(polled(tmp_path, poll, silent=1550))
    assert verdict.id == "slow-service" and "10.0.0.9:6379 was silent for up to 1.55 s" in verdict.text
