"""Reads a capture, its manifest and its tables, from a folder or a zip of one."""

from poolscope.capture.capture import DecodedCapture, open_capture
from poolscope.capture.schema import ColumnSchema, TableSchema, load_schema

__all__ = ["ColumnSchema", "DecodedCapture", "TableSchema", "load_schema", "open_capture"]
