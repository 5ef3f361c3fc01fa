"""The files generated from the schema of analysis.json: its types and its reference page."""

import copy
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import contract_doc
import contract_types
import pytest
import repo
from contract_shapes import ANALYSIS, MANIFEST

TWO = {
    "Analysis": {
        "description": "All of it.",
        "additionalProperties": False,
        "required": ["part"],
        "properties": {
            "part": {
                "anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}],
                "null": "no part",
                "description": "A part.",
            },
            "maybe": {"type": "integer", "minimum": 1, "description": "A number."},
        },
    },
    "Cause": {"type": "string", "enum": ["core", "runtime"], "description": "A cause."},
    "Part": {
        "description": "A part (docs/blame.md).",
        "additionalProperties": False,
        "required": ["async", "by"],
        "properties": {
            "async": {"type": "boolean", "description": "This | that."},
            "by": {
                "type": "object",
                "propertyNames": {"$ref": "#/$defs/Cause"},
                "additionalProperties": {"type": "array", "items": {"type": ["number", "null"], "unit": "ms"}},
                "description": "Times.",
            },
        },
    },
}


def test_the_types_say_what_the_schema_says():
    space: dict[str, Any] = {}
    exec(contract_types.render(TWO), space)
    whole, part = space["AnalysisJson"], space["PartJson"]
    assert whole.__annotations__["part"].__forward_arg__ == "PartJson | None"
    assert "NotRequired[int]" in contract_types.render(TWO)
    assert list(part.__annotations__) == ["async", "by"]
    assert part.__annotations__["by"] == dict[str, list[float | None]]


def test_the_reference_says_what_the_schema_says():
    text = contract_doc.render(TWO)
    assert "| `part` | [object](#part) or null |  | A part.<br>null: no part |" in text
    assert "| `maybe` | integer \N{GREATER-THAN OR EQUAL TO} 1 |  | Optional. A number. |" in text
    assert "### part\n\nA part ([docs/blame.md](blame.md)).\n" in text
    assert "| `async` | boolean |  | This \\| that. |" in text
    row = "| `by` | object, by key: array of number or null | ms | Times.<br>keys: `core`, `runtime` |"
    assert row in text


def open_ended(schema):
    schema["Part"]["additionalProperties"] = True


def null_without_reason(schema):
    del schema["Analysis"]["properties"]["part"]["null"]


def reason_without_null(schema):
    schema["Analysis"]["properties"]["maybe"]["null"] = "never"


@pytest.mark.parametrize("spoil", [open_ended, null_without_reason, reason_without_null])
def test_a_schema_that_leaves_something_open_is_refused(spoil):
    schema = copy.deepcopy(TWO)
    spoil(schema)
    with pytest.raises(repo.BuildError):
        contract_doc.render(schema)


@pytest.mark.parametrize("contract", [ANALYSIS, MANIFEST], ids=lambda contract: contract.document)
def test_both_follow_the_schema(contract, tmp_path):
    contract = replace(contract, types=tmp_path / "types.py", page=tmp_path / "page.md")
    page, types, reference = contract.page, contract_types.Types(contract), contract_doc.Reference(contract)
    begin = contract_doc.BEGIN.format(schema=contract.schema.relative_to(repo.ROOT))
    page.write_text(f"Before\n{begin}\nold\n{contract_doc.END}\nafter\n", "utf-8")
    assert not types.up_to_date() and not reference.up_to_date()
    types.write()
    reference.write()
    assert types.up_to_date() and reference.up_to_date()
    text = page.read_text("utf-8")
    assert text.startswith("Before\n") and text.endswith("\nafter\n") and "\nold\n" not in text
    parts: list[tuple[Any, Path]] = [(types, contract.types), (reference, page)]
    for part, file in parts:
        file.write_text(file.read_text("utf-8").replace("The ", "A ", 1), "utf-8")
        assert not part.up_to_date()


@pytest.mark.parametrize("contract", [ANALYSIS, MANIFEST], ids=lambda contract: contract.document)
def test_every_key_is_in_the_reference_and_every_link_in_it_leads_somewhere(contract):
    definitions = contract.load()
    text = contract_doc.render(definitions)
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert len(headings) == sum("properties" in definition for definition in definitions.values())
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert len(anchors) == len(headings)
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(repo.BuildError):
        contract_doc.Reference(ANALYSIS).into_page("no marks")
