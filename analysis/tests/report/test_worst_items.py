"""The stories of the items that waited longest: in order of time, with known facts only."""

from __future__ import annotations

from poolscope.product import analyse
from poolscope.product.worst import COUNT, longest_waits, worst_items
from poolscope.report import render
from poolscope.report.sections.worst import story, window
from synthetic import MS, CaptureBuilder, sleepers

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e"


def behind_one(folder, **options):
    """Builds item 0, which holds the only worker for 50 ms and queues item 1, which sleeps. Item 2 is last and starts
    before it."""
    builder = CaptureBuilder(folder, length=200 * MS, limits=(1, 1), **options)
    builder.item(MS, 2 * MS, 52 * MS, 200, [("running", 10 * MS), ("blocked", 40 * MS)])
    builder.item(3 * MS, 72 * MS, 92 * MS, 200, [("running", MS), ("blocked", 19 * MS)], enqueue_tid=200, parent=0)
    builder.item(5 * MS, 52 * MS, 72 * MS, 200, [("running", 20 * MS)])
    builder.thread(200, 100, HOSTILE).thread(100, 100, "main")
    stack = ("System.Threading.Thread.Sleep", "App.Nap<T>")
    builder.rows["frames"] = [{"method": name, "resolved": 1} for name in stack]
    builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": 1 - i} for i in range(2)]
    builder.rows["snapshots"] = [{"time": 80 * MS, "tid": 200, "stack": 1}]
    return builder.write()


def text(item, seconds=0.2):
    return [said for _, said in story(item, seconds)]


def test_tells_who_queued_it_what_happened_meanwhile_and_where_it_blocked(tmp_path):
    first = analyse(behind_one(tmp_path / "c")).to_json()["worst_items"][0]
    assert (first["item"], first["wait_ms"], first["enqueued_by_item"], first["enqueue_thread"]) == (
        1,
        69.0,
        0,
        HOSTILE,
    )
    assert (first["started_s"], first["ended_s"], first["overtaken_by"]) == (0.072, 0.092, 1)
    assert first["pool"]["at_enqueue"] == {"goal": 1, "busy": 1, "running": 1, "blocked": 0, "ready": 0}
    # From 3 to 72 ms the worker was blocked for 40 ms and ran for 29.
    meanwhile = first["pool"]["meanwhile"]
    assert (meanwhile["busy"], meanwhile["blocked"], meanwhile["running"]) == (
        1.0,
        round(40 / 69, 3),
        round(29 / 69, 3),
    )
    assert first["blocked_in"] == [{"method": "App.Nap<T>", "kind": "sleep", "known_by": "snapshot", "ms": 19.0}]
    enqueued, waited, ran, ended = text(first)
    assert (
        enqueued.startswith("Item 0 enqueued it, from thread")
        and "The goal was 1 thread, and 1 worker held" in enqueued
    )
    assert "1 item that came later was started before it" in waited
    assert (
        "Worker thread 200 took it and ran App.Nap<T>." in ran
        and "19 ms in App.Nap<T> (sleep; a snapshot of its stack shows)" in ran
    )
    assert ended == "It ended, 89 ms after it was enqueued."


def test_the_parts_are_told_largest_first_and_small_ones_without_a_reason(tmp_path):
    item = analyse(behind_one(tmp_path / "c")).to_json()["worst_items"][0]
    item["parts_ms"] = {"injection": 1.0, "blocking": 18.0, "core": 50.0, "runtime": 0.0}
    waited = text(item)[1]
    assert (
        waited.index("Core contention, 50 ms (72 %)")
        < waited.index("Blocking, 18 ms")
        < waited.index("The rest: injection")
    )


def test_what_has_not_started_or_not_ended_says_so(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=100 * MS)
    builder.item(-1, 50 * MS, -1, 200, [("running", 50 * MS)])
    builder.item(10 * MS)
    queued, running = analyse(builder.write()).to_json()["worst_items"]
    assert queued["ended_s"] is None and running["ended_s"] is None
    assert text(queued, 0.1)[-1] == "The capture ended, and it had not started."
    assert text(running, 0.1)[0] == "The capture began, and it was already in the queue."
    assert text(running, 0.1)[-1] == "The capture ended, and it was still running."
    assert window(queued, 0.1)[1] == 0.1


def test_without_a_kernel_stream_nothing_is_said_of_states(tmp_path):
    capture = behind_one(tmp_path / "c", kernel=False)
    item = analyse(capture).to_json()["worst_items"][0]
    assert item["blocked_in"] == [] and item["pool"]["at_enqueue"]["blocked"] is None
    said = " ".join(text(item))
    assert "does not show why" in said and "on a core" not in said and "blocked" not in said
    assert "20 ms in a state that no kernel event shows" in said


def test_one_item_that_did_not_wait(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=10 * MS)
    builder.item(MS, MS, 2 * MS, 200, [("running", MS)])
    item = analyse(builder.write()).to_json()["worst_items"][0]
    assert item["pool"]["meanwhile"] is None
    assert text(item)[1] == "It did not wait."


def test_no_more_than_ten_each_with_an_anchor_and_a_window(tmp_path):
    capture = sleepers(tmp_path / "c", count=30, gap=MS, sleep=10 * MS, threads=lambda t: 2, limits=(2, 2)).write()
    analysis = analyse(capture)
    html = render(analysis.to_json())
    worst = worst_items(capture, analysis.attribution)
    assert len(worst) == COUNT
    for item in worst:
        assert f'<li id="item-{item["item"]}" data-item="{item["item"]}">' in html
    assert html.count("data-from=") >= COUNT


def test_hostile_names_of_threads_and_methods_stay_text(tmp_path):
    html = render(analyse(behind_one(tmp_path / "c")).to_json())
    body = html.split("<body>")[1].split("<script>")[0]
    assert "<img" not in body and "App.Nap<T>" not in body and "\u202e" not in body
    assert "App.Nap&lt;T&gt;" in body and "&lt;img src=x onerror=alert(1)&gt;" in body


def test_of_items_that_waited_as_long_the_first_ones_are_the_worst(tmp_path):
    builder = CaptureBuilder(tmp_path / "c", length=200 * MS)
    for number, wait in enumerate((5, 9, 5, 9, 5, 1)):
        builder.item(MS, (1 + wait) * MS, (2 + wait) * MS, 200 + number, [("running", MS)])
    attribution = analyse(builder.write()).attribution
    assert [longest_waits(attribution, count).tolist() for count in (1, 3, 4, 9)] == [
        [1],
        [1, 3, 0],
        [1, 3, 0, 2],
        [1, 3, 0, 2, 4, 5],
    ]
