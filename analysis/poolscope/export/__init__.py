"""A capture as files that other tools open: one module per format, one table of them, one way to write a file."""

from poolscope.export.formats import FORMATS, Format, Source, Written, export

__all__ = ["FORMATS", "Format", "Source", "Written", "export"]
