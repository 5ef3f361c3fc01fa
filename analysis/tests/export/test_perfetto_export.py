"""A Perfetto export, decoded with the published schema by an independent reader, says what the tables say."""

import os
import shutil
from collections import Counter
from typing import Any

import numpy as np
import pytest
from export_captures import GOLDEN, odd_capture
from google.protobuf import message_factory
from perfetto_reader import decode, published_trace_class
from poolscope.capture import open_capture
from poolscope.capture.schema import flag
from poolscope.executions.segments import BLOCKED, READY
from poolscope.export import FORMATS, Source, export
from poolscope.export.perfetto import messages, stream
from poolscope.product.parts import item_parts
from poolscope.product.timeline import REASONS, worker_threads
from synthetic import MS, CaptureBuilder

REALTIME, MONOTONIC = 1, 3
CAPTURES = [path.stem for path in GOLDEN] + ["odd", "odd-without-kernel"]


@pytest.fixture(scope="session")
def trace_class():
    if shutil.which("protoc") is None:
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say("no protoc (Debian: protobuf-compiler)")
    return published_trace_class()


@pytest.fixture(scope="module", params=CAPTURES)
def exported(request, tmp_path_factory, trace_class):
    folder = tmp_path_factory.mktemp("perfetto")
    if request.param.startswith("odd"):
        capture = odd_capture(folder / "captured", kernel="without" not in request.param)
    else:
        capture = open_capture(next(p for p in GOLDEN if p.stem == request.param))
    source = Source(capture)
    written = export(source, FORMATS["perfetto"], folder / "out.pftrace")
    return source, decode(folder / "out.pftrace", trace_class), written.counts


def of_items(trace):
    return {s.arguments["item"]: s for s in trace.slices if s.category == "work item" and "item" in s.arguments}


def test_the_clock_is_the_captures_own(exported):
    source, trace, _ = exported
    clock = source.capture.manifest["clock"]
    assert trace.primary_clock == MONOTONIC
    assert trace.clocks[MONOTONIC] == clock["start_ns"]
    utc = np.datetime64(clock["start_utc"].removesuffix("Z"), "ns").astype(np.int64)
    assert abs(trace.clocks[REALTIME] - int(utc)) <= MS


def test_every_item_is_a_slice_on_its_workers_thread(exported):
    source, trace, counts = exported
    table = source.capture.table("work_items")
    drawn = of_items(trace)
    started = table[table["dequeue"] >= 0]
    assert set(drawn) == set(started["id"]) and counts["items"] == len(started)
    for row in started.itertuples():
        item, track = drawn[row.id], trace.tracks[drawn[row.id].track]
        if row[list(table.columns).index("flags") + 1] & flag("work_items", "inlined"):
            track = trace.tracks[track.parent_uuid]
        assert (item.start, item.end) == (row.dequeue, row.end if row.end >= 0 else None)
        assert (track.thread.tid, track.thread.pid) == (row.worker_tid, source.capture.manifest["target"]["pid"])
        assert item.arguments.get("parent_item", -1) == row.parent
    finished = started[started["end"] >= 0]
    total = sum(s.end - s.start for s in drawn.values() if s.end is not None)
    assert total == int((finished["end"] - finished["dequeue"]).sum())


def test_slices_do_not_nest_by_accident(exported):
    _, trace, _ = exported
    assert {s.depth for s in trace.slices} <= {0}


def test_every_wait_seen_is_a_flow_from_enqueue_to_start(exported):
    source, trace, counts = exported
    table = source.capture.table("work_items")
    seen = table[(table["enqueue"] >= 0) & (table["dequeue"] >= 0)]
    arrows = {to.arguments["item"]: (start, to) for start, to in trace.flows}
    assert set(arrows) == set(seen["id"]) and len(trace.flows) == counts["flows"] == len(seen)
    for row in seen.itertuples():
        queued, begun = arrows[row.id]
        assert (queued.start, begun.start, queued.name) == (row.enqueue, row.dequeue, "enqueue")
        tid = trace.tracks[queued.track].thread.tid
        assert tid == max(row.enqueue_tid, 0)
    instants = [i for i in trace.instants if i.category == "queue"]
    assert len(instants) == counts["enqueues"] == int((table["enqueue"] >= 0).sum())
    never = {i.arguments["item"] for i in instants if i.arguments.get("never_started")}
    assert never == set(table["id"][(table["enqueue"] >= 0) & (table["dequeue"] < 0)])
    for start, to in trace.flows:
        if "wait_is_at_least" not in to.arguments and "wait_ns" in to.arguments:
            assert to.start - start.start == to.arguments["wait_ns"]


