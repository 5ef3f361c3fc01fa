"""Steal time: a thread seems to compute while the virtual machine's host runs something else, which lowers
confidence."""

import numpy as np
import pytest
from poolscope.coverage.contradictions import find_contradictions
from poolscope.measures.quota import stolen_share
from poolscope.product import analyse
from poolscope.report.sections.captured import captured_section
from synthetic import MS, CaptureBuilder

SECOND = 1000 * MS


def captured_parts(*given):
    """Returns the parts of the section, untyped."""
    return captured_section(*given)


def computing(folder, share, until=4 * SECOND):
    """Builds forty items of 200 ms of CPU on two threads: later items wait for earlier ones. The host takes `share` of
    the time before `until`."""
    builder = CaptureBuilder(folder, length=4 * SECOND, limits=(2, 2))
    for i in range(40):
        builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, [("running", 200 * MS)])
    for tid in (200, 201):
        builder.thread(tid, 100, ".NET TP Worker")
    return builder.stolen(share, *range(0, until + 1, SECOND))


@pytest.mark.parametrize(
    ("share", "confidence"), [(0.0, "high"), (0.24, "high"), (0.26, "medium"), (0.49, "medium"), (0.51, "low")]
)
def test_the_more_was_stolen_the_less_sure_is_a_verdict_about_cores(tmp_path, share, confidence):
    verdict = analyse(computing(tmp_path, share).write()).verdict
    assert (verdict.id, verdict.confidence) == ("core-contention", confidence), verdict
    assert any("steal time" in reason for reason in verdict.reasons) == (confidence != "high")


def test_only_what_was_stolen_while_the_items_waited_and_ran_counts(tmp_path):
    # All items are queued at first, so an item lies in the stolen second for as long as it waits or runs in it.
    analysis = analyse(computing(tmp_path, 0.9, until=SECOND).write())
    items, judged = analysis.attribution.items, analysis.evidence.of_judged
    begin, end = judged(items.enqueue), judged(items.end)
    expected = 0.9 * (np.minimum(end, SECOND) - np.minimum(begin, SECOND)).sum() / (end - begin).sum()
    assert analysis.evidence.stolen_from_items() == pytest.approx(expected, rel=1e-6)
    assert analysis.to_json()["capture"]["stolen_share"] == pytest.approx(0.9 / 4, rel=1e-6)


def test_a_verdict_that_needs_no_cores_is_as_sure_as_before(tmp_path):
    builder = CaptureBuilder(tmp_path, length=4 * SECOND, limits=(2, 2))
    for i in range(40):
        builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, [("blocked", 200 * MS)])
    for tid in (200, 201):
        builder.thread(tid, 100, ".NET TP Worker")
    verdict = analyse(builder.stolen(0.6, *range(0, 4 * SECOND + 1, SECOND)).write()).verdict
    assert not any("steal time" in reason for reason in verdict.reasons), verdict


@pytest.mark.parametrize(("share", "said"), [(0.0, None), (0.004, None), (0.07, "7 % of its processor time")])
def test_the_page_says_what_was_stolen(tmp_path, share, said):
    card = captured_parts(analyse(computing(tmp_path, share).write()).to_json())
    rows = dict(next(rows for title, rows in card["groups"] if title == "Host"))
    assert rows.get("Taken by the virtual machine's host") == said


def test_nothing_is_known_of_a_capture_without_the_readings(tmp_path):
    capture = computing(tmp_path, 0.5)
    capture.rows["lost_cpu"].clear()
    assert stolen_share(capture.write()) is None


def test_readings_reach_over_the_window_s_edges(tmp_path):
    builder = computing(tmp_path, 0.0)
    builder.rows["lost_cpu"].clear()
    capture = builder.stolen(0.4, -3 * SECOND, -SECOND, SECOND, 9 * SECOND).write()
    share = stolen_share(capture)
    assert share.at([0.0, 3.9 * SECOND]) == pytest.approx([0.4, 0.4])


def test_more_than_there_was_cannot_have_been_stolen(tmp_path):
    found = find_contradictions(computing(tmp_path, 2.1).write())
    assert any(c.tables == "lost_cpu, capture.json" and c.rows == 4 for c in found), found
