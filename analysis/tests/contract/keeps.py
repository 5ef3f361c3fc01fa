"""Checks whether an analysis.json keeps its contract, traces/analysis.schema.json."""

import json
from functools import cache
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).resolve().parents[3] / "traces" / "analysis.schema.json"


@cache
def validator():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def breaches(content):
    """Returns the differences between the content and the contract."""
    as_written = json.loads(json.dumps(content, allow_nan=False))
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in validator().iter_errors(as_written)
    ]
