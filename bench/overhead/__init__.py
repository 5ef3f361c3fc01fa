"""What recording costs the process that is recorded: measures it, and writes docs/measured/overhead.md."""
