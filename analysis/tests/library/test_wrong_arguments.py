"""Every public function, called with wrong arguments: one clear line, in an exception that a script can catch."""

import json
import math
import shutil
import zipfile
from pathlib import Path

import numpy as np
import poolscope
import pytest
from poolscope import InsufficientEvidence, InvalidArgument, PoolscopeError, UnknownTable, UnreadableCapture
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def golden():
    return poolscope.open(GOLDEN / "blocked-at-cap.zip")


@pytest.fixture
def folder(tmp_path):
    with zipfile.ZipFile(GOLDEN / "blocked-at-cap.zip") as archive:
        archive.extractall(tmp_path / "capture")
    return tmp_path / "capture"


def refused(error, says, call):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert says in message and "\n" not in message and len(message) < 300, message
    assert not isinstance(caught.value, PoolscopeError) or caught.value.exit_code in (2, 3, 4)


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        (None, TypeError, "path: a str or a path, not None"),
        (7, TypeError, "path: a str or a path, not int"),
        (b"traces", TypeError, "path: a str or a path, not bytes"),
        (["a"], TypeError, "path: a str or a path, not list"),
        ("", InvalidArgument, "names no file"),
        ("a\0b", InvalidArgument, "names no file"),
        ("/no/such/capture", UnreadableCapture, "/no/such/capture: no such file or folder"),
        (str(Path(__file__).parent), UnreadableCapture, "no capture.json"),
        (__file__, UnreadableCapture, "neither a capture folder nor a zip of one"),
    ],
)
def test_open(path, error, says):
    refused(error, says, lambda: poolscope.open(path))


@pytest.mark.parametrize(
    ("late_ms", "error", "says"),
    [
        (0, InvalidArgument, "late_ms 0: a number above 0"),
        (-1.5, InvalidArgument, "late_ms -1.5: a number above 0"),
        (NAN, InvalidArgument, "late_ms nan: a number above 0"),
        (INF, InvalidArgument, "late_ms inf: a number above 0"),
        ("50", TypeError, "late_ms: a number, not str"),
        (None, TypeError, "late_ms: a number, not None"),
        (True, TypeError, "late_ms: a number, not bool"),
    ],
)
def test_open_with_a_late_limit(late_ms, error, says):
    refused(error, says, lambda: poolscope.open(GOLDEN / "healthy.zip", late_ms=late_ms))


@pytest.mark.parametrize(
    ("own", "error", "says"),
    [
        ("", InvalidArgument, "own: an empty name"),
        ([], InvalidArgument, "own: none given"),
        (["Acme", " "], InvalidArgument, "own: an empty name"),
        (7, TypeError, "own: a str or several, not int"),
        (["Acme", 7], TypeError, "own: a str, not int"),
    ],
)
def test_open_with_own_assemblies(own, error, says):
    refused(error, says, lambda: poolscope.open(GOLDEN / "healthy.zip", own=own))


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        ('{"format": 99}', "capture format 99"),
        ('{"format": 1}', "tool is missing, not an object"),
        ('{"format": 1, "clock": {}, "host": {}, "target": [], "tool": {}}', "clock.start_ns is missing"),
    ],
)
def test_open_a_damaged_manifest(manifest, says, folder):
    (folder / "capture.json").write_text(manifest)
    refused(UnreadableCapture, says, lambda: poolscope.open(folder))


def test_open_what_is_not_decoded(folder):
    shutil.rmtree(folder / "tables")
    refused(UnreadableCapture, "poolscope decode", lambda: poolscope.open(folder))


@pytest.mark.parametrize(
    "method", ["attribute", "verdict", "incidents", "findings", "coverage", "blame", "analysis", "whatif", "report"]
)
def test_a_damaged_table(method, folder):
    (folder / "tables" / "work_items.npz").write_bytes(b"PK\x03\x04 not really")
    capture = poolscope.open(folder)
    refused(UnreadableCapture, "work_items cannot be read", getattr(capture, method))


def test_a_zip_with_a_damaged_table(tmp_path):
    broken = bytearray((GOLDEN / "blocked-at-cap.zip").read_bytes())
    with zipfile.ZipFile(GOLDEN / "blocked-at-cap.zip") as archive:
        entry = archive.getinfo("tables/work_items.npz")
    at = entry.header_offset + 30 + len(entry.filename)
    broken[at + 40 : at + 200] = b"\xff" * 160
    (tmp_path / "broken.zip").write_bytes(broken)
    capture = poolscope.open(tmp_path / "broken.zip")
    refused(UnreadableCapture, "tables/work_items.npz cannot be read", capture.attribute)


