"""Requests in a Perfetto export: slices from arrival to answer, their steps, and flows through the items that served
them."""

import shutil

import numpy as np
import pytest
from perfetto_reader import decode, published_trace_class
from poolscope.capture import open_capture
from poolscope.export import FORMATS, Source, export
from poolscope.export.perfetto.tracks import lanes
from poolscope.export.redacted import RedactedCapture
from poolscope.measures.requests.parts import PARTS, cut_stretches
from poolscope.product.requests import PART_WORDS
from served_requests import served
from synthetic import MS, CaptureBuilder

EPOLL, FIRST, SECOND = 90, 1, 2
SECRETS = ("/orders", "secret", "127.0.0.1", "C0")


@pytest.fixture(scope="module")
def trace_class():
    if shutil.which("protoc") is None:
        pytest.skip("no protoc (Debian: protobuf-compiler)")
    return published_trace_class()


def awaited(folder):
    """Builds one request that awaits a service; its items are blocked, lack a core, and stop during a suspension."""
    builder = CaptureBuilder(folder, length=1000 * MS).thread(EPOLL, 100, ".NET Sockets")

    def item(enqueue, dequeue, end, worker, states, by=EPOLL):
        told = [(name, ms * MS) for name, ms in states]
        builder.item(enqueue * MS, dequeue * MS, end * MS, worker, told, enqueue_tid=by)

    item(10, 11, 14, FIRST, [("running", 3)])  # reads at 12
    item(13, 15, 40, SECOND, [("running", 5), ("blocked", 12), ("ready", 4), ("running", 4)], by=FIRST)  # asks at 38
    item(101, 104, 108, FIRST, [("running", 4)])  # the answer is read at 105
    item(106, 110, 130, SECOND, [("running", 2), ("blocked", 10), ("running", 8)], by=FIRST)
    item(129, 131, 140, FIRST, [("running", 9)], by=SECOND)  # sends at 135
    builder.rows["suspensions"].append({"start": 112 * MS, "end": 121 * MS, "reason": 1})

    def connection(*transfers, role="accepted"):
        builder.connection(*((int(time * MS), *rest) for time, *rest in transfers), role=role)

    connection((9, "arrived", 50), (12, "read", 50, FIRST), (135, "sent", 100, FIRST))
    connection((38, "sent", 54, SECOND), (100, "arrived", 88), (105, "read", 88, FIRST), role="connected")
    builder.request(16 * MS, SECOND, 128 * MS, SECOND, path="/orders/17")
    builder.write()
    return folder


def exported(folder, trace_class, redacted=False):
    capture = open_capture(folder)
    source = Source(RedactedCapture(capture) if redacted else capture)
    written = export(source, FORMATS["perfetto"], folder.parent / f"{folder.name}.pftrace")
    path = folder.parent / f"{folder.name}.pftrace"
    return source, decode(path, trace_class), written.counts, path


def slices(trace, category):
    return [s for s in trace.slices if s.category == category]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory, trace_class):
    """Exports eight requests at once: the sixth has no answer, the bytes of the seventh and eighth are not tied (the
    eighth does not leave either), and data waits on another connection."""
    folder = tmp_path_factory.mktemp("mixed") / "mixed"
    served(folder, [100.0] * 8, gap=10, paths=("/orders/17", "/health"), unanswered=3, untied=2, unread=1, length=600)
    return exported(folder, trace_class)


