"""The timeline: its counts are right, its size is bounded, and the charts draw its values."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from poolscope.product import analyse
from poolscope.product.timeline import BINS, SUSPENSIONS_SHOWN, _extremes
from poolscope.report import render
from poolscope.report.charts import figures
from synthetic import MS, CaptureBuilder


def figure_parts(*given):
    """Returns the parts of the figure, untyped."""
    return figures(*given)


def queueing(folder, **options):
    """Builds two blocked workers and items that wait 1000, 1100 and 1200 ms; one item is never taken."""
    builder = CaptureBuilder(folder, length=3000 * MS, **options)
    for worker in (200, 201):
        builder.item(0, 0, 2000 * MS, worker, [("blocked", 2000 * MS)])
    for i, worker in enumerate((200, 201, 200)):
        taken = (2000 + i * 100) * MS
        builder.item(1000 * MS, taken, taken + 50 * MS, worker, [("running", 50 * MS)])
    builder.item(2500 * MS)
    return builder


@pytest.fixture
def analysis(tmp_path):
    return analyse(queueing(tmp_path).suspension(500 * MS, 520 * MS).write()).to_json()


def test_distribution_counts_every_item_in_the_bin_of_its_wait(analysis):
    d = analysis["timeline"]["distribution"]
    counts = np.sum(list(d["items"].values()), axis=0)
    assert counts.sum() == 6 and len(counts) == len(d["from_ms"]) == len(d["to_ms"]) == len(d["at_least"])
    where = {(a, b): n for a, b, n in zip(d["from_ms"], d["to_ms"], counts) if n}
    holds = lambda ms: next(n for (a, b), n in where.items() if a <= ms < b)  # noqa: E731
    assert (holds(0.001), holds(1000.0), holds(500.0)) == (2, 3, 1), "no wait counts as the clock's resolution"
    assert sum(d["at_least"]) == 1


def test_distribution_has_the_percentiles_of_the_capture_and_of_each_cause(analysis):
    rows = analysis["timeline"]["distribution"]["percentiles"]
    assert rows[0]["cause"] is None and rows[0]["wait_ms"] == analysis["items"]["wait_ms"]
    assert sum(row["items"] for row in rows[1:]) == rows[0]["items"] == 6


def test_waits_say_start_end_and_worker_of_each_item(analysis):
    rows = {
        item: (start, end, worker)
        for w in analysis["timeline"]["waits"]
        for item, start, end, worker in zip(w["item"], w["start_s"], w["end_s"], w["worker_tid"])
    }
    assert rows[2] == (2.0, 2.05, 200)
    assert rows[5] == (None, None, None), "never started"


def test_suspensions_are_merged_and_the_longest_are_kept(tmp_path):
    builder = queueing(tmp_path)
    for i in range(SUSPENSIONS_SHOWN + 50):
        builder.suspension(i * 5 * MS, i * 5 * MS + (2 * MS if i % 5 == 0 else MS))
    builder.suspension(1 * MS, 3 * MS)  # overlaps the first: together 0 to 3 ms
    timeline = analyse(builder.write()).to_json()["timeline"]
    assert timeline["suspension_totals"]["times"] == SUSPENSIONS_SHOWN + 50
    assert timeline["suspension_totals"]["longest_ms"] == 3.0
    shown = timeline["suspensions"]
    assert len(shown) == SUSPENSIONS_SHOWN and shown == sorted(shown, key=lambda s: s["seconds"])
    assert sum(s["ms"] == 2.0 for s in shown) == (SUSPENSIONS_SHOWN + 50) // 5 - 1


def test_series_are_one_value_per_bin_or_unknown(tmp_path, analysis):
    timeline = analysis["timeline"]
    assert {len(timeline[name]) for name in ("cpu_target", "cpu_others", "limit", "suspended")} == {BINS}
    blind = analyse(queueing(tmp_path / "blind", kernel=False).write()).to_json()["timeline"]
    assert [blind[name] for name in ("cpu_target", "cpu_others", "limit", "limit_totals")] == [None] * 4
    alone = analyse(queueing(tmp_path / "alone", tier="switch").write()).to_json()["timeline"]
    assert alone["cpu_others"] is None and max(alone["cpu_target"]) > 0.9


def test_ribbon_draws_each_limit_where_it_holds(analysis):
    timeline = analysis["timeline"]
    drawn = {}
    for trace in figure_parts(analysis)["limits"]["data"]:
        drawn[trace["y"][0]] = sum(trace["x"])
        assert trace["marker"]["pattern"]["shape"] is not None and len(set(trace["y"])) == 1
    held = {t["limit"]: t["seconds"] for t in timeline["limit_totals"]}
    assert held["gate"] == pytest.approx(1.0)
    assert drawn["gate"] == pytest.approx(held["gate"], abs=2 * timeline["bin_seconds"])


def test_histogram_adds_up_and_marks_its_percentiles(analysis):
    figure = figure_parts(analysis)["distribution"]
    assert sum(sum(trace["y"]) for trace in figure["data"]) == 6
    assert [a["text"].split()[0] for a in figure["layout"]["annotations"]] == ["p50", "p90", "p99", "max"]
    assert figure["layout"]["meta"] == "own-axis"


def test_charts_over_time_share_one_axis(analysis):
    own = {name for name, figure in figure_parts(analysis).items() if figure["layout"].get("meta") == "own-axis"}
    shared = [figure["layout"]["xaxis"]["range"] for name, figure in figure_parts(analysis).items() if name not in own]
    assert own == {"distribution"} and len(shared) >= 5
    assert all(axis == [0, analysis["capture"]["seconds"]] for axis in shared)


def test_page_says_what_the_charts_draw(tmp_path, analysis):
    html = render(analysis).replace("\u00a0", " ")
    for said in ("What limited the pool at each moment", "Who used the cores", "How the waits are distributed"):
        assert said in html
    assert "The runtime was suspended 1 time, 20 ms in all" in html
    assert 'id="chosen-words" aria-live="polite"' in html
    assert all(f'data-zoom="{name}"' in html for name in ("in", "out", "earlier", "later", "whole"))
    blind = render(analyse(queueing(tmp_path / "blind", kernel=False).write()).to_json())
    assert "names no limit" in blind and "does not show who used the cores" in blind
    assert 'id="chart-limits"' not in blind and 'id="chart-cores-used"' not in blind


def test_page_without_items_has_no_waits_to_show(tmp_path):
    analysis = analyse(CaptureBuilder(tmp_path, length=1000 * MS).write()).to_json()
    assert analysis["timeline"]["distribution"] is None
    html = render(analysis)
    assert "No item was queued, so nothing limited the pool." in html or "Without a kernel stream" in html
    assert 'id="chart-distribution"' not in html


@pytest.mark.browser
def test_browser_shows_the_item_that_the_address_names(tmp_path, analysis):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    page = tmp_path / "page.html"
    # All parts are open, because a folded chart is drawn only when it is opened.
    page.write_text(render(analysis).replace("<details", "<details open"), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    options += ["--virtual-time-budget=5000", "--disable-background-networking", "--dump-dom"]
    command = [browser, *options, page.as_uri() + "#item-2"]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    assert "Item 2 waited 1 s from 1.000 s on, mainly injection delay. Thread 200 started it at 2.000 s." in dom
    assert dom.count('data-index="0" fill-rule') >= 4, "the span is shaded in the charts"
    assert ">the whole capture<" in dom


@pytest.mark.parametrize("seed", range(5))
def test_of_each_bin_the_first_shortest_and_the_last_longest_wait_are_drawn(seed):
    random = np.random.default_rng(seed)
    bin_of, wait = random.integers(0, 6, 60).astype(np.int16), random.integers(0, 5, 60)
    chosen = np.flatnonzero(random.random(60) < 0.8)
    expected = set()
    for number in set(bin_of[chosen].tolist()):
        mine = [i for i in chosen.tolist() if bin_of[i] == number]
        expected |= {min(mine, key=lambda i: (wait[i], i)), max(mine, key=lambda i: (wait[i], i))}
    assert set(_extremes(chosen, bin_of, wait).tolist()) == expected
