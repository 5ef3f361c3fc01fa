"""The published experiments, run again: captured, analysed, and compared with the published results."""