def test_the_parts_of_every_wait_and_execution_are_the_tables(exported):
    source, trace, _ = exported
    drawn = of_items(trace) | {i.arguments["item"]: i for i in trace.instants if "item" in i.arguments}
    items = source.attribution.items
    assert {i: drawn[i].arguments.get("wait_ns", 0) for i in items.row.tolist()} == dict(
        zip(items.row.tolist(), items.wait.tolist())
    )
    assert {i for i in items.row.tolist() if drawn[i].arguments.get("wait_is_at_least")} == set(
        items.row[items.censored].tolist()
    )
    if source.attribution.split is None:
        assert not any("core_ns" in s.arguments for s in drawn.values())
        return
    parts = item_parts(source.attribution)
    parts["blocking"] = parts["holding"] + parts["dependency"]
    names = [n for n in parts.columns if n not in ("id", "holding", "dependency")]
    for row in parts.itertuples():
        given = drawn[row.id].arguments
        assert {n: given.get(f"{n}_ns", 0) for n in names} == {n: getattr(row, n) for n in names}
        assert sum(given.get(f"{n}_ns", 0) for n in ("injection", "blocking", "core", "runtime")) == row.wait


def test_states_are_the_measured_segments(exported):
    source, trace, counts = exported
    segments, base = source.attribution.segments, source.capture.window[0]
    drawn = [s for s in trace.slices if s.category == "thread state"]
    assert len(drawn) == counts["blocked or waiting"]
    for state, waiting in ((READY, True), (BLOCKED, False)):
        mine = segments.state == state
        expected = Counter(zip((segments.start[mine] + base).tolist(), (segments.end[mine] + base).tolist()))
        assert Counter((s.start, s.end) for s in drawn if (s.name == "waiting for a core") == waiting) == expected
    held: dict = {}
    for item in of_items(trace).values():
        held.setdefault(item.track, []).append(item)
    for s in drawn:
        thread = trace.tracks[s.track].parent_uuid
        inside = any(i.start <= s.start and (i.end is None or s.end <= i.end) for i in held[thread])
        assert inside or counts["carried items"]


def test_counters_are_the_pools(exported):
    source, trace, counts = exported
    pool, base = source.attribution.pool, source.capture.window[0]
    series = {"queue length": pool.queued, "worker threads": worker_threads(source.capture), "thread goal": pool.goal}
    found = {trace.tracks[uuid].name: values for uuid, values in trace.counters.items()}
    assert set(found) == set(series)
    for name, steps in series.items():
        assert found[name] == [(round(t) + base, round(v)) for t, v in zip(steps.time.tolist(), steps.value.tolist())]
    assert counts["counter values"] == sum(map(len, found.values()))


def test_changes_of_the_goal_say_why_in_words(exported):
    source, trace, counts = exported
    table = source.capture.table("pool_changes")
    reasons = list(REASONS)
    told = [
        (i.start, i.name, i.arguments["goal"])
        for i in trace.instants
        if i.track in trace.on("changes of the thread goal")
    ]
    assert told == [
        (row.time, REASONS[reasons[row.reason]], row.goal) for row in table.sort_values("time").itertuples()
    ]
    assert counts["goal changes"] == len(table)


@pytest.mark.parametrize(
    "name, table, track",
    [
        ("suspensions", "suspensions", "runtime suspended"),
        ("quota throttles", "throttles", "CPU quota"),
        ("gaps", "losses", "gaps in the evidence"),
    ],
)
def test_intervals_are_the_tables(exported, name, table, track):
    source, trace, counts = exported
    rows = source.capture.table(table) if source.capture.has(table) else None
    drawn = [s for s in trace.slices if s.track in trace.on(track)]
    assert len(drawn) == counts[name] == (0 if rows is None else len(rows))
    known = [] if rows is None else [r for r in zip(rows["start"], rows["end"]) if min(r) >= 0]
    assert set(known) <= {(s.start, s.end) for s in drawn}


