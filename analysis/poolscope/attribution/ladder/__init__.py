"""The worlds that a wait is compared in, and the parts that follow."""
