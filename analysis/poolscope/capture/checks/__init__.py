"""Holding what was read to what traces/schema.json says of it. Damage is an error that names table, column and row."""

from poolscope.capture.checks.streams import check_streams
from poolscope.capture.checks.tables import Surroundings, check_table

__all__ = ["Surroundings", "check_streams", "check_table"]
