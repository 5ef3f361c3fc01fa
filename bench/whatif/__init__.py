"""Predicted against measured: what `poolscope whatif` says of a changed setting, and what a run with it then does."""
