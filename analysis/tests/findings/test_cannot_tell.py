"""If no cause can be reported, the report still gives the measurements."""

from poolscope.findings.sentences import measured
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def unstarted(folder, queued=250, length=26_000 * MS, **how):
    builder = CaptureBuilder(folder, length=length, **how)
    builder.item(0, 0, 10 * MS, 200, [("running", 10 * MS)])
    for i in range(queued):
        builder.item(1000 * MS + i, -1)
    return builder


def test_items_that_nobody_started_are_told_with_what_was_idle(tmp_path):
    analysis = analyse(unstarted(tmp_path).write())
    assert analysis.verdict.id == "cannot-tell"
    said = "for 25 s items were queued without a break, 250 work items were queued at once, no worker had an item, cores were idle"
    assert f"Measured: {said}: the runtime did not start them." in analysis.verdict.text


def test_lost_events_do_not_hide_what_was_measured(tmp_path):
    builder = unstarted(tmp_path, kernel=False)
    text = analyse(builder.write()).verdict.text
    assert text.startswith("Cannot tell") and "no worker had an item." in text


def test_workers_that_had_items_are_counted(tmp_path):
    builder = unstarted(tmp_path)
    builder.item(0, 0, -1, 201, [("blocked", 26_000 * MS)])
    said = measured(analyse(builder.write()).evidence)
    assert "1.0 workers had an item on average" in said and "did not start" not in said


def test_a_queue_of_milliseconds_says_nothing(tmp_path):
    builder = CaptureBuilder(tmp_path, length=1000 * MS)
    builder.item(0, 20 * MS, 40 * MS, 200, [("running", 20 * MS)])
    assert measured(analyse(builder.write()).evidence) == ""
