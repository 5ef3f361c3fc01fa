"""The page of the published experiments: its list, its checks, and its rows from runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from seeds import page, pictures, product
from seeds.explain import explanation
from seeds.outcome import Outcome
from seeds.row import Expected, Published, Row
from seeds.rows import ROWS, SECTIONS
from seeds.shapes import SHAPES

ROOT = Path(__file__).resolve().parents[3]
WORKLOADS = ROOT / "artifacts" / "bin" / "Poolscope.Workloads" / "release" / "poolscope-workloads"

IDS = {row.id for row in ROWS}


def outcome(
    verdict="healthy", found=(), latency_ms=10.0, figures=(), starts_ms=(0, 1, 2, 3), tids=(7, 8, 7, 9), settings=None
):
    start = np.array(starts_ms, dtype=np.int64) * 1_000_000 + 1000
    truth = {"enqueue_ns": np.full(len(start), 1000), "start_ns": start, "start_tid": np.array(tids[: len(start)])}
    host = {"os": "Linux", "kernel": "6.1"}
    target = {"cpus_allowed": 2, "runtime": ".NET 10", "command": ["workloads", "run", "x"]}
    share = {"injection": 0.75, "blocking": 0.25, "core": 0.0, "runtime": 0.0}
    return Outcome(
        Path("capture"),
        {
            "start_latency_ms": {"mean": latency_ms, "max": 2 * latency_ms},
            "elapsed_ms": 1000.0,
            "figures": [{"name": n, "value": v, "unit": ""} for n, v in figures],
            "settings": settings or {"count": 100, "work_ms": 500},
        },
        {
            "capture": {"host": host, "target": target},
            "verdict": {"id": verdict, "confidence": "high", "text": "It <was> so."},
            "findings": [{"id": f} for f in found],
            "attribution": {"wait_share": share, "wait_ms": {"injection": 18000.0, "blocking": 20000.0}},
            "timeline": {"pool_changes": [{"goal": g} for g in (2, 3, 2, 4, 3)]},
        },
        truth,
        12.5,
        Path("x.html"),
        None,
    )


def test_ids_are_unique_and_every_shape_names_rows():
    assert len(IDS) == len(ROWS)
    assert {row for shape in SHAPES for row in shape.rows} <= IDS


@pytest.mark.parametrize(
    ("expected", "verdict", "found", "met"),
    [
        (Expected(("a",), False), "a", ("a",), True),
        (Expected(("a",), False), "b", ("b", "a"), False),
        (Expected(("a", "b"), True), "b", ("b",), True),
        (Expected(("a", "b"), True), "cannot-tell", ("a",), False),
        (Expected(("a", "b"), False), "b", ("b", "a"), True),
        (Expected(("a", "b"), False), "a", ("a",), False),
    ],
)
def test_expected_verdicts(expected, verdict, found, met):
    assert expected.met(outcome(verdict, found)) is met


def test_a_ratio_of_two_rows():
    shape = next(s for s in SHAPES if s.rows == ("trickle-v1", "trickle-v2"))
    runs = {"trickle-v1": outcome(latency_ms=30), "trickle-v2": outcome(latency_ms=10.1)}
    assert shape.applies(runs, full=False)
    assert not shape.holds(shape.measure(runs))
    assert shape.holds(shape.measure({**runs, "trickle-v2": outcome(latency_ms=9.9)}))
    assert not shape.applies({"trickle-v1": runs["trickle-v1"]}, full=True)


def test_what_only_the_published_size_shows_is_not_asked_of_the_scaled_one():
    (shape,) = [s for s in SHAPES if s.full_only]
    runs = {row: outcome(figures=[("total", 1)]) for row in shape.rows}
    assert (shape.applies(runs, full=False), shape.applies(runs, full=True)) == (False, True)


def test_gaps_off_the_round_of_the_gate():
    shape = next(s for s in SHAPES if s.rows == ("rotor-growth",))
    on = outcome(starts_ms=(0, 1, 1001, 1501, 2520), tids=(1, 2, 3, 4, 5))
    off = outcome(starts_ms=(0, 1, 1001, 1250, 2250), tids=(1, 2, 3, 4, 5))
    assert shape.measure({"rotor-growth": on}) == pytest.approx(19)
    assert shape.measure({"rotor-growth": off}) == pytest.approx(249)


def test_the_product_says_what_was_measured_and_what_failed():
    rows = [
        Row("trickle-v1", Published("about 32 s", 32, "s"), lambda run: run.latency("mean") / 1000),
        Row("idle", Published("", None, ""), lambda run: 0),
    ]
    expected = {"trickle-v1": Expected(("injection-delay",), False)}
    built = product.build(
        rows, expected, {"trickle-v1": outcome("injection-delay", latency_ms=16000)}, {"idle": "no such program"}, False
    )
    ours, failed = built["rows"]
    assert (ours["ours"], ours["ratio"], ours["verdict_ok"], ours["shape_ok"]) == (16, 0.5, True, None)
    assert ours["truth_median_us"] == 12.5
    assert failed == {"id": "idle", "failed": "no such program"}
    json.dumps(built, allow_nan=False)


def test_the_puzzles_are_explained_from_measurements():
    trickle = explanation(Row("trickle-v1", Published("", None, ""), lambda run: 0), outcome())
    assert "20.0 s is the cap" in trickle and "18.0 s" in trickle and "lowered the goal 2 times" in trickle
    gaps = outcome(starts_ms=(0, 1, 1001, 2003, 2505), tids=(1, 2, 3, 4, 5))
    said = explanation(Row("injection-interval", Published("", None, ""), lambda run: 0), gaps)
    assert "1 of 2 gaps here were two rounds, 1 were one" in said


def test_each_cell_has_the_number_of_its_thread_in_order_of_first_use():
    (table,) = pictures.tables({"table-net11": outcome(starts_ms=(5, 0, 6, 7), tids=(7, 9, 7, 8))})
    assert [[cell["thread"] for cell in line] for line in table["grid"]] == [[2, 1], [2, 3]]
    assert [cell["product"] for line in table["grid"] for cell in line] == [1, 2, 2, 4]


def test_the_page_escapes_and_needs_no_network():
    row = next(r for r in ROWS if r.id == "trickle-v1")
    runs = {"trickle-v1": outcome("injection-delay"), "table-net11": outcome()}
    built = product.build([row], {row.id: Expected(("injection-delay",), False)}, runs, {}, False)
    html = page.render(built, SECTIONS, pictures.figures(runs), pictures.tables(runs))
    assert "It &lt;was&gt; so." in html
    assert "default-src &#39;none&#39;" in html
    assert not re.search(r"(src|href)=\"https?:", html[: html.index("<script>")])


def test_an_unknown_row_is_named():
    done = subprocess.run(
        [sys.executable, "-m", "seeds", "--only", "nosuch"], cwd=ROOT / "eval", capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "no row nosuch" in done.stderr


@pytest.mark.built
def test_every_row_has_a_workload_and_a_verdict_that_its_manifest_fixes():
    listed = json.loads(
        subprocess.run([WORKLOADS, "list", "--json"], capture_output=True, text=True, check=True).stdout
    )
    manifests = {entry["id"]: {e["when"] for e in entry["expected"]} for entry in listed}
    for row in ROWS:
        assert row.expected in manifests[row.workload], row.id


def test_an_alternative_verdict_counts_and_says_why():
    row = next(row for row in ROWS if row.id == "create-threads-100")
    expected = Expected(("healthy",), False, row.alternative)
    assert expected.met(outcome("no-work")) and expected.met(outcome("healthy"))
    assert not expected.met(outcome("cannot-tell"))
    assert not Expected(("healthy",), False).met(outcome("no-work"))
    assert all(len(r.alternative.why) > 40 for r in ROWS if r.alternative)
