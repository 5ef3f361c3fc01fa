"""The labels given to a recording appear on its page, and are secrets under --redact."""

from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report.sections.captured import captured_section
from synthetic import MS, CaptureBuilder


def captured_parts(*given):
    """Returns the parts of the section, untyped."""
    return captured_section(*given)


def labelled(folder, labels):
    builder = CaptureBuilder(folder, length=100 * MS).item(0, 0, 10 * MS, 200, [("running", 10 * MS)])
    builder.thread(200, 100, ".NET TP Worker")
    if labels is not None:
        builder.manifest["labels"] = labels
    return analyse(builder.write()).to_json()


def row(analysis):
    rows = next(rows for title, rows in captured_parts(analysis)["groups"] if title == "Capture")
    return dict(rows).get("Labels")


def test_labels_stand_in_the_order_of_their_keys(tmp_path):
    assert row(labelled(tmp_path, {"version": "1.2", "service": "shop"})) == "service=shop, version=1.2"


def test_a_capture_without_labels_has_no_row(tmp_path):
    analysis = labelled(tmp_path, None)
    assert analysis["capture"]["labels"] == [] and row(analysis) is None


def test_redaction_replaces_the_values(tmp_path):
    redacted = redact(labelled(tmp_path, {"host": "payroll-7", "service": "payroll"}))
    assert "payroll" not in str(redacted)
    assert [label["value"].rstrip("0123456789-") for label in redacted["capture"]["labels"]] == ["host", "label"]
