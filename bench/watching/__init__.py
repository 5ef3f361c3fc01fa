"""What `poolscope-collect watch` costs a service, and what it catches."""
