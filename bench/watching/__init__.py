"""The cost of `poolscope-collect watch` for a service, and the faults that it catches."""
