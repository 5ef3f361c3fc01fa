"""One file for each bad day. Each has `run(count)`, which gives the rows of docs/measured/faults.md for it."""
