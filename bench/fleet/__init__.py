"""A thousand captures with planted causes, and what `poolscope fleet` says of them, how soon, and in how much memory."""
