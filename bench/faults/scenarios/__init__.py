"""One module for each fault. Its `run(count)` returns the fault's rows of docs/measured/faults.md."""
