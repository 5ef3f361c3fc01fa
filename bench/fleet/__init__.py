"""A thousand captures with planted causes, and the result, time and memory of `poolscope fleet` on them."""
