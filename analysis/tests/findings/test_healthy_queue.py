"""What a healthy queue does not show."""

from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

WORKER = 200


def test_a_healthy_queue_says_how_long_the_runtime_was_suspended(tmp_path):
    """In a pause nothing is queued, so the waits of items look well."""

    def said(folder, pause):
        builder = CaptureBuilder(folder, length=1000 * MS)
        builder.item(0, MS // 10, 2 * MS, WORKER, [("running", 2 * MS)])
        analysis = analyse(builder.suspension(100 * MS, (100 + pause) * MS).write())
        assert analysis.verdict.id == "healthy"
        return " ".join([analysis.verdict.text, *analysis.findings[0].evidence])

    long = said(tmp_path / "long", 300)
    assert "but the runtime was suspended 30 % of the time" in long and "suspended for 300 ms in all" in long
    assert "suspended" not in said(tmp_path / "short", 50)