def test_every_request_is_a_slice_from_its_arrival_to_its_answer(mixed):
    source, trace, counts, _ = mixed
    drawn = {s.arguments["request"]: s for s in slices(trace, "request") if "request" in s.arguments}
    base, stop = source.capture.window
    assert sorted(drawn) == list(range(8)) and counts["requests"] == 9
    for i in range(8):
        slice_, arrived = drawn[i], base + (10 + 10 * i) * MS
        assert slice_.name == ("GET /orders/{id}", "GET /health")[i % 2]
        assert slice_.arguments["connection"] == f"C{i}"
        if i < 5:
            assert (slice_.start, slice_.end) == (arrived, arrived + 100 * MS)
            assert slice_.arguments["tied"] is True and slice_.arguments["answered"] is True
            assert slice_.arguments["latency_ns"] == 100 * MS and "latency_is_at_least" not in slice_.arguments
            assert sum(slice_.arguments.get(f"{part}_ns", 0) for part in PARTS) == 100 * MS
            assert slice_.arguments["client"] == "127.0.0.1:9"
        elif i == 5:
            assert (slice_.start, slice_.end) == (arrived, stop)
            assert slice_.arguments["answered"] is False and slice_.arguments["latency_is_at_least"] is True
        else:
            # The slice begins 1.5 ms after its bytes came: no event ties them to the request.
            assert (slice_.start, slice_.end) == (arrived + 1.5 * MS, stop)
            assert slice_.arguments["tied"] is False and "latency_ns" not in slice_.arguments
    (waiting,) = (s for s in slices(trace, "request") if "request" not in s.arguments)
    assert (waiting.start, waiting.end) == (base + 30 * MS, stop) and waiting.arguments["begun"] is False


def test_slices_of_one_track_do_not_overlap(mixed):
    _, trace, _, _ = mixed
    assert {s.depth for s in slices(trace, "request")} == {0} and {s.depth for s in slices(trace, "request step")} == {
        1
    }
    (group,) = trace.on("Requests")
    used = {s.track for s in slices(trace, "request")}
    assert all(trace.tracks[track].parent_uuid == group for track in used)
    # All nine are in progress at once.
    assert len(used) == 9


def test_an_untied_request_that_left_ends_there(tmp_path, trace_class):
    source, trace, _, _ = exported(served(tmp_path / "untied", [50.0] * 4, untied=1), trace_class)
    base = source.capture.window[0]
    last = next(s for s in slices(trace, "request") if s.arguments["request"] == 3)
    assert (last.start - base, last.end - base) == (71.5 * MS, 119.75 * MS) and last.arguments["tied"] is False


def test_steps_are_the_states_of_its_items_and_what_lay_between(tmp_path, trace_class):
    source, trace, counts, _ = exported(awaited(tmp_path / "awaited"), trace_class)
    base = source.capture.window[0]
    steps = [(s.name, (s.start - base) / MS, (s.end - base) / MS) for s in slices(trace, "request step")]
    words = {name: part for part, name in PART_WORDS.items()}
    assert [(words[name], start, end) for name, start, end in steps] == [
        ("unread", 9, 12),
        ("cpu", 12, 13),
        ("queued", 13, 15),
        ("cpu", 15, 20),
        ("blocked", 20, 32),
        ("ready", 32, 36),
        ("cpu", 36, 38),
        ("services", 38, 100),
        ("unread", 100, 101),
        ("queued", 101, 104),
        ("cpu", 104, 106),
        ("queued", 106, 110),
        ("cpu", 110, 112),
        ("runtime", 112, 122),
        ("cpu", 122, 129),
        ("queued", 129, 131),
        ("cpu", 131, 135),
    ]
    (service,) = (s for s in trace.slices if s.name == PART_WORDS["services"])
    assert service.arguments == {"endpoint": "127.0.0.1:9"}
    assert counts["request steps"] == len(steps)
    queued = [s.arguments["item"] for s in trace.slices if s.name == PART_WORDS["queued"]]
    assert queued == [1, 2, 3, 4]


def test_a_flow_leads_from_the_bytes_through_every_item(tmp_path, trace_class):
    source, trace, counts, _ = exported(awaited(tmp_path / "awaited"), trace_class)
    base = source.capture.window[0]
    arrows = [(a, b) for a, b in trace.flows if b.category == "request"]
    assert counts["request flows"] == len(arrows) == 5
    (request,) = slices(trace, "request")
    # One chain: each arrow begins where the one before ended.
    assert arrows[0][0] is request and all(a[1] is b[0] for a, b in zip(arrows, arrows[1:]))
    reached = [((b.start - base) / MS, trace.tracks[b.track].thread.tid) for _, b in arrows]
    assert reached == [(12, FIRST), (15, SECOND), (104, FIRST), (110, SECOND), (131, FIRST)]
    items = slices(trace, "work item")
    for _, mark in arrows:
        assert any(i.track == mark.track and i.start <= mark.start < i.end for i in items)


