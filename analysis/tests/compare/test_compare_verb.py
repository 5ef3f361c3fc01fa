"""`poolscope compare` from the command line to text, JSON and page."""

import html
import json
import re

import pytest
from poolscope.__main__ import run
from poolscope.compare.page import render
from poolscope.compare.quantity import QUANTITIES
from synthetic import MS, CaptureBuilder

FASTER, SLOWER = (480, 500, 520), (980, 1000, 1020)


def capture(folder, gap, **options):
    """Builds twenty items queued at once on one thread, each computing for `gap` ms: item i waits for i times that."""
    builder = CaptureBuilder(folder, length=(gap * 21 + 500) * MS, **options)
    for i in range(20):
        start = (10 + gap * i) * MS
        builder.item(10 * MS, start, start + gap * MS, 200, [("running", gap * MS)])
    builder.write()
    return folder


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """Builds three captures a side; B's items take about twice as long."""
    folder = tmp_path_factory.mktemp("sides")
    return [
        [capture(folder / f"{name}-{i}", gap // 10) for i, gap in enumerate(gaps)]
        for name, gaps in (("before", FASTER), ("after", SLOWER))
    ]


def compare(*words):
    return run(["compare", *map(str, words)])


def test_text(sides, capsys):
    assert compare(*sides[0], "--", *sides[1]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Items wait longer: mean wait +100 %")
    assert re.search(r"^  mean wait +\d.* ms .*\+100 % .* longer", out, re.MULTILINE)
    assert "wait, enqueue to start" in out and "execution" in out


def test_json(sides, capsys):
    assert compare("--json", *sides[0], "--", *sides[1]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["key"]: row for row in found["rows"]}
    assert list(rows) == [q.key for q in QUANTITIES]
    assert found["method"] == "runs" and [len(found[side]) for side in "ab"] == [3, 3]
    mean = rows["wait.mean"]
    # (0 + 1 + ... + 19)/20 of the service time, and geometric means of 48, 50 and 52 ms.
    assert mean["a_ms"] == pytest.approx(9.5 * (48 * 50 * 52) ** (1 / 3), rel=1e-6)
    assert mean["b_ms"] == pytest.approx(9.5 * (98 * 100 * 102) ** (1 / 3), rel=1e-6)
    estimate, low, high = mean["change_share"]
    assert low < estimate < high and mean["verdict"] == "longer"
    assert rows["execution.cpu"]["change_ms"][0] == pytest.approx(50.0)
    parts = sum(rows[f"{part}.mean"]["change_ms"][0] for part in ("injection", "blocking", "core", "runtime"))
    wait = [sum(run["values_ms"]["wait.mean"] for run in found[side]) / 3 for side in "ab"]
    assert parts == pytest.approx(wait[1] - wait[0], abs=1e-4)


def test_options_may_stand_behind_the_captures(sides, capsys, tmp_path):
    page = tmp_path / "x.html"
    assert compare(sides[0][0], "--", sides[1][0], "--json", "-o", page) == 0
    assert json.loads(capsys.readouterr().out)["rows"] and page.exists()


def test_single_runs(sides, capsys):
    assert compare(sides[0][0], "--", sides[1][0]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Single runs: ") and "three captures of each side" in out


def test_the_same_input_gives_the_same_bytes(sides, capsys, tmp_path):
    pages = []
    for name in ("one.html", "two.html"):
        assert compare(sides[0][0], "--", sides[1][0], "-o", tmp_path / name) == 0
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    "words", [[], ["a"], ["a", "--"], ["--", "b"], ["--"]], ids=["nothing", "no mark", "no B", "no A", "mark alone"]
)
def test_both_sides_are_needed(words, capsys):
    assert compare(*words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "A... -- B..." in error


def test_a_capture_counts_once(sides, capsys):
    assert compare(sides[0][0], "--", sides[0][0]) == 2
    assert "given twice" in capsys.readouterr().err


def test_a_capture_that_is_not_there_is_said_before_any_is_analysed(sides, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("poolscope.cli.compare.compare_captures", None)
    assert compare(sides[0][0], "--", tmp_path / "nowhere") == 3
    assert "no such file or folder" in capsys.readouterr().err


def test_lost_events_leave_all_of_it_open(sides, capsys, tmp_path):
    lossy = capture(tmp_path / "lossy", 100, lost=5_000)
    assert compare("--json", sides[0][0], "--", lossy) == 4
    said = capsys.readouterr()
    assert {row["verdict"] for row in json.loads(said.out)["rows"]} == {"cannot tell"}
    assert said.err.count("\n") == 1 and "lossy" in said.err and "lost" in said.err


def test_without_a_kernel_stream_the_waits_are_compared_and_the_parts_are_not(sides, capsys, tmp_path):
    plain = capture(tmp_path / "plain", 100, kernel=False)
    assert compare("--json", *sides[0], "--", *sides[1][:2], plain) == 4
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["wait.mean"]["verdict"] == rows["execution.mean"]["verdict"] == "longer"
    assert rows["core.mean"]["verdict"] == rows["execution.cpu"]["verdict"] == "cannot tell"


def test_a_capture_without_items_says_so(sides, capsys, tmp_path):
    empty = CaptureBuilder(tmp_path / "empty", length=1000 * MS)
    empty.write()
    assert compare("--json", sides[0][0], "--", tmp_path / "empty") == 4
    assert {row["reason"] for row in json.loads(capsys.readouterr().out)["rows"]} == {"empty: no work item was seen"}


def test_help_has_examples_and_exit_codes(capsys):
    assert compare("--help") == 0
    out = capsys.readouterr().out
    assert "A... -- B..." in out and "Examples:" in out and "Exit codes:" in out


@pytest.fixture(scope="module")
def content(sides):
    from poolscope.compare import compare as compare_captures

    return compare_captures(*sides).to_json()


def test_the_page_says_every_row_without_its_charts(content):
    page = render(content)
    body = page[: page.index('<script type="application/json"')]
    for row in content["rows"]:
        assert f'<th scope="row">{row["words"]}</th>' in body
    assert body.count("<noscript>") == 3
    for side in ("a", "b"):
        assert all(run["name"] in body for run in content[side])


def test_the_page_loads_nothing_and_carries_its_json(content):
    page = render(content)
    policy = html.unescape(re.search('Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in policy and "unsafe-inline" not in re.search("script-src[^;]*", policy)[0]
    carried = re.search(r'id="data-comparison">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(carried) == json.loads(json.dumps(content))


def test_both_sides_have_the_same_axes(content):
    figures = json.loads(re.search(r'id="data-figures">(.*?)</script>', render(content), re.DOTALL)[1])
    for name in ("parts", "distribution"):
        layout = figures[name]["layout"]
        assert layout["yaxis"]["range"] == layout["yaxis2"]["range"]
        assert {trace["xaxis"] for trace in figures[name]["data"]} == {"x", "x2"}
    assert figures["distribution"]["layout"]["xaxis"]["range"] == figures["distribution"]["layout"]["xaxis2"]["range"]


HOSTILE = '</script><img src=x onerror="alert(1)">\u202e{{ 7 * 7 }}'


def test_hostile_names_are_only_text(content):
    hostile = json.loads(json.dumps(content))
    hostile["a"][0]["name"] = HOSTILE
    hostile["notes"] = [HOSTILE]
    hostile["differs"] = [{"what": "command", "between_sides": True, "a": [HOSTILE], "b": ["app"]}]
    hostile["rows"][0]["reason"] = HOSTILE
    page = render(hostile)
    assert "<img" not in page and "\u202e" not in page
    assert page.count("{{ 7 * 7 }}") >= 4


def test_redacted_captures_lose_their_names(sides, capsys, tmp_path):
    page = tmp_path / "page.html"
    assert compare("--json", "--redact", "-o", page, *sides[0], "--", *sides[1]) == 0
    out = capsys.readouterr().out
    body, _ = page.read_text("utf-8").split("<script>", 1)
    # Without the script of plotly.js: pytest takes minutes to report a failed search in it.
    found = [name for name in ("before-", "after-", "--serve", '"box"', ">box<") if name in out or name in body]
    assert found == []
    assert "Items wait longer: mean wait +100 %" in json.loads(out)["text"]
    assert "is redacted" in body
