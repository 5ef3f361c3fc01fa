"""traces/analysis.schema.json describes every analysis, and no other content passes.

conftest.py also checks every analysis of a test marked `fires` against it: at least one synthetic capture of each rule.
"""

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from contract.keeps import SCHEMA, breaches
from poolscope.capture import open_capture
from poolscope.findings.rules import RULES
from poolscope.product import analyse
from poolscope.redact import redact
from synthetic import MANIFEST, MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))


@cache
def of_golden(name):
    return analyse(open_capture(GOLDEN / f"{name}.zip")).to_json()


def waiting(builder, late=200):
    """Adds ten items on one thread, each 200 ms long."""
    for i in range(10):
        builder.item(i * MS, (i + 1) * late * MS, (i + 2) * late * MS, 200, [("blocked", late * MS)])
    return builder


def no_work(folder):
    return CaptureBuilder(folder, length=1000 * MS)


def cannot_tell(folder):
    return waiting(CaptureBuilder(folder, length=5000 * MS, lost=10_000, kernel=True))


def without_kernel(folder):
    return waiting(CaptureBuilder(folder, length=5000 * MS, kernel=False))


def healthy(folder):
    return waiting(CaptureBuilder(folder, length=5000 * MS), late=1)


def still_queued(folder):
    builder = CaptureBuilder(folder, length=2000 * MS, limits=(1, 1), launched=False)
    builder.item(-1, 100 * MS, 1900 * MS, 200, [("blocked", 1800 * MS)])
    builder.item(200 * MS, -1, -1, -1, [])
    return builder


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_analysis_keeps_the_contract(name):
    assert breaches(of_golden(name)) == []


@pytest.mark.parametrize(
    "made", [no_work, cannot_tell, without_kernel, healthy, still_queued], ids=lambda m: m.__name__
)
def test_an_analysis_of_little_evidence_keeps_it(made, tmp_path):
    assert breaches(analyse(made(tmp_path).write()).to_json()) == []


def test_these_captures_are_what_they_are_called(tmp_path):
    verdict = {
        made: analyse(made(tmp_path / made.__name__).write()).verdict.id for made in (no_work, cannot_tell, healthy)
    }
    assert verdict == {no_work: "no-work", cannot_tell: "cannot-tell", healthy: "healthy"}


def test_a_redacted_analysis_keeps_it():
    content = redact(of_golden("sync-over-async"))
    assert content["redacted"] and breaches(content) == []


def test_a_manifest_that_says_no_more_than_it_must_keeps_it(tmp_path):
    builder = no_work(tmp_path)
    builder.write()
    manifest = json.loads((tmp_path / "capture.json").read_text("utf-8"))
    needed = ("pid", "name", "launched", "cpus_allowed", "processor_count")
    manifest |= {"host": {}, "tool": {}, "status": None, "stop": None}
    target: Any = MANIFEST["target"]
    manifest["target"] = {key: target[key] for key in needed}
    (tmp_path / "capture.json").write_text(json.dumps(manifest), "utf-8")
    assert breaches(analyse(open_capture(tmp_path)).to_json()) == []


def extra_key(content):
    content["capture"]["host"]["colour"] = "red"


def extra_key_of_a_row(content):
    content["blame"][0]["colour"] = "red"


def missing_key(content):
    del content["verdict"]["confidence"]


def text_for_a_number(content):
    content["timeline"]["queue"][7] = "7"


def fraction_for_a_count(content):
    content["items"]["count"] = 49.5


def unknown_value(content):
    content["rules"][0]["status"] = "skipped"


def share_above_one(content):
    content["attribution"]["wait_share"]["core"] = 1.5


def unknown_cause(content):
    content["attribution"]["wait_ms"]["moon"] = 1.0


def null_where_it_is_always_known(content):
    content["worst_items"][0]["wait_ms"] = None


def other_format(content):
    content["format"] = 2


CHANGES = (
    extra_key, extra_key_of_a_row, missing_key, text_for_a_number, fraction_for_a_count, unknown_value, share_above_one,
    unknown_cause, null_where_it_is_always_known, other_format,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_breaks_the_contract_is_found(change):
    content = copy.deepcopy(of_golden("sync-over-async"))
    change(content)
    assert len(breaches(content)) == 1


def test_only_keys_that_are_data_are_open():
    definitions = json.loads(SCHEMA.read_text("utf-8"))["$defs"]
    objects = {name: d for name, d in definitions.items() if d["type"] == "object"}
    assert len(objects) > 60
    assert all(
        d["additionalProperties"] is False and set(d["required"]) <= set(d["properties"]) for d in objects.values()
    )
    values = [(f"{name}.{key}", raw) for name, d in objects.items() for key, raw in d["properties"].items()]
    assert all(raw["description"].rstrip(")").endswith((".", "...")) for _, raw in values)
    free = {place for place, raw in values if raw.get("type") == "object" and "propertyNames" not in raw}
    assert free == {"Analysis.redacted", "Finding.explains"}


def test_the_explained_findings_are_rules():
    ids = {rule.id for rule in RULES}
    for name in NAMES:
        assert {cause for finding in of_golden(name)["findings"] for cause in finding["explains"]} <= ids
