"""`poolscope whatif`: every option, and one clear line with its exit code for each mistake."""

import json

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import PoolscopeError
from poolscope.cli.options import parse_duration
from poolscope.cli.whatif import parse_threads
from synthetic import MS, CaptureBuilder, sleepers


@pytest.fixture
def capture(tmp_path):
    """Builds twenty items of 500 ms on two threads, to which the pool adds two more."""
    changes = ((2000 * MS, 3), (3500 * MS, 4))
    threads = lambda t: 2 + sum(at <= t for at, _ in changes)  # noqa: E731
    folder = tmp_path / "captured"
    sleepers(folder, count=20, gap=10 * MS, sleep=500 * MS, threads=threads, limits=(2, 32767), changes=changes).write()
    return folder


def rows(capsys, *arguments):
    assert run(["whatif", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def fails(capsys, arguments, code):
    assert run(["whatif", *map(str, arguments)]) == code
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and captured.err.startswith("poolscope: "), captured.err
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--min-threads", "20", "--max-threads", "10"], "min threads 20 above max threads 10"),
        (["--min-threads", "20..10"], "20 is above 10"),
        (["--min-threads", "many"], "a range A..B, a number, or a list"),
        (["--min-threads", "1.."], "a range A..B, a number, or a list"),
        (["--min-threads", "0"], "from 1 to 32767"),
        (["--max-threads", "0"], "from 1 to 32767"),
        (["--cores", "0"], "cores 0: a number above 0"),
        (["--cores", "-2"], "cores -2: a number above 0"),
        (["--policy", "fifo"], "unknown policy 'fifo'"),
        (["--load", "0"], "load 0"),
        (["--async", "--dedicated"], "contradict"),
        (["--load", "2", "--target-p99", "100ms"], "needs several min threads"),
        (["--min-threads", "2..9", "--unrecorded", "--target-p99", "100ms"], "leave out --unrecorded"),
        (["--target-p99", "0ms"], "above 0"),
        (["--target-p99", "100"], "with its unit"),
        (["--replications", "0"], "--replications"),
        (["--cores", "two"], "--cores"),
    ],
)
def test_bad_settings(options, says, capture, capsys):
    assert says in fails(capsys, [capture, *options], 2)


def test_a_capture_without_a_kernel_stream_has_no_demands(tmp_path, capsys):
    builder = CaptureBuilder(tmp_path / "c", length=1000 * MS, kernel=False)
    builder.item(MS, 2 * MS, 5 * MS, 200)
    builder.write()
    assert "no kernel stream" in fails(capsys, [tmp_path / "c"], 4)


def test_a_capture_without_items_has_nothing_to_simulate(tmp_path, capsys):
    CaptureBuilder(tmp_path / "c", length=1000 * MS).write()
    assert "no work items" in fails(capsys, [tmp_path / "c", "--async"], 4)


def test_no_such_capture(tmp_path, capsys):
    assert "no such file or folder" in fails(capsys, [tmp_path / "nowhere"], 3)


def test_the_default_set(capture, capsys):
    answer = rows(capsys, capture)
    groups = {row["group"] for row in answer["rows"]}
    assert groups == {"present", "min-threads", "fix", "load"}
    labels = [row["label"] for row in answer["rows"]]
    assert {"as captured", "async", "dedicated threads", "4 cores", "1 core", "1.5 times the load"} <= set(labels)
    assert answer["knee"] in [r["setting"]["min_threads"] for r in answer["rows"] if r["group"] == "min-threads"]
    assert answer["captured"] == {"policy": "net", "min_threads": 2, "max_threads": 32767, "cores": 2.0, "peak_busy": 4}


def test_with_a_thread_for_every_item_none_waits(capture, capsys):
    answer = rows(capsys, capture, "--min-threads", "2..20")
    swept = [r for r in answer["rows"] if r["group"] == "min-threads"]
    assert [r["setting"]["min_threads"] for r in swept][:1] == [2]
    assert swept[-1]["setting"]["min_threads"] == 20
    assert swept[-1]["wait_ms"]["max"] < 20 < swept[0]["wait_ms"]["mean"]
    assert swept[-1]["lower_bound"] and swept[-1]["peak_threads"] >= 20
    assert swept[-1]["completion_ms"]["mean"] == pytest.approx(500, rel=0.05)


@pytest.mark.parametrize(
    ("options", "label"),
    [
        (["--async"], "async"),
        (["--policy", "async"], "async"),
        (["--dedicated"], "dedicated threads"),
        (["--policy", "dedicated"], "dedicated threads"),
        (["--policy", "fixed", "--min-threads", "20"], "min 20, fixed"),
        (["--policy", "rotor", "--max-threads", "30"], "rotor, max 30"),
        (["--cores", "0.5", "--load", "0.5"], "0.5 cores, 0.5 times the load"),
    ],
)
def test_what_was_asked_for(options, label, capture, capsys):
    answer = rows(capsys, capture, *options, "--replications", "1")
    assert [r["label"] for r in answer["rows"]] == ["as captured", label]


def test_the_fewest_threads_that_meet_a_target(capture, capsys):
    answer = rows(capsys, capture, "--target-p99", "100ms")
    swept = {r["setting"]["min_threads"]: r for r in answer["rows"] if r["group"] == "min-threads"}
    helps = next(a for a in answer["advice"] if a["id"] == "min-threads-would-help")
    assert swept[helps["min_threads"]]["wait_ms"]["p99"] <= 100
    fewer = max(n for n in swept if n < helps["min_threads"])
    assert swept[fewer]["wait_ms"]["p99"] > 100
    assert "the p99 wait then meets the target of 100 ms" in helps["text"]


def test_the_same_seed_gives_the_same_bytes(capture, capsys, tmp_path):
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        assert run(["whatif", str(capture), "--load", "1.5", "--seed", "7", "-o", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    capsys.readouterr()
    other = rows(capsys, capture, "--load", "1.5", "--seed", "8")
    assert other["rows"] != json.loads(files[0].read_text())["rows"]


def test_the_table_says_calibration_rows_and_bounds(capture, capsys):
    assert run(["whatif", str(capture)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    for text in ("Calibration", "as captured", "(knee)", "≥", "a lower bound", "MiB"):
        assert text in captured.out
    assert "…" not in captured.out, "nothing is cut off"


def test_help_ends_with_examples(capsys):
    assert run(["whatif", "--help"]) == 0
    text = capsys.readouterr().out
    assert text.index("Examples:") > text.index("--json")
    assert "--target-p99 100ms" in text


@pytest.mark.parametrize(
    ("text", "threads"), [("8", [8]), ("2..5", [2, 3, 4, 5]), ("64,16,16", [16, 64]), (None, None)]
)
def test_threads_as_text(text, threads):
    assert parse_threads(text) == threads


def test_a_wide_range_is_spaced_by_ratio():
    points = parse_threads("1..1000")
    assert (points[0], points[-1]) == (1, 1000) and len(points) <= 12


@pytest.mark.parametrize(("text", "ms"), [("100ms", 100), ("1.5s", 1500), ("2 min", 120_000), ("250us", 0.25)])
def test_durations_as_text(text, ms):
    assert parse_duration("--target-p99", text) == pytest.approx(ms)


@pytest.mark.parametrize("text", ["100", "ms", "-1s", "0s", ""])
def test_what_is_no_duration(text):
    with pytest.raises(PoolscopeError):
        parse_duration("--target-p99", text)