@pytest.mark.parametrize(
    "method", ["attribute", "verdict", "incidents", "findings", "coverage", "blame", "analysis", "whatif", "report"]
)
def test_without_a_runtime_stream_nothing_is_answered(method, tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.rows["streams"] = [s for s in builder.rows["streams"] if s["tier"] != "eventpipe"]
    builder.write()
    refused(InsufficientEvidence, "no runtime.nettrace", getattr(poolscope.open(tmp_path), method))


def test_without_work_items_there_is_nothing_to_simulate(tmp_path):
    CaptureBuilder(tmp_path, length=100 * MS).write()
    refused(InsufficientEvidence, "no work items", poolscope.open(tmp_path).whatif)


def test_an_enum_value_that_nobody_knows(folder):
    with np.load(folder / "tables" / "pool_changes.npz") as archive:
        columns = {name: archive[name] for name in archive.files}
    columns["reason"] = columns["reason"] + np.uint8(200)
    np.savez(folder / "tables" / "pool_changes.npz", **columns)
    tables = poolscope.open(folder).tables
    refused(UnreadableCapture, "is none of Warmup", lambda: tables["pool_changes"])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda t: t["work-items"], UnknownTable, "no table 'work-items'; did you mean work_items?"),
        (lambda t: t["x"], UnknownTable, "no table 'x'; list(capture.tables) has their names"),
        (lambda t: t["work-items"], KeyError, "no table 'work-items'"),
        (lambda t: t["throttles"], UnknownTable, "this capture holds no table 'throttles'"),
        (lambda t: t["item_parts"], UnknownTable, "ask Capture.attribute()"),
        (lambda t: t["request_parts"], UnknownTable, "ask Capture.requests()"),
        (lambda t: t[3], TypeError, "table: a str, not int"),
        (lambda t: t[None], TypeError, "table: a str, not None"),
        (lambda t: t.columns("nonsense"), UnknownTable, "no table 'nonsense'"),
        (lambda t: t.columns(3), TypeError, "table: a str, not int"),
        (lambda t: t.flagged("work_items", "lost"), UnknownTable, "no flag 'lost'; there are: censored_start"),
        (lambda t: t.flagged("waits", "lost"), UnknownTable, "no flag 'lost'; it has none"),
        (lambda t: t.flagged("nonsense", "lost"), UnknownTable, "no table 'nonsense'"),
        (lambda t: t.flagged("work_items", 3), TypeError, "flag: a str, not int"),
        (lambda t: t.flagged(3, "lost"), TypeError, "table: a str, not int"),
    ],
)
def test_tables(call, error, says, golden):
    refused(error, says, lambda: call(golden.tables))


@pytest.mark.parametrize(
    ("count", "error", "says"),
    [
        (0, InvalidArgument, "count 0: at least 1"),
        (-3, InvalidArgument, "count -3: at least 1"),
        (2.0, TypeError, "count: a whole number, not float"),
        ("3", TypeError, "count: a whole number, not str"),
        (True, TypeError, "count: a whole number, not bool"),
        (None, TypeError, "count: a whole number, not None"),
    ],
)
def test_worst_items(count, error, says, golden):
    refused(error, says, lambda: golden.worst_items(count))


@pytest.mark.parametrize(
    ("stack", "error", "says"),
    [
        (-2, InvalidArgument, "stack -2: from -1 to 388"),
        (389, InvalidArgument, "stack 389: from -1 to 388"),
        (NAN, TypeError, "stack: a whole number, not float"),
        ("main", TypeError, "stack: a whole number, not str"),
    ],
)
def test_stack(stack, error, says, golden):
    refused(error, says, lambda: golden.stack(stack))


@pytest.mark.parametrize("redact", [None, 1, "yes"])
def test_redact(redact, golden):
    refused(TypeError, "redact: True or False", lambda: golden.analysis(redact=redact))
    refused(TypeError, "redact: True or False", lambda: golden.report(redact=redact))
    refused(TypeError, "redact: True or False", lambda: golden.check("high", redact=redact))


@pytest.mark.parametrize(
    ("output", "error", "says"),
    [
        (3, TypeError, "output: a str or a path, not int"),
        ("", InvalidArgument, "names no file"),
        ("/no/such/folder/page.html", InvalidArgument, "cannot write /no/such/folder/page.html: No such file"),
    ],
)
def test_report(output, error, says, golden):
    refused(error, says, lambda: golden.report(output))


