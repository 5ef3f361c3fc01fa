"""Locks and waits by stack if nothing shows what they delayed."""

import json

import pytest
from contract.keeps import breaches
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from synthetic import MS, CaptureBuilder
from synthetic_stacks import Stacks

ENTER, WAIT = "System.Threading.Monitor.Enter", "System.Threading.ManualResetEventSlim.Wait"


@pytest.fixture
def waiting(tmp_path):
    """waiting(kernel) returns an analysis: two threads contend for a lock in Shop.Stock, one waits in Shop.Main to the
    end."""

    def made(kernel=False):
        builder = CaptureBuilder(tmp_path / f"kernel-{kernel}", length=1000 * MS, kernel=kernel)
        stacks = Stacks(builder)
        for tid in (11, 12):
            for start, end in ((0, 100), (200, 500)):
                stack = stacks.stack(ENTER, "Shop.Stock", "Shop.Handle")
                stacks.wait(tid, start * MS, end * MS, stack, "contention")
        stacks.wait(7, 400 * MS, -1, stacks.stack(WAIT, "Shop.Main"))
        if kernel:
            builder.item(0, 0, 9 * MS, 200, [("running", 9 * MS)])
        builder.write()
        manifest = json.loads((builder.folder / "capture.json").read_text())
        lack = {"stream": "runtime.nettrace", "wanted": "work items", "why": "not recorded", "how": "Record again"}
        source = [{"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"}]
        (builder.folder / "capture.json").write_text(json.dumps(manifest | {"made_from": source, "refused": [lack]}))
        return analyse(open_capture(builder.folder)).to_json()

    return made


def test_waits_count_by_method_and_kind_in_thread_seconds(waiting):
    analysis = waiting()
    assert breaches(analysis) == []
    waits = analysis["thread_waits"]
    assert (waits["locks"], waits["locks_s"], waits["waits"], waits["waits_s"]) == (4, 0.8, 1, 0.6)
    assert (waits["threads"], waits["open"]) == (3, 1)
    lock, other = waits["rows"]
    assert (lock["method"], lock["kind"], lock["own"]) == ("Shop.Stock", "lock", True)
    assert (lock["count"], lock["threads"], lock["thread_s"], lock["longest_s"]) == (4, 2, 0.8, 0.3)
    assert lock["stack"] == [ENTER, "Shop.Stock", "Shop.Handle"]
    assert (other["method"], other["lock"], other["thread_s"]) == ("Shop.Main", False, 0.6)


def test_the_page_shows_them_and_no_rule_denies_them(waiting):
    analysis = waiting()
    page = " ".join(render(analysis).split())
    assert "4 waits for a contended lock (800 ms of thread time) and 1 other wait (600 ms) on 3 threads." in page
    assert "1 wait had not ended when the recording did." in page
    assert "Work items were not recorded, so this page cannot tell which waits made an item late." in page
    assert "No lock held up the items" not in page.split("</main>")[0]
    assert "Shop.Stock" not in json.dumps(redact(analysis))


def test_where_blame_tells_more_they_are_left_out(waiting):
    analysis = waiting(kernel=True)
    assert analysis["blame"] is not None and "thread_waits" not in analysis
