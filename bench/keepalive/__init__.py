"""Many requests a second on connections that stay open: the ties, losses and cost of a capture."""
