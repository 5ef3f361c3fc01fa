"""The `poolscope` command: one module per verb."""
