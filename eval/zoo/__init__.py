"""Strangers' programs with one known cause or none: recorded, judged, and held against what was fixed beforehand."""
