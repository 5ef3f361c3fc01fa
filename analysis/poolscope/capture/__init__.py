"""Reading a capture: its manifest and its tables, from a folder or a zip of it."""

from poolscope.capture.capture import Capture, open_capture
from poolscope.capture.schema import ColumnSchema, TableSchema, load_schema

__all__ = ["Capture", "ColumnSchema", "TableSchema", "load_schema", "open_capture"]
