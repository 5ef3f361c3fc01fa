"""`import poolscope`: it returns what the verbs print, and the caller owns the result."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import poolscope
import pytest
from poolscope.__main__ import run
from poolscope.capture import load_schema
from poolscope.product import analyse, dumps
from synthetic import MS, CaptureBuilder

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "traces" / "golden"
PARTS = ["injection", "blocking", "core", "runtime"]
EXECUTION = ["exec_cpu", "exec_blocked", "exec_ready", "exec_runtime", "exec_unknown"]


@pytest.fixture(scope="module")
def golden():
    return poolscope.open(GOLDEN / "sync-over-async.zip")


def python(*arguments):
    environment = {"PYTHONPATH": str(ROOT / "analysis"), "PATH": ""}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=True)
    return done.stdout + done.stderr


def test_every_public_name_is_there_and_nothing_else_is_promised():
    assert sorted(poolscope.__all__) == poolscope.__all__
    assert all(getattr(poolscope, name) is not None for name in poolscope.__all__)
    assert set(poolscope.__all__) <= set(dir(poolscope))
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        poolscope.opne  # type: ignore[attr-defined]  # the mistake under test


def test_every_public_thing_is_documented():
    for name in poolscope.__all__:
        if name != "__version__":
            assert getattr(poolscope, name).__doc__, name
    for public in (poolscope.Capture, poolscope.Tables):
        for name in dir(public):
            method = getattr(public, name)
            if callable(method) and not name.startswith("_"):
                assert method.__doc__, f"{public.__name__}.{name}"


@pytest.mark.parametrize(
    ("own", "is_own"), [("poolscope-w*", True), (["Acme.*", "Poolscope-Workloads.dll"], True), ("Acme.*", False)]
)
def test_whose_code_is_own_can_be_named(own, is_own):
    content = poolscope.open(GOLDEN / "sync-over-async.zip", own=own).analysis()
    blamed = content["blame"][0]
    assert "workload" in blamed["method"].lower() and blamed["own"] is is_own


def test_importing_loads_nothing_heavy():
    loaded = python("-c", "import poolscope, sys; print(*sys.modules)").split()
    assert not {"numpy", "pandas", "plotly", "jinja2", "click", "rich", "typing"} & set(loaded)


def test_looking_at_tables_loads_nothing_that_makes_pages():
    script = f"import poolscope, sys; poolscope.open({str(GOLDEN / 'healthy.zip')!r}).tables['work_items']; "
    loaded = python("-c", script + "print(*sys.modules)").split()
    assert "pandas" in loaded and not {"plotly", "jinja2"} & set(loaded)


def test_the_answers_are_those_of_the_verbs(golden, capsys):
    assert run(["attribute", str(golden.path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert golden.analysis() == printed
    assert golden.verdict().id == printed["verdict"]["id"]
    assert [f.id for f in golden.findings()] == [f["id"] for f in printed["findings"]]
    assert golden.coverage().to_json() == printed["coverage"]
    assert golden.window == tuple(printed["capture"]["window_ns"])
    assert run(["attribute", str(golden.path), "--json", "--redact"]) == 0
    assert dumps(golden.analysis(redact=True)) == capsys.readouterr().out


def test_attribution_adds_up_and_agrees_with_the_analysis(golden):
    waits = golden.attribute()
    told = golden.analysis()
    assert len(waits) == told["items"]["count"] and waits.index.name == "id" and waits.index.is_unique
    assert (waits[PARTS].sum(axis=1) == waits["wait"]).all()
    assert (waits["holding"] + waits["dependency"] == waits["blocking"]).all()
    assert (waits[[*PARTS, *EXECUTION]] >= 0).all().all()
    for part in PARTS:
        assert waits[part].mean() / 1e6 == pytest.approx(told["attribution"]["wait_ms"][part], abs=1e-6)
        assert waits[part].dtype == np.int64
    assert (waits["wait"] == waits["dequeue"] - waits["enqueue"])[~waits["at_least"]].all()
    assert (waits[EXECUTION].sum(axis=1) == waits["end"] - waits["dequeue"]).all()
    assert (waits[PARTS].idxmax(axis=1) == waits["cause"].astype(str))[waits["wait"] > 0].all()


def test_without_a_kernel_stream_the_wait_is_known_and_its_parts_are_not(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS, kernel=False)
    builder.item(10 * MS, 30 * MS, 40 * MS, 200)
    builder.write()
    capture = poolscope.open(tmp_path)
    waits = capture.attribute()
    assert waits["wait"].tolist() == [20 * MS] and waits["cause"].tolist() == ["unknown"]
    assert waits[[*PARTS, *EXECUTION]].isna().all().all()
    assert waits[PARTS].sum(axis=1, skipna=False).isna().all(), "nobody takes what is not known for nothing"
    assert capture.kernel_tier == "none"
    with pytest.raises(
        poolscope.InsufficientEvidence, match="no kernel stream, so the capture does not show what held"
    ):
        capture.blame()
    with pytest.raises(poolscope.InsufficientEvidence, match="no kernel stream"):
        capture.whatif()


def test_a_capture_without_items_gives_an_empty_frame_with_all_columns(tmp_path, golden):
    CaptureBuilder(tmp_path, length=100 * MS).write()
    capture = poolscope.open(tmp_path)
    assert len(capture.attribute()) == 0
    assert list(capture.attribute().columns) == list(golden.attribute().columns)
    assert len(capture.worst_items()) == len(capture.by_method()) == len(capture.by_kind()) == 0
    assert list(capture.worst_items().columns) == list(golden.worst_items().columns)
    assert list(capture.by_kind().columns) == list(golden.by_kind().columns)
    assert capture.verdict().id == "no-work"


def test_items_that_never_started_are_lower_bounds(tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(10 * MS)
    builder.write()
    waits = poolscope.open(tmp_path).attribute()
    assert waits["at_least"].tolist() == [True] and waits["wait"].tolist() == [90 * MS]
    assert waits["dequeue"].tolist() == [-1]


def test_tables_are_those_of_the_schema_with_enums_by_name(golden):
    tables = golden.tables
    assert set(tables) <= set(load_schema().tables) - {"item_parts", "request_parts"}
    assert len(tables) == len(list(tables)) and "work_items" in tables and "nonsense" not in tables and 7 not in tables
    for name, frame in tables.items():
        schema = load_schema().tables[name]
        assert list(frame.columns) == [c.name for c in schema.columns]
        for column in schema.columns:
            if column.type in ("enum", "string"):
                assert isinstance(frame[column.name].dtype, pd.CategoricalDtype)
            if column.type == "enum":
                assert list(frame[column.name].cat.categories) == list(column.values)
    assert set(tables["work_items"]["kind"]) == {"other"}
    assert (tables["task_waits"]["behavior"] == "synchronous").any()
    assert tables.get("nonsense") is None


def test_columns_say_what_they_mean(golden):
    meant = golden.tables.columns("work_items")
    assert meant.loc["enqueue", "unit"] == "ns" and "ThreadPoolEnqueueWork" in meant.loc["enqueue", "meaning"]
    assert list(meant.index) == list(golden.tables["work_items"].columns)
    assert len(golden.tables.columns("throttles")), "also of a table that this capture does not have"


def test_flags_are_bits_with_names(golden, tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.item(10 * MS, 20 * MS, 30 * MS, 200, flags=["collided"])
    builder.item(11 * MS, 21 * MS, 31 * MS, 201)
    builder.write()
    assert poolscope.open(tmp_path).tables.flagged("work_items", "collided").tolist() == [True, False]
    assert not golden.tables.flagged("work_items", "inlined").any()


def test_what_is_returned_is_the_callers_own():
    golden = poolscope.open(GOLDEN / "sync-over-async.zip")
    before, waits = dumps(golden.analysis()), golden.attribute()
    golden.tables["work_items"]["enqueue"] = 0
    golden.tables["stacks"].loc[:, "parent"] = 0
    golden.attribute()["wait"] = 0
    golden.analysis()["verdict"]["text"] = "well"
    golden.findings()[0].evidence.clear()
    golden.manifest["target"]["name"] = "x"
    golden.worst_items()["story"].iloc[0].clear()
    golden.blame()["frames"][0].clear()
    assert dumps(golden.analysis()) == before
    pd.testing.assert_frame_equal(golden.attribute(), waits)
    assert dumps(analyse(golden._source).to_json()) == before, "nor are the tables under it changed"


def test_blame_is_that_of_the_analysis(golden):
    rows = golden.blame()
    told = golden.analysis()["blame"]
    assert rows["thread_s"].tolist() == [row["thread_s"] for row in told]
    assert rows["share"].sum() == pytest.approx(1, abs=1e-5)
    assert rows["frames"][0] == told[0]["stacks"][0]["frames"] and rows["frames"].iloc[-1] == []


def test_stacks_by_id(golden):
    waits = golden.tables["waits"]
    chosen = int(waits["stack"][waits["stack"] >= 0].iloc[0])
    assert "System.Threading" in golden.stack(chosen)[0]
    assert golden.stack(-1) == []


def test_stories_are_the_analysis_rows_in_sentences(golden):
    stories = golden.worst_items(3)
    told = golden.analysis()["worst_items"][:3]
    assert stories.index.tolist() == [item["item"] for item in told] and stories.index.name == "id"
    for column in ("kind", "method", "cause", "worker_tid", "queued_before_it", "overtaken_by", "at_least"):
        assert stories[column].tolist() == [item[column] for item in told], column
    assert (stories["wait"] / 1e6).tolist() == [item["wait_ms"] for item in told]
    for part in PARTS:
        assert (stories[part] / 1e6).tolist() == [item["parts_ms"][part] for item in told]
    assert "enqueued it" in stories["story"].iloc[0][0][1]
    assert len(golden.worst_items(10_000)) == len(golden.attribute())


def test_whatif_is_that_of_the_verb(golden, capsys):
    assert run(["whatif", str(golden.path), "--min-threads", "2..4", "--load", "2", "--seed", "5", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    done: list = []
    asked = golden.whatif(min_threads=range(2, 5), load=2, seed=np.int64(5), progress=done.append)
    assert json.loads(json.dumps(asked.to_json())) == printed
    assert "min 4, 2 times the load" in done
    frame = asked.to_frame()
    assert frame["label"].tolist() == [row["label"] for row in printed["rows"]]
    assert frame["wait_ms.p99"].tolist() == [row["wait_ms"]["p99"] for row in printed["rows"]]


def test_check_is_that_of_the_verb(golden, capsys):
    conditions = ["high", "wait.p99>1s", "wait.p99>1min"]
    run(["check", str(golden.path), *(f"--fail-on={c}" for c in conditions), "--json"])
    printed = json.loads(capsys.readouterr().out)
    outcomes = golden.check(*conditions)
    assert [o.to_json() for o in outcomes] == printed["conditions"]
    assert {o.status for o in golden.check()} == {"failed"}


def test_report_is_that_of_the_verb(golden, tmp_path):
    assert run(["report", str(golden.path), "-o", str(tmp_path / "verb.html")]) == 0
    assert golden.report(tmp_path / "library.html") == (tmp_path / "verb.html").read_text()
    assert (tmp_path / "library.html").read_bytes() == (tmp_path / "verb.html").read_bytes()
    redacted = golden.report(redact=True)
    assert "Experiments.Ticket" in golden.report() and "Experiments.Ticket" not in redacted


def test_the_capture_is_left_as_it_was(tmp_path):
    with zipfile.ZipFile(GOLDEN / "healthy.zip") as archive:
        archive.extractall(tmp_path / "c")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "c").rglob("*")}
    capture = poolscope.open(str(tmp_path / "c"))
    capture.report()
    capture.whatif(load=2, replications=1)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "c").rglob("*")} == before


def test_a_thousand_captures_leave_no_file_open():
    held = lambda: len(list(Path("/proc/self/fd").iterdir()))  # noqa: E731
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc")
    before = held()
    kept = [poolscope.open(GOLDEN / "healthy.zip") for _ in range(50)]
    assert all(len(c.tables["work_items"]) for c in kept)
    assert held() <= before + 1