def test_the_odd_ones(tmp_path, trace_class):
    capture = odd_capture(tmp_path / "captured")
    export(Source(capture), FORMATS["perfetto"], tmp_path / "out.pftrace")
    trace = decode(tmp_path / "out.pftrace", trace_class)
    names = {s.name for s in trace.slices}
    assert "began before the capture" in names
    assert "blocked: lock in App.Run" in names
    items = of_items(trace)
    # The outermost method of the user's code: A.B called App.Run.
    assert [items[i].name for i in (1, 4)] == ["A.B", "work item"]
    assert items[0].start == items[0].end == items[1].start
    assert trace.tracks[items[3].track].name == "run by a waiter"
    assert [i for i, s in items.items() if s.end is None] == [4]
    suspended = [s for s in trace.slices if s.track in trace.on("runtime suspended")]
    assert len({s.track for s in suspended}) == 2 and {s.name for s in suspended} == {"suspended: garbage collection"}
    (unknown, known) = [s for s in trace.slices if s.track in trace.on("gaps in the evidence")]
    assert (unknown.start, unknown.end) == capture.window and "events" not in unknown.arguments
    assert known.arguments == {"stream": "runtime.nettrace", "events": 7}


def test_items_without_any_time_are_left_out_and_said_so(tmp_path, trace_class):
    builder = CaptureBuilder(tmp_path / "captured", length=1000 * MS, launched=False)
    builder.item(-1).item(10 * MS, 20 * MS, 30 * MS, 200, [("running", 10 * MS)])
    written = export(Source(builder.write()), FORMATS["perfetto"], tmp_path / "out.pftrace")
    assert set(of_items(decode(tmp_path / "out.pftrace", trace_class))) == {1}
    assert written.notes == ["Neither enqueue nor start was seen of 1 work item: left out."]


def test_newer_libraries_make_classes_another_way(monkeypatch):
    """protobuf 4.22 added GetMessageClass; protobuf 5 removed MessageFactory's GetPrototype."""
    if not hasattr(message_factory, "GetMessageClass"):
        prototype = message_factory.MessageFactory(messages.Trace.DESCRIPTOR.file.pool).GetPrototype
        monkeypatch.setattr(message_factory, "GetMessageClass", prototype, raising=False)
    monkeypatch.delattr(message_factory, "MessageFactory", raising=False)
    made = messages._classes()
    assert made["Trace"](packet=[b"x"]).SerializeToString() == messages.Trace(packet=[b"x"]).SerializeToString()


def test_an_empty_capture_is_a_trace_without_items(tmp_path, trace_class):
    capture = CaptureBuilder(tmp_path / "idle", length=1000 * MS).write()
    written = export(Source(capture), FORMATS["perfetto"], tmp_path / "out.pftrace")
    trace = decode(tmp_path / "out.pftrace", trace_class)
    assert written.counts["items"] == 0 and not trace.slices and trace.tracks


def test_pieces_do_not_change_a_byte_of_the_order(tmp_path, trace_class, monkeypatch):
    """A large capture is written in pieces, here so small that several end inside a burst."""
    source = Source(open_capture(GOLDEN[0]))
    export(source, FORMATS["perfetto"], tmp_path / "whole.pftrace")
    monkeypatch.setattr(stream, "EVENTS_AT_ONCE", 7)
    export(source, FORMATS["perfetto"], tmp_path / "pieces.pftrace")
    assert (tmp_path / "whole.pftrace").read_bytes() == (tmp_path / "pieces.pftrace").read_bytes()


def test_names_that_move_the_cursor_are_escaped(tmp_path, trace_class):
    builder = CaptureBuilder(tmp_path / "captured", length=1000 * MS)
    builder.item(0, 1 * MS, 2 * MS, 200, [("running", 1 * MS)])
    builder.manifest["target"]["name"] = "a\udc80b\u202e"
    builder.thread(200, 100, "evil\u001b[2J")
    export(Source(builder.write()), FORMATS["perfetto"], tmp_path / "out.pftrace")
    trace = decode(tmp_path / "out.pftrace", trace_class)
    assert [t.process.process_name for t in trace.tracks.values() if t.HasField("process")] == ["a\\udc80b\\u202e"]
    assert [t.thread.thread_name for t in trace.tracks.values() if t.thread.tid == 200] == ["evil\\u001b[2J"]
