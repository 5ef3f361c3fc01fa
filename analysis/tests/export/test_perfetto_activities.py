"""Activities in a Perfetto export: one slice each, from begin to end."""

import shutil

import pytest
from perfetto_reader import decode, published_trace_class
from poolscope.capture import open_capture
from poolscope.export import FORMATS, Source, export
from poolscope.export.redacted import RedactedCapture
from poolscope.measures.activities import ACTIVITY_PARTS
from synthetic import MS, CaptureBuilder

WORKER = 200
SECRETS = ("Contoso", "pack", f"{1:032x}", f"{2:016x}")


@pytest.fixture(scope="module")
def trace_class():
    if shutil.which("protoc") is None:
        pytest.skip("no protoc (Debian: protobuf-compiler)")
    return published_trace_class()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Builds an activity that began before the capture, one inside another, one without length, and one that does not
    end."""
    folder = tmp_path_factory.mktemp("worker") / "worker"
    made = CaptureBuilder(folder, length=1000 * MS).item(0, 0, 900 * MS, WORKER, [("running", 900 * MS)])
    for start, end in ((-1, 50), (100, 200), (110, 150), (300, 300), (800, -1)):
        begin, stop = (at * MS if at >= 0 else -1 for at in (start, end))
        made.activity(begin, stop, WORKER, source="Contoso.Shop", name="pack 17")
    made.write()
    return folder


def drawn(folder, trace_class, output, redacted=False):
    capture = open_capture(folder)
    written = export(Source(RedactedCapture(capture) if redacted else capture), FORMATS["perfetto"], output)
    trace = decode(output, trace_class)
    slices = [s for s in trace.slices if s.category == "activity"]
    assert written.counts["activities"] == len(slices)
    return capture.window, trace, sorted(slices, key=lambda s: s.arguments["activity"])


def test_every_activity_is_a_slice_from_its_begin_to_its_end(folder, trace_class, tmp_path):
    (base, stop), trace, slices = drawn(folder, trace_class, tmp_path / "a.pftrace")
    assert {s.name for s in slices} == {"pack {id} (Contoso.Shop)"}
    times = [(s.start - base, s.end - base) for s in slices]
    assert times == [
        (0, 50 * MS),
        (100 * MS, 200 * MS),
        (110 * MS, 150 * MS),
        (300 * MS, 300 * MS + 1),
        (800 * MS, stop - base),
    ]
    said = [s.arguments for s in slices]
    assert said[0]["began_before"] is True and "duration_ns" not in said[0]
    assert [a.get("duration_ns") for a in said[1:]] == [100 * MS, 40 * MS, 0, 200 * MS]
    assert [a.get("duration_is_at_least") for a in said] == [None] * 4 + [True]
    for one in said[1:4]:
        assert sum(one.get(f"{part}_ns", 0) for part in ACTIVITY_PARTS) == one["duration_ns"]
    assert (said[1]["trace_id"], said[1]["span_id"], said[1]["item"]) == (f"{1:032x}", f"{2:016x}", 0)


def test_slices_that_overlap_have_tracks_of_their_own(folder, trace_class, tmp_path):
    _, trace, slices = drawn(folder, trace_class, tmp_path / "a.pftrace")
    assert {s.depth for s in slices} == {0} and len({s.track for s in slices}) == 2
    (group,) = trace.on("Activities")
    assert all(trace.tracks[s.track].parent_uuid == group for s in slices)


def test_redaction_leaves_no_name_and_no_id(folder, trace_class, tmp_path):
    drawn(folder, trace_class, plain := tmp_path / "plain.pftrace")
    _, _, slices = drawn(folder, trace_class, hidden := tmp_path / "hidden.pftrace", redacted=True)
    assert {s.name for s in slices} == {"activity-1 (source-1)"}
    assert all(word.encode() in plain.read_bytes() for word in SECRETS)
    assert [word for word in SECRETS if word.encode() in hidden.read_bytes()] == []


def test_a_capture_without_activities_has_no_track_of_them(trace_class, tmp_path):
    made = CaptureBuilder(tmp_path / "none", length=1000 * MS).item(0, 0, MS, WORKER, [("running", MS)])
    made.write()
    _, trace, slices = drawn(tmp_path / "none", trace_class, tmp_path / "none.pftrace")
    assert slices == [] and not list(trace.on("Activities"))