@pytest.mark.parametrize(
    ("conditions", "error", "says"),
    [
        ((3,), TypeError, "condition: a str, not int"),
        ((None,), TypeError, "condition: a str, not None"),
        (("",), InvalidArgument, "a condition is a severity"),
        (("high", "tall"), InvalidArgument, "condition 'tall': a condition is a severity"),
        (("wait.p99>100",), InvalidArgument, "needs a unit"),
        (("wait.p98>100ms",), InvalidArgument, "items.wait_ms has: mean, p50"),
        (("wait.p99>NaN ms",), InvalidArgument, "is no number"),
        (("finding:nonsense",), InvalidArgument, "there is no finding 'nonsense'"),
        (("verdict:nonsense",), InvalidArgument, "there is no verdict 'nonsense'"),
    ],
)
def test_check(conditions, error, says, golden):
    with pytest.raises(error) as caught:
        golden.check(*conditions)
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"min_threads": -1}, InvalidArgument, "min threads -1: from 1 to 32767"),
        ({"min_threads": 0}, InvalidArgument, "min threads 0: from 1 to 32767"),
        ({"min_threads": 40_000}, InvalidArgument, "min threads 40,000: from 1 to 32767"),
        ({"min_threads": 5}, InvalidArgument, "min threads 5 above max threads 4, as captured"),
        ({"min_threads": [2, -1]}, InvalidArgument, "min threads -1: from 1 to 32767"),
        ({"min_threads": []}, InvalidArgument, "min_threads: none given"),
        ({"min_threads": 2.5}, TypeError, "min_threads: a whole number or several of them, not float"),
        ({"min_threads": NAN}, TypeError, "min_threads: a whole number or several of them, not float"),
        ({"min_threads": "2..8"}, TypeError, "min_threads: a whole number or several of them, not str"),
        ({"min_threads": [2, 3.0]}, TypeError, "min_threads: a whole number, not float"),
        ({"min_threads": True}, TypeError, "min_threads: a whole number, not bool"),
        ({"max_threads": 0}, InvalidArgument, "max_threads 0: from 1 to 32767"),
        ({"max_threads": -8}, InvalidArgument, "max_threads -8: from 1 to 32767"),
        ({"max_threads": [8]}, TypeError, "max_threads: a whole number, not list"),
        ({"min_threads": 20, "max_threads": 10}, InvalidArgument, "min threads 20 above max threads 10"),
        ({"cores": 0}, InvalidArgument, "cores 0: a number above 0"),
        ({"cores": -2}, InvalidArgument, "cores -2: a number above 0"),
        ({"cores": NAN}, InvalidArgument, "cores nan: a number above 0"),
        ({"cores": INF}, InvalidArgument, "cores inf: a number above 0"),
        ({"cores": "2"}, TypeError, "cores: a number, not str"),
        ({"cores": True}, TypeError, "cores: a number, not bool"),
        ({"asynchronous": 1}, TypeError, "asynchronous: True or False, not int"),
        ({"dedicated": "yes"}, TypeError, "dedicated: True or False, not str"),
        ({"asynchronous": True, "dedicated": True}, InvalidArgument, "contradict each other"),
        ({"policy": "fifo"}, InvalidArgument, "unknown policy 'fifo': one of net, net4x"),
        ({"policy": 4}, TypeError, "policy: a str, not int"),
        ({"load": 0}, InvalidArgument, "load 0: a number above 0"),
        ({"load": -1}, InvalidArgument, "load -1: a number above 0"),
        ({"load": NAN}, InvalidArgument, "load nan: a number above 0"),
        ({"load": 1e6}, InvalidArgument, "at most 1000 times"),
        ({"load": "2x"}, TypeError, "load: a number, not str"),
        ({"load": None}, TypeError, "load: a number, not None"),
        ({"faster": 2}, TypeError, "faster: a mapping, not int"),
        ({"faster": {5: 2}}, TypeError, "faster: a str, not int"),
        ({"faster": {"10.0.0.9:5432": 0}}, InvalidArgument, "faster 10.0.0.9:5432 0: a number above 0"),
        ({"faster": {"10.0.0.9:5432": "2x"}}, TypeError, "faster 10.0.0.9:5432: a number, not str"),
        ({"faster": {"10.0.0.9:5432": 1e6}}, InvalidArgument, "1e+06 times as fast: from 0.001 to 1000 times"),
        (
            {"faster": {"10.0.0.9:5432": 2}},
            InvalidArgument,
            "10.0.0.9:5432 gave no answer in this capture; these did: none",
        ),
        ({"target_p99_ms": 0}, InvalidArgument, "target_p99_ms 0: a number above 0"),
        ({"target_p99_ms": -5}, InvalidArgument, "target_p99_ms -5: a number above 0"),
        ({"target_p99_ms": NAN}, InvalidArgument, "target_p99_ms nan: a number above 0"),
        ({"target_p99_ms": "100ms"}, TypeError, "target_p99_ms: a number, not str"),
        ({"target_p99_ms": 100, "load": 2}, InvalidArgument, "needs several min threads"),
        ({"target_p99_ms": 100, "min_threads": 3}, InvalidArgument, "needs several min threads"),
        ({"replications": 0}, InvalidArgument, "replications 0: from 1 to 1000"),
        ({"replications": 1001}, InvalidArgument, "replications 1001: from 1 to 1000"),
        ({"replications": 2.5}, TypeError, "replications: a whole number, not float"),
        ({"seed": -1}, InvalidArgument, "seed -1: at least 0"),
        ({"seed": None}, TypeError, "seed: a whole number, not None"),
        ({"progress": "yes"}, TypeError, "progress: a function, not str"),
        ({"threads": 8}, TypeError, "unexpected keyword argument 'threads'"),
    ],
)
def test_whatif(settings, error, says, golden):
    refused(error, says, lambda: golden.whatif(**settings))


