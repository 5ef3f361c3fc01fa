"""Predicted against measured: the prediction of `poolscope whatif` for a changed setting, and a real run with it."""
