"""The published experiments, run again: captured, analysed, and held against what was published."""
