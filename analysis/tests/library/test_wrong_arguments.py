"""Every public function, called with wrong arguments: one clear line, in an exception that a script can catch."""

import math
from pathlib import Path

import poolscope
import pytest
from poolscope import InsufficientEvidence, InvalidArgument, PoolscopeError, UnknownTable, UnreadableCapture
from library.refused import GOLDEN, refused

NAN, INF = math.nan, math.inf


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


def test_what_a_script_catches():
    for error in (UnreadableCapture, InsufficientEvidence, InvalidArgument, UnknownTable):
        assert issubclass(error, PoolscopeError)
    assert issubclass(InvalidArgument, ValueError) and issubclass(UnknownTable, KeyError)
    assert str(UnknownTable("no table 'x'")) == "no table 'x'", "not the key in quotes"


def test_every_public_function_is_tried():
    """A public method without a test in these files fails here."""
    text = "".join(file.read_text() for file in Path(__file__).parent.glob("test_wrong_*.py"))
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
