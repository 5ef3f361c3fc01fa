"""Threads of the process that are not the pool's: core contention that no change to the items would fix."""

import pytest
from poolscope.measures.cores import OWN_OTHER
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

TARGET, NEIGHBOUR = 100, 900


def beside(folder, pid, own_ms, theirs_ms):
    """Builds forty items of 40 ms of CPU on two workers and two cores. Each worker runs for `own_ms`, and then another
    thread of process `pid` has its core for `theirs_ms`. Then a third worker has it for a ms while the first is
    ready."""
    lap = own_ms + theirs_ms + 1
    laps = 40 // own_ms
    took = laps * lap * MS
    builder = CaptureBuilder(folder, length=20 * took + 10 * MS, limits=(4, 4))
    builder.thread(TARGET, TARGET, "app").thread(NEIGHBOUR, NEIGHBOUR, "hog")
    for core in (0, 1):
        builder.thread(200 + core, TARGET, ".NET TP Worker").thread(210 + core, TARGET, ".NET TP Worker")
        builder.thread(300 + core, pid, "Reconciler")
        for i in range(20):
            states = [("running", own_ms * MS), ("ready", (theirs_ms + 1) * MS)] * laps
            builder.item(0, i * took, (i + 1) * took, 200 + core, states)
        for i in range(20 * laps):
            at = i * lap * MS + own_ms * MS
            builder.state(300 + core, at, at + theirs_ms * MS, "running")
        turns = [("ready", (own_ms + theirs_ms) * MS), ("running", MS)] * (20 * laps)
        builder.item(0, 0, 20 * took, 210 + core, turns)
    return builder.write()


def contention(analysis):
    assert analysis.verdict.id == "core-contention"
    return analysis.findings[0]


def test_they_are_named_as_the_cause_and_advised_on_first(tmp_path):
    analysis = analyse(beside(tmp_path, TARGET, own_ms=2, theirs_ms=5))
    finding = contention(analysis)
    assert "because threads of this process outside the pool held the cores" in analysis.verdict.text
    assert analysis.evidence.antagonists.share(OWN_OTHER) == pytest.approx(5 / 8, abs=0.01)
    assert any("62 % of the core time went to threads of this process" in line for line in finding.evidence)
    assert finding.advice[0].startswith("Reduce the CPU use of this process's threads outside the pool")
    assert finding.advice[1].startswith("Spend less CPU per item")


def test_with_less_than_half_of_the_core_time_they_are_not_the_reason(tmp_path):
    analysis = analyse(beside(tmp_path, TARGET, own_ms=5, theirs_ms=4))
    finding = contention(analysis)
    assert analysis.evidence.antagonists.share(OWN_OTHER) == pytest.approx(4 / 10, abs=0.01)
    assert "outside the pool" not in analysis.verdict.text
    assert not any("not the pool's" in line for line in (*finding.evidence, *finding.advice))


def test_another_process_s_threads_are_not_the_process_s_own(tmp_path):
    analysis = analyse(beside(tmp_path, NEIGHBOUR, own_ms=2, theirs_ms=5))
    assert analysis.verdict.id == "noisy-neighbour"
    assert not any("outside the pool" in text for f in analysis.findings for text in (f.because, *f.evidence))


def test_what_every_machine_has_in_the_background_is_no_neighbour(tmp_path):
    # 15 % of the contended core time: more than a tenth of the wait, less than a fifth of the cores.
    analysis = analyse(beside(tmp_path, NEIGHBOUR, own_ms=10, theirs_ms=2))
    assert analysis.verdict.id == "core-contention"
    assert "noisy-neighbour" not in {f.id for f in analysis.findings}
