"""Waits that no work item shows: inside the socket engine's own item, and during suspensions of the runtime."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

ENGINE, EPOLL, WORKER = 77, 150, 200


def hidden(analysis):
    return next((f for f in analysis.findings if f.id == "hidden-waits"), None)


def service(folder, waits, name=".NET Sockets", **options):
    """Builds the socket engine, which the epoll thread queues once a second, and one worker that blocks meanwhile."""
    builder = CaptureBuilder(folder, length=len(waits) * 1000 * MS, limits=(1, 1), **options)
    builder.thread(EPOLL, 100, name).thread(WORKER, 100, ".NET TP Worker").thread(99, 99, ".NET Sockets")
    for i, wait in enumerate(waits):
        at = i * 1000 * MS
        if wait:
            builder.item(at, at + MS // 100, at + wait * MS, WORKER, [("blocked", wait * MS - MS // 100)])
        builder.item(at, at + wait * MS, at + (wait + 1) * MS, WORKER, [("running", MS)], EPOLL, work_id=ENGINE)
    return builder


@pytest.mark.fires("hidden-waits")
def test_it_says_how_long_socket_events_had_to_wait_and_is_never_the_verdict(tmp_path):
    analysis = analyse(service(tmp_path, [900, 300, 0, 0]).write())
    finding = hidden(analysis)
    assert finding.number == "socket events waited for a worker 30 % of the time, up to 900 ms"
    assert finding.item_seconds == 0 and finding.severity == "low"
    assert analysis.verdict.id == "blocked-at-cap"


def test_an_engine_that_queues_itself_counts_and_time_counts_once(tmp_path):
    builder = service(tmp_path, [800, 0])
    # A worker queues it while the first is still queued: together they were queued from 0 to 900 ms.
    builder.item(100 * MS, 900 * MS, 910 * MS, WORKER, [("running", 10 * MS)], WORKER, work_id=ENGINE)
    assert "45 % of the capture" in hidden(analyse(builder.write())).evidence[0]


def test_items_still_queued_at_the_end_count_up_to_it(tmp_path):
    builder = service(tmp_path, [0, 0])
    builder.item(1500 * MS, enqueue_tid=EPOLL, work_id=ENGINE)
    assert "25 %" in hidden(analyse(builder.write())).number


@pytest.mark.quiet("hidden-waits")
def test_short_waits_and_other_threads_items_are_no_finding(tmp_path):
    assert hidden(analyse(service(tmp_path / "short", [40, 40]).write())) is None
    assert hidden(analyse(service(tmp_path / "seldom", [90] + [0] * 9).write())) is None
    assert hidden(analyse(service(tmp_path / "other", [800, 800], name="main").write())) is None


@pytest.mark.quiet("hidden-waits")
def test_events_with_objects_of_their_own_are_not_hidden(tmp_path):
    builder = service(tmp_path, [900, 300, 0, 0])
    # Like .NET 11: an event that comes while the first object is queued gets an object of its own.
    builder.item(100 * MS, 910 * MS, 911 * MS, WORKER, [("running", MS)], EPOLL, work_id=ENGINE + 1)
    assert hidden(analyse(builder.write())) is None


def test_each_thread_of_the_sockets_may_have_an_engine_of_its_own(tmp_path):
    builder = service(tmp_path, [900, 300, 0, 0])
    builder.item(1990 * MS, 1991 * MS, 1992 * MS, WORKER, [("running", MS)], 99, work_id=ENGINE + 1)
    assert hidden(analyse(builder.write())) is not None


@pytest.mark.parametrize("name", [".NET ThreadPool IO", ".NET TP I/O"])
def test_on_Windows_completed_io_waits_in_one_item_as_well(tmp_path, name):
    finding = hidden(analyse(service(tmp_path, [900, 300, 0, 0], name=name, tier="etw").write()))
    assert finding.number == "completed I/O waited for a worker 30 % of the time, up to 900 ms"
    assert "socket" not in finding.evidence[0] and "runtime's I/O thread" in finding.evidence[0]


def test_on_Windows_it_is_not_applicable_where_that_thread_is_not_known(tmp_path):
    def status(folder, name):
        return {r.id: r.status for r in analyse(service(tmp_path / folder, [0, 0], name, tier="etw").write()).rules}

    assert status("unnamed", "app")["hidden-waits"] == "not-applicable"  # which is not passed
    assert status("named", ".NET ThreadPool IO")["hidden-waits"] == "passed"


def test_without_names_of_threads_it_is_not_applicable(tmp_path):
    analysis = analyse(service(tmp_path, [800, 800], kernel=False).write())
    assert {r.id: r.status for r in analysis.rules}["hidden-waits"] == "not-applicable"


def test_a_suspended_runtime_is_told_beside_a_healthy_queue(tmp_path):
    """No item is queued during a suspension, so the items' waits look healthy."""

    def analysed(folder, pause):
        builder = CaptureBuilder(folder, length=1000 * MS)
        builder.item(0, MS // 10, 2 * MS, WORKER, [("running", 2 * MS)])
        return analyse(builder.suspension(100 * MS, (100 + pause) * MS).write())

    long = analysed(tmp_path / "long", 300)
    assert long.verdict.id == "healthy"
    assert "but the runtime was suspended 30 % of the time" in long.verdict.text
    assert hidden(long).number == "the runtime was suspended 30 % of the time"
    assert "suspended for 300 ms in all" in hidden(long).evidence[0]
    short = analysed(tmp_path / "short", 50)
    assert hidden(short) is None and "suspended" not in short.verdict.text


def request(at, read, tid=WORKER, size=80):
    return (at * MS, "arrived", size), (read * MS, "read", size, tid), ((read + 1) * MS, "sent", 300, tid)


def idle_service(folder):
    return service(folder, [0, 0])


@pytest.mark.fires("hidden-waits")
def test_data_that_lay_in_sockets_is_measured(tmp_path):
    builder = idle_service(tmp_path).connection(*request(100, 700)).connection(*request(100, 101))
    finding = hidden(analyse(builder.write()))
    assert finding.number == "data lay in sockets for up to 600 ms before it was read"
    assert "1 of 2 segments of data on 2 TCP connections waited longer than 50 ms" in finding.evidence[0]
    assert "300 ms on average" in finding.evidence[0]
    assert finding.evidence[-1].endswith("by the time that the data waited in the socket.")
    assert finding.item_seconds == 0


@pytest.mark.quiet("hidden-waits")
def test_data_that_is_read_at_once_is_no_finding(tmp_path):
    builder = idle_service(tmp_path)
    for at in range(100, 1900, 10):
        builder.connection(*request(at, at + 1))
    assert hidden(analyse(builder.write())) is None


def test_connections_that_do_not_add_up_are_told(tmp_path):
    builder = idle_service(tmp_path).connection(*request(100, 700))
    builder.connection((50 * MS, "read", 10, WORKER), (60 * MS, "arrived", 10))  # opened before the recording
    finding = hidden(analyse(builder.write()))
    assert "1 connection is not among them: its bytes do not add up." in finding.evidence[0]
    assert finding.evidence[-1].endswith("by an unknown amount.")
