"""What a healthy queue does not show."""

from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

WORKER = 200


def test_a_healthy_queue_says_how_long_the_runtime_was_suspended(tmp_path):
    """In a pause nothing is queued, so the waits of items look well."""

    def said(folder, pause):
        builder = CaptureBuilder(folder, length=1000 * MS)
        builder.item(0, MS // 10, 2 * MS, WORKER, [("running", 2 * MS)])
        finding = analyse(builder.suspension(100 * MS, (100 + pause) * MS).write()).findings[0]
        assert finding.id == "healthy"
        return " ".join(finding.evidence)

    assert "suspended for 300 ms, 30 % of the time" in said(tmp_path / "long", 300)
    assert "suspended" not in said(tmp_path / "short", 50)
