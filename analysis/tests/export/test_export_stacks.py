"""`export --to speedscope` and `--to folded`: the files follow the readers' rules and sum to the tables and the
report."""

import json
import os
import re
from pathlib import Path
from typing import Any

import export_readers
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st
from poolscope.base.errors import InsufficientEvidence
from poolscope.capture import open_capture
from poolscope.cli.command import poolscope
from poolscope.export import FORMATS, Source, export
from poolscope.export.stacks import TITLES, VIEWS, StackFrame, WeightedStacks, plain, weighted_stacks, whole
from poolscope.product import analyse
from queued_captures import HOSTILE, Queued
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))
LINE = re.compile(r"^(?P<stack>.*) (?P<count>\d+)$")
SECOND_COUNT = re.compile(r"\s\d+(\.\d*)?$")


@pytest.fixture(scope="module", params=NAMES)
def golden(request):
    """Returns a golden capture and the totals from its tables: ns of each view, or its samples."""
    capture = open_capture(GOLDEN / f"{request.param}.zip")
    analysis = analyse(capture)
    parts = analysis.item_parts()
    start, stop = capture.window
    samples = capture.table("cpu_samples")
    inside = samples["time"].between(start, stop, inclusive="left")
    return Source(capture), {
        "blame": round(analysis.blame.total_s * 1e9),
        "blocked": int(parts["exec_blocked"].sum()),
        "cpu": int((inside & (samples["pid"] == capture.manifest["target"]["pid"])).sum()),
        "ready": int(parts["exec_ready"].sum()),
    }


def folded(source, folder, view):
    """Reads the file line by line like flamegraph.pl."""
    said = export(source, FORMATS["folded"], folder / "x.folded", view)
    lines = {}
    for line in (folder / "x.folded").read_text("utf-8").split("\n")[:-1]:
        match = LINE.match(line)
        assert match and int(match["count"]) > 0, line
        assert not SECOND_COUNT.search(match["stack"]), "else it is a profile of two columns"
        assert all(frame.strip() for frame in match["stack"].split(";"))
        assert match["stack"] not in lines
        lines[match["stack"]] = int(match["count"])
    return said, lines


def speedscope(source, folder, view="blame"):
    said = export(source, FORMATS["speedscope"], folder / "x.speedscope.json", view)
    return said, json.loads((folder / "x.speedscope.json").read_text("utf-8"))


def schema():
    if "npm package speedscope" in export_readers.missing():
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say("no speedscope; ./build.sh setup gets it")
    return json.loads(export_readers.SCHEMA.read_text("utf-8"))


@pytest.mark.parametrize("view", VIEWS)
def test_folded_counts_are_those_of_the_tables(golden, view, tmp_path):
    source, expected = golden
    said, lines = folded(source, tmp_path, view)
    unit = 1 if view == "cpu" else 1000
    assert sum(lines.values()) == round(expected[view] / unit), "whole numbers that add up to the rounded total"
    assert said.counts == {
        "stacks": len(lines),
        "samples" if view == "cpu" else "microseconds": sum(lines.values()),
    }


def test_there_is_something_in_each_view_of_some_golden_capture(tmp_path):
    found = {
        view
        for name in NAMES
        for view in VIEWS
        if folded(Source(open_capture(GOLDEN / f"{name}.zip")), tmp_path, view)[1]
    }
    assert found == set(VIEWS)


def test_speedscope_profiles_are_the_views_and_weigh_what_the_tables_say(golden, tmp_path):
    source, expected = golden
    said, content = speedscope(source, tmp_path)
    shown = [view for view in VIEWS if expected[view] > 0]
    assert [p["name"] for p in content["profiles"]] == [TITLES[view] for view in shown]
    frames = content["shared"]["frames"]
    assert len({(f["name"], f.get("file")) for f in frames}) == len(frames), "each frame once"
    used: set = set()
    for view, profile in zip(shown, content["profiles"], strict=True):
        assert profile["unit"] == ("none" if view == "cpu" else "nanoseconds")
        # The flame graphs of the report add up seconds, which are exact to a nanosecond below 100 days.
        assert abs(sum(profile["weights"]) - expected[view]) <= 1
        assert profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"])
        assert len(profile["samples"]) == len(profile["weights"]) and min(profile["weights"]) > 0
        assert all(stack for stack in profile["samples"])
        used.update(*profile["samples"])
    assert used == set(range(len(frames))), "indexes of frames, of all of them"
    stacks = sum(len(p["samples"]) for p in content["profiles"])
    assert said.counts == {"profiles": len(shown), "stacks": stacks, "frames": len(frames)}
    missing = [note for note in said.notes if note.startswith("No profile")]
    assert len(missing) == len(VIEWS) - len(shown), "what is not there is told"


def test_speedscope_s_own_schema_holds(golden, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    _, content = speedscope(golden[0], tmp_path)
    validator = jsonschema.Draft7Validator(schema())
    assert not list(validator.iter_errors(content))
    for break_it in (
        lambda c: c.pop("$schema"),
        lambda c: c["profiles"][0].pop("weights"),
        lambda c: c["profiles"][0].update(unit="parsecs"),
        lambda c: c["shared"]["frames"][0].pop("name"),
    ):
        broken = json.loads(json.dumps(content))
        break_it(broken)
        assert list(validator.iter_errors(broken)), "the schema sees it"


def test_the_view_is_shown_first(tmp_path):
    source = Source(open_capture(GOLDEN / "core-contention.zip"))
    for view in VIEWS:
        _, content = speedscope(source, tmp_path, view)
        assert content["profiles"][content["activeProfileIndex"]]["name"] == TITLES[view]


def test_the_stacks_are_those_of_the_report(tmp_path):
    capture = open_capture(GOLDEN / "core-contention.zip")
    flame = analyse(capture).to_json()["ready_flame"]
    _, lines = folded(Source(capture), tmp_path, "ready")
    frames = {i: f["method"] or f"[{f['module']}]" for i, f in enumerate(flame["frames"])}
    paths: list = []
    expected: dict = {}
    nodes = flame["nodes"]
    for parent, frame, own in zip(nodes["parent"], nodes["frame"], nodes["self"], strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), frames[frame]))
        if own > 0:
            expected[";".join(paths[-1])] = own
    assert expected and set(lines) == set(expected)
    for stack, ms in expected.items():
        assert abs(lines[stack] / 1000 - ms) <= 0.0015


