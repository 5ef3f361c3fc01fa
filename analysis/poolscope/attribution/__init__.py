"""Splits every item's wait into injection delay, blocking, core contention and runtime: the ladder."""

from poolscope.attribution.attribute import Attribution, attribute

__all__ = ["Attribution", "attribute"]
