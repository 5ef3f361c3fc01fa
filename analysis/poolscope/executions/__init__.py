"""The measured facts, without causes: items, their executions, the pool, cores, suspensions."""
