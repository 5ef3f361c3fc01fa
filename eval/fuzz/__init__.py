"""Damages the analysis's input on purpose: no input may end in a traceback, and no damage in a confident wrong verdict.

`python -m fuzz KIND --count N --seconds S --seed X`; docs/fuzzing.md has the figures.
"""
