"""Exports a capture to files that other tools open: one module per format, one table of formats, one way to write a
file."""

from poolscope.export.formats import FORMATS, Format, Source, Written, export

__all__ = ["FORMATS", "Format", "Source", "Written", "export"]
