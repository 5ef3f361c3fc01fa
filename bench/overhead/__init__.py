"""The cost of recording for the recorded process: measures it, and writes docs/measured/overhead.md."""
