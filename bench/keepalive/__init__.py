"""Many requests a second on connections that stay open: what a capture ties, loses and costs."""