def test_blocked_counts_while_nothing_waited_and_blame_does_not(tmp_path):
    capture = Queued(tmp_path / "capture", ["App.A", "App.B"]).write()
    source = Source(capture)
    blocked, blame = weighted_stacks(source, "blocked"), weighted_stacks(source, "blame")
    assert blocked.total == 2 * MS and blame.total == 0, "each item is alone"
    assert {stack[-2].name for stack in blocked.stacks} == {"App.A", "App.B"}
    assert {stack[-1].name for stack in blocked.stacks} == {"[wait: not known]"}


def test_samples_without_a_stack_are_counted(tmp_path):
    queued = Queued(tmp_path / "capture", ["App.A"])
    queued.builder.rows["cpu_samples"].append({"time": 2 * MS, "cpu": 0, "pid": 100, "tid": 200, "stack": -1})
    _, lines = folded(Source(queued.write()), tmp_path, "cpu")
    assert lines == {"App.A": 1, "[no stack]": 1}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_name_is_one_frame(kind, tmp_path):
    source = Source(Queued(tmp_path / "capture", [HOSTILE[kind], "App.Work"], module=HOSTILE[kind]).write())
    for view, below in (("cpu", []), ("blocked", ["[wait: not known]"])):
        _, lines = folded(source, tmp_path, view)
        mine = [stack.split(";") for stack in lines if not stack.startswith("App.Work")]
        assert len(lines) == 2 and len(mine) == 1 and mine[0][1:] == below
        assert mine[0][0].isprintable() and not mine[0][0].startswith("#")
    _, content = speedscope(source, tmp_path)
    assert all(f["name"].isprintable() and f["name"].strip() for f in content["shared"]["frames"])
    assert len(content["shared"]["frames"]) == 3, "two methods and how they wait"


def test_names_keep_what_can_be_seen():
    assert plain("App+<Größe>d__1`2[字].MoveNext()") == "App+<Größe>d__1`2[字].MoveNext()"
    assert plain("a\x00\u202e\ud800\uffff") == "a\\u0000\\u202e\\ud800\\uffff"
    assert plain("") == "[no name]" and plain(" ") == "\\u0020"


@given(st.lists(st.floats(0, 1e15), max_size=50))
def test_whole_numbers_add_up(weights):
    counts = whole(weights)
    assert sum(counts) == round(float(np.cumsum(weights)[-1])) if weights else counts == []
    assert all(abs(count - weight) <= 1 + 1e-15 * sum(weights) for count, weight in zip(counts, weights, strict=True))
    assert all(count >= 0 for count in counts)


def without_kernel(folder):
    builder = CaptureBuilder(folder, length=100 * MS, kernel=False)
    builder.item(1 * MS, 11 * MS, 20 * MS, 200).write()
    for table in ("stacks", "frames", "cpu_samples"):
        (folder / "tables" / f"{table}.npz").unlink()
    return folder


@pytest.mark.parametrize("view", VIEWS)
def test_what_cannot_be_told_is_no_file(view, tmp_path):
    capture = without_kernel(tmp_path / "capture")
    with pytest.raises(InsufficientEvidence, match="it takes"):
        export(Source(open_capture(capture)), FORMATS["folded"], tmp_path / "x.folded", view)
    output = tmp_path / "y.folded"
    said = CliRunner().invoke(poolscope, ["export", str(capture), "--to", "folded", "--view", view, "-o", str(output)])
    assert isinstance(said.exception, InsufficientEvidence) and not output.exists()


def test_speedscope_says_what_it_would_take(tmp_path):
    source = Source(open_capture(without_kernel(tmp_path / "capture")))
    with pytest.raises(InsufficientEvidence, match="a kernel stream and stacks"):
        export(source, FORMATS["speedscope"], tmp_path / "x.json", "blame")


def test_no_such_time_is_an_empty_file_that_says_so(tmp_path):
    source = Source(Queued(tmp_path / "capture", ["App.A"]).write())
    said, lines = folded(source, tmp_path, "blame")
    assert lines == {} and any("empty" in note for note in said.notes)


def test_an_estimate_is_told():
    def notes(measured):
        return WeightedStacks("blame", "nanoseconds", [(StackFrame("App.A", None),)], [100], measured).notes

    assert notes(None) == notes(100) == []
    assert "12 % is estimated" in notes(88)[0] and "Blocked while items waited" in notes(88)[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_total_is_the_report_s(name, tmp_path):
    capture = open_capture(GOLDEN / f"{name}.zip")
    content = analyse(capture).to_json()
    for view, flame in (("blame", "blocked_flame"), ("ready", "ready_flame")):
        _, lines = folded(Source(capture), tmp_path, view)
        assert abs(sum(lines.values()) / 1000 - content[flame]["total"]) < 0.002
