"""A part of a recording gives the answer of a recording of that time alone; the whole gives the answer of the uncut
one."""

import json
import shutil

import numpy as np
import poolscope
import pytest
from contract.keeps import breaches
from poolscope.__main__ import run
from poolscope.base.errors import InvalidArgument, UnreadableCapture
from poolscope.base.sketch import ALPHA
from poolscope.capture import open_capture
from poolscope.executions.items import load_items
from poolscope.fleets.task import answer
from poolscope.capture.fitting import BASE_BYTES, Limits, needed_bytes, open_fitting, rows_of
from fitting.recordings import LENGTH_S, STARVED_S, starved


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("starved") / "capture"
    folder.mkdir()
    starved(folder).write()
    shutil.copytree(folder, folder.with_name("other"))
    return folder


@pytest.fixture(scope="module")
def whole(recording):
    return poolscope.open(recording).analysis()


def half(recording):
    """Returns memory for half of the recording's rows."""
    needed = needed_bytes(rows_of(open_capture(recording)))
    return BASE_BYTES + (needed - BASE_BYTES) // 2


def without_part(content):
    return {key: value for key, value in content.items() if key not in ("part", "verdict")}


def test_what_fits_is_answered_as_ever(recording, whole):
    roomy = poolscope.open(recording, memory=10**10)
    assert roomy.part is None
    assert json.dumps(roomy.analysis()) == json.dumps(whole) and "part" not in whole


def test_the_part_that_is_all_of_it_answers_the_same(recording, whole):
    content = poolscope.open(recording, until_s=LENGTH_S).analysis()
    assert without_part(content) == without_part(whole)
    assert content["verdict"]["id"] == whole["verdict"]["id"]
    assert content["verdict"]["text"].endswith(whole["verdict"]["text"])
    assert content["part"]["items_share"] == content["part"]["late_wait_share"] == 1.0


def test_the_starvation_is_found_wherever_it_is(recording, whole):
    opened = poolscope.open(recording, memory=half(recording))
    begin, end = opened.part
    assert 0 < begin < STARVED_S[0] and STARVED_S[1] + 1 < end < LENGTH_S
    content = opened.analysis()
    assert breaches(content) == []
    assert content["verdict"]["id"] == whole["verdict"]["id"] not in ("healthy", "cannot-tell")
    assert content["part"]["chosen"] == "longest_waits" and content["part"]["late_wait_share"] == 1.0
    # The same incident, shifted to its place in the part.
    (found,), (told,) = content["incidents"], whole["incidents"]
    assert found["late"] == told["late"] and found["item_seconds"] == pytest.approx(told["item_seconds"])
    assert found["start_s"] + content["part"]["from_s"] == pytest.approx(told["start_s"], abs=1e-5)


def test_a_part_is_never_more_certain_than_all_of_it(recording, whole):
    ranks = ("low", "medium", "high")
    content = poolscope.open(recording, memory=half(recording)).analysis()
    assert ranks.index(content["verdict"]["confidence"]) <= min(1, ranks.index(whole["verdict"]["confidence"]))
    assert any("was analysed" in reason for reason in content["verdict"]["reasons"])
    assert content["verdict"]["text"].startswith("From ")


def test_what_is_told_of_all_of_it_is_exact(recording):
    told = poolscope.open(recording, memory=half(recording)).analysis()["part"]["recording"]
    items = load_items(open_capture(recording))
    assert told["items"] == items.count and told["late"] == int((items.wait > 50e6).sum())
    assert told["wait_ms"]["mean"] == pytest.approx(items.wait.mean() / 1e6)
    assert told["wait_ms"]["max"] == items.wait.max() / 1e6
    for p in (50, 90, 99):
        exact = float(np.percentile(items.wait, p, method="inverted_cdf")) / 1e6
        assert told["wait_ms"][f"p{p}"] == pytest.approx(exact, rel=ALPHA)
    assert told["percentile_error"] == ALPHA


def test_the_choice_is_the_same_each_time(recording):
    memory = half(recording)
    assert len({poolscope.open(recording, memory=memory).part for _ in range(3)}) == 1


def test_a_part_without_late_items_is_healthy_and_says_of_what(recording):
    content = poolscope.open(recording, from_s=10, until_s=60).analysis()
    assert content["verdict"]["id"] == "healthy" and content["verdict"]["confidence"] != "high"
    assert content["part"]["late_wait_share"] == 0.0
    assert content["items"]["count"] == pytest.approx(1000, abs=1)
    assert content["coverage"]["contradictions"] == []


def test_items_at_the_edges_are_counted_as_a_recording_would(recording):
    begin, end = 205.0, 210.0
    items = load_items(open_capture(recording))
    content = poolscope.open(recording, from_s=begin, until_s=end).analysis()
    queued = (items.enqueue < end * 1e9) & (items.dequeue >= begin * 1e9)
    assert content["items"]["count"] == content["coverage"]["queued_at_end"] == int(queued.sum())
    assert content["coverage"]["censored_start"] == int((queued & (items.enqueue < begin * 1e9)).sum())
    assert content["coverage"]["carried"] == 4  # all workers were inside an item
    assert content["items"]["wait_ms"]["max"] == pytest.approx(1e3 * (end - begin))


def test_pages_and_tickets_say_what_was_analysed(recording):
    opened = poolscope.open(recording, memory=half(recording))
    page = opened.report()
    part = opened.analysis()["part"]
    assert f"{part['from_s']:,.3f} s to {part['to_s']:,.3f} s of {LENGTH_S:,.3f} s" in page
    assert "fits into" in page and f"{part['recording']['items']:,} work items" in page


def test_gates_and_predictions_refuse_a_part_that_nobody_named(recording):
    opened = poolscope.open(recording, memory=half(recording))
    for ask in (lambda: opened.check("wait.p99>1s"), lambda: opened.whatif(min_threads=8)):
        with pytest.raises(UnreadableCapture, match="all of it takes about"):
            ask()
    assert poolscope.open(recording, from_s=190, until_s=230).check("wait.p99>1s")[0].status == "failed"


@pytest.mark.parametrize(
    ("limits", "error", "said"),
    [
        (Limits(from_s=300.0), InvalidArgument, "the recording is over by then"),
        (Limits(from_s=20.0, until_s=20.0), InvalidArgument, "has to end after it begins"),
        (Limits(from_s=0.0, until_s=299.0, memory=BASE_BYTES + 2_000_000), UnreadableCapture, "name a shorter one"),
        (Limits(memory=1_000_000), UnreadableCapture, "even 0.0"),
    ],
)
def test_what_is_no_part_or_does_not_fit_is_refused(recording, limits, error, said):
    with pytest.raises(error, match=said):
        open_fitting(recording, limits)


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "{}", "--", "{}/../other"],
        ["export", "{}", "--to", "csv", "-o", "{}-tables"],
        ["verify", "{}"],
        ["check", "{}"],
        ["whatif", "{}"],
    ],
    ids=lambda command: command[0],
)
def test_other_verbs_refuse_what_does_not_fit(recording, command, monkeypatch, capsys):
    memory = half(recording)
    monkeypatch.setattr("poolscope.capture.fitting.free_bytes", lambda: memory)
    assert run([word.format(recording) for word in command]) == 3
    assert "all of it takes about" in capsys.readouterr().err


def test_a_fleet_goes_on_without_it(recording, monkeypatch):
    memory = half(recording)
    monkeypatch.setattr("poolscope.capture.fitting.free_bytes", lambda: memory)
    assert "all of it takes about" in answer(str(recording), 50.0, None)["reason"]
