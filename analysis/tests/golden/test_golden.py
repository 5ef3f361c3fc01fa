"""Golden captures: findings that the analysis must report, and raw streams that must decode to their tables."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from poolscope.capture import load_schema, open_capture
from poolscope.findings.rules import RULES
from poolscope.measures.truth import verify
from poolscope.product import analyse

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "traces" / "golden"
COLLECT = ROOT / "artifacts" / "bin" / "Poolscope.Collect" / "release" / "poolscope-collect"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def within(value, bounds):
    return bounds[0] <= value <= bounds[1]


def test_there_are_golden_captures_and_all_are_small():
    assert len(NAMES) >= 3
    assert all((GOLDEN / f"{name}.zip").stat().st_size < 600_000 for name in NAMES)


def test_every_rule_names_a_golden_capture_that_is_there():
    assert {rule.golden for rule in RULES if rule.golden} <= set(NAMES)


def test_the_findings_are_the_expected_ones(name):
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    analysis = analyse(open_capture(GOLDEN / f"{name}.zip"))
    content = analysis.to_json()
    split = content["attribution"]
    assert content["verdict"]["id"] == expected["verdict"]
    assert [f["id"] for f in content["findings"] if f["id"] != "coverage-low"] == expected["findings"]
    assert content["items"]["count"] == content["coverage"]["joined"] == expected["items"]
    assert split["residual_ns"] == 0
    for part, bounds in expected.get("wait_share", {}).items():
        assert within(split["wait_share"][part], bounds), part
    if "behind_blocked_share" in expected:
        share = split["injection_ms"]["behind_blocked"] / split["wait_ms"]["injection"]
        assert within(share, expected["behind_blocked_share"])
    if "async_removes_share" in expected:
        assert within(split["removable_ms"]["async"] / split["delay_ms"], expected["async_removes_share"])


def test_starts_agree_with_the_workload(name):
    expected = json.loads((GOLDEN / f"{name}.json").read_text())
    figures = verify(open_capture(GOLDEN / f"{name}.zip"))
    assert figures.items == figures.joined == expected["truth_items"]
    assert figures.start_latency_error_us["median"] <= 200
    assert figures.start_latency_error_us["p99"] <= 5000
    if name == "healthy":
        assert figures.end_error_us["median"] is None, "every item awaits"
    else:
        assert figures.end_error_us["median"] <= 200
        assert figures.end_error_us["p99"] <= 5000
    assert figures.residual_ns == 0


def test_decoding_the_raw_streams_gives_the_same_tables(name, tmp_path):
    """The archive's tables were made when it was recorded, so a change of the decoder shows here."""
    with zipfile.ZipFile(GOLDEN / f"{name}.zip") as archive:
        archive.extractall(tmp_path, [f for f in archive.namelist() if not f.startswith("tables/")])
    result = subprocess.run([str(COLLECT), "decode", str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    before, after = open_capture(GOLDEN / f"{name}.zip"), open_capture(tmp_path)
    for table in (schema.name for schema in load_schema().tables.values()):
        assert before.has(table) == after.has(table), table
        if before.has(table):
            pd.testing.assert_frame_equal(before.table(table), after.table(table), obj=table)


def test_a_stream_that_broke_off_after_the_recording_is_analysed(name, tmp_path):
    """For example a broken copy or a full disk: capture.json still describes the whole stream."""
    with zipfile.ZipFile(GOLDEN / f"{name}.zip") as archive:
        archive.extractall(tmp_path, [f for f in archive.namelist() if not f.startswith("tables/")])
    stream = tmp_path / "runtime.nettrace"
    os.truncate(stream, stream.stat().st_size * 9 // 10)
    subprocess.run([str(COLLECT), "decode", str(tmp_path)], check=True, capture_output=True, timeout=60)
    capture = open_capture(tmp_path)
    whole = open_capture(GOLDEN / f"{name}.zip")
    assert 0 < len(capture.table("work_items")) <= len(whole.table("work_items"))
    assert capture.table("losses")["stream"].astype(str).eq("runtime.nettrace").any()