def test_whatif_takes_no_positions(golden):
    refused(TypeError, "positional", lambda: golden.whatif(8))


def test_numbers_of_numpy_are_numbers(golden):
    asked = golden.whatif(
        min_threads=np.arange(2, 5), cores=np.float32(2), load=np.float64(1.5), replications=np.int16(1)
    )
    assert [p.setting.min_threads for p in asked.sweep] == [2, 3, 4]
    assert json.dumps(asked.to_json())


def test_what_a_script_catches():
    for error in (UnreadableCapture, InsufficientEvidence, InvalidArgument, UnknownTable):
        assert issubclass(error, PoolscopeError)
    assert issubclass(InvalidArgument, ValueError) and issubclass(UnknownTable, KeyError)
    assert str(UnknownTable("no table 'x'")) == "no table 'x'", "not the key in quotes"


def test_every_public_function_is_tried_here():
    """A public method without a test in this file fails here."""
    text = Path(__file__).read_text()
    without_arguments = {
        "attribute",
        "verdict",
        "incidents",
        "findings",
        "coverage",
        "blame",
        "requests",
        "request_steps",
        "services",
        "calls",
        "activities",
    }
    asked = [*poolscope.Capture.__mro__[:-1], poolscope.Tables]
    for name, method in (pair for one in asked for pair in vars(one).items()):
        if callable(method) and not name.startswith("_") and name not in without_arguments:
            assert f".{name}(" in text or f'"{name}"' in text, name


@pytest.mark.parametrize("method", ["attribute", "by_method", "by_kind", "worst_items"])
@pytest.mark.parametrize(
    ("units", "error", "says"),
    [
        ("hours", InvalidArgument, "units 'hours': one of ns, us, ms, s, timedelta"),
        ("", InvalidArgument, "units '': one of ns"),
        (1e6, TypeError, "units: a str, not float"),
        (None, TypeError, "units: a str, not None"),
    ],
)
def test_units(method, units, error, says, golden):
    refused(error, says, lambda: getattr(golden, method)(units=units))


@pytest.mark.parametrize("method", ["attribute", "worst_items"])
@pytest.mark.parametrize(
    ("times", "error", "says"),
    [
        ("utc", InvalidArgument, "times 'utc': one of ns, timedelta, timestamp"),
        (True, TypeError, "times: a str, not bool"),
    ],
)
def test_times(method, times, error, says, golden):
    refused(error, says, lambda: getattr(golden, method)(times=times))


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"captures": None}, TypeError, "captures: one or several, not None"),
        ({"captures": [7]}, TypeError, "captures: a str or a path, not int"),
        ({"captures": b"traces"}, TypeError, "captures: a str or a path, not bytes"),
        ({"workers": 0}, InvalidArgument, "workers 0"),
        ({"workers": "2"}, TypeError, "workers"),
        ({"late_ms": NAN}, InvalidArgument, "late_ms"),
        ({"group_by": 7}, TypeError, "group_by: one or several, not int"),
        ({"group_by": [7]}, TypeError, "group_by"),
        ({"label_from_path": 7}, TypeError, "label_from_path"),
        ({"scheduler": 7}, TypeError, "scheduler"),
        ({"cache": ""}, InvalidArgument, "cache"),
    ],
)
def test_fleet(given, error, says, tmp_path):
    wanted = {"captures": str(GOLDEN / "healthy.zip"), "cache": tmp_path} | given
    refused(error, says, lambda: poolscope.fleet(wanted.pop("captures"), **wanted))


def test_a_key_of_a_fleet_is_one_key_and_not_its_letters(tmp_path):
    fleet = poolscope.fleet(GOLDEN / "healthy.zip", group_by="host.kernel", cache=tmp_path)
    assert fleet.failed().empty and len(fleet.groups("host.kernel")) == 1
