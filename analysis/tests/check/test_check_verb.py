"""`poolscope check` as a script sees it: exit codes, JSON and JUnit XML."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from poolscope.__main__ import run
from poolscope.check import FAILED, Outcome, junit_xml, parse
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).parents[3] / "traces" / "golden"
HOSTILE = "a\x00b</failure>\ud800<!--"


@pytest.fixture
def capture(tmp_path):
    """Builds one item that waited for 3 s for no visible reason."""
    folder = tmp_path / "captured"
    builder = CaptureBuilder(folder, length=5000 * MS)
    builder.item(0, 3000 * MS, 4000 * MS, 200, [("running", 1000 * MS)])
    builder.write()
    return folder


def check(capture, *conditions):
    return run(["check", str(capture), *(f"--fail-on={c}" for c in conditions)])


def test_exit_codes(capture, tmp_path):
    assert check(capture, "wait.mean>10s") == 0
    assert check(capture, "wait.mean>1s") == 1
    assert check(capture, "wait.mean>1parsec") == 2
    assert check(tmp_path / "nowhere", "high") == 3
    # The capture has no timers, and a finding is not checked without its tables.
    assert check(capture, "finding:late-timers") == 4


def test_one_that_holds_outweighs_one_that_nobody_can_judge(capture):
    assert check(capture, "finding:late-timers", "wait.mean>1s", "wait.mean>10s") == 1


def test_without_conditions_a_cause_of_high_severity_fails(tmp_path, capsys):
    folder = tmp_path / "injection-delay.zip"
    shutil.copy(GOLDEN / folder.name, folder)
    assert run(["check", str(folder)]) == 1
    assert "FAIL  high" in capsys.readouterr().out


def test_where_the_verdict_is_cannot_tell_the_default_is_not_passed(capture, capsys):
    assert run(["check", str(capture)]) == 4
    assert "????  high" in capsys.readouterr().out


def test_json(capture, capsys):
    assert run(["check", str(capture), "--fail-on", "wait.p99>100ms", "--fail-on", "wait.p99>1min", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["exit_code"] == 1 and said["verdict"]["id"]
    assert [c["status"] for c in said["conditions"]] == ["failed", "passed"]
    first = said["conditions"][0]
    assert (first["key"], first["value"], first["limit"], first["unit"]) == ("items.wait_ms.p99", 3000.0, 100.0, "ms")


ATTRIBUTES: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set()),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"name", "tests", "failures", "errors"}),
    "testcase": ({"name", "classname", "time"}, {"name"}),
    "failure": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
}
"""From the schema of Jenkins's xUnit plugin (junit-10.xsd): the attributes that each element may have, and must
have."""
CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "skipped"}}


def test_junit_xml_is_what_ci_systems_read(capture, tmp_path):
    page = tmp_path / "check.xml"
    conditions = [f"--fail-on={c}" for c in ("wait.p99>100ms", "wait.p99>1min", "finding:late-timers")]
    assert run(["check", str(capture), *conditions, "-o", str(page)]) == 1
    root = ElementTree.parse(page).getroot()
    assert root.tag == "testsuites"
    for element in root.iter():
        allowed, needed = ATTRIBUTES[element.tag]
        assert needed <= set(element.attrib) <= allowed
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [["failure"], [], ["skipped"]]
    assert suite[0].get("name") == "wait.p99>100ms" and "items.wait_ms.p99 is 3 s" in suite[0][0].get("message")


def test_names_that_are_no_xml_become_text():
    condition = parse("high")
    root = ElementTree.fromstring(
        junit_xml(HOSTILE, [Outcome(condition, FAILED, None, HOSTILE)], HOSTILE).encode("utf-8")
    )
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert root[0].get("name") == shown and root[0][0][0].text == shown


def test_an_output_that_cannot_be_written(capture, tmp_path, capsys):
    assert run(["check", str(capture), "-o", str(tmp_path / "no" / "x.xml")]) == 2
    assert "cannot write" in capsys.readouterr().err