def test_stretches_add_up_to_the_parts(tmp_path):
    draw = np.random.default_rng(5)
    folder = tmp_path / "random"
    builder = CaptureBuilder(folder, length=3000 * MS).thread(EPOLL, 100, ".NET Sockets")
    for i in range(60):
        arrived, tid = 10 + 20 * i, 200 + i
        states = [(str(draw.choice(["running", "ready", "blocked"])), int(draw.integers(1, 9)) * MS) for _ in range(8)]
        states = [("running", MS), *states, ("running", 2 * MS)]
        stop = arrived * MS + 3 * MS + sum(ns for _, ns in states)
        builder.item(arrived * MS, (arrived + 3) * MS, stop, tid, states, enqueue_tid=EPOLL)
        builder.connection(
            (arrived * MS, "arrived", 50), (int((arrived + 3.25) * MS), "read", 50, tid), (stop - MS, "sent", 9, tid)
        )
        builder.request(int((arrived + 3.5) * MS), tid, int(stop - 1.5 * MS), tid, connection=f"C{i}")
    builder.write()
    source = Source(open_capture(folder))
    stretches, parts = cut_stretches(source.requests, source.attribution), source.request_parts
    assert len(parts.row) == 60
    for code, name in enumerate(PARTS):
        mine = stretches.part == code
        total = np.bincount(stretches.request[mine], (stretches.end - stretches.start)[mine], minlength=60)
        assert np.array_equal(total[parts.row], parts.part[name]), name
    same = stretches.request[1:] == stretches.request[:-1]
    assert np.array_equal(stretches.start[1:][same], stretches.end[:-1][same])


def test_lanes_are_the_first_that_are_free():
    draw = np.random.default_rng(1)
    start = draw.integers(0, 500, 400)
    stop = np.where(draw.random(400) < 0.02, -1, start + draw.integers(0, 40, 400))
    lane = lanes(start, stop)
    free: list[float] = []
    for i in np.argsort(start, kind="stable").tolist():
        which = next((k for k, until in enumerate(free) if until <= start[i]), len(free))
        free[which : which + 1] = [stop[i] if stop[i] >= 0 else np.inf]
        assert lane[i] == which


def test_redaction_leaves_no_name(tmp_path, trace_class):
    folder = served(tmp_path / "private", [50.0] * 4, paths=("/orders/secret",))
    _, trace, _, path = exported(folder, trace_class)
    plain = path.read_bytes()
    path.unlink()
    _, hidden, _, path = exported(folder, trace_class, redacted=True)
    found = [word for word in SECRETS if word.encode() in path.read_bytes()]
    assert found == [] and all(word.encode() in plain for word in SECRETS)
    assert {s.name for s in slices(hidden, "request")} == {"GET path-1"}
    assert len(slices(hidden, "request step")) == len(slices(trace, "request step")) > 0


def test_a_name_that_moves_the_cursor_is_escaped(tmp_path, trace_class):
    _, trace, _, _ = exported(served(tmp_path / "odd", [50.0] * 2, paths=("/a\u202e\u001b[2J",)), trace_class)
    assert {s.name for s in slices(trace, "request")} == {"GET /a\\u202e\\u001b[2J"}


def test_without_sockets_requests_are_there_and_not_tied(tmp_path, trace_class):
    _, trace, counts, _ = exported(served(tmp_path / "blind", [50.0] * 4, sockets=False), trace_class)
    assert [s.arguments["tied"] for s in slices(trace, "request")] == [False] * 4
    assert counts["request steps"] == counts["request flows"] == 0
