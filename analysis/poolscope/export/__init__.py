"""A capture as files that other tools open: one module per format, one table of them, one way to write a file."""

from poolscope.export.formats import FORMATS, Format, export
from poolscope.export.source import Source, Written

__all__ = ["FORMATS", "Format", "Source", "Written", "export"]
