"""The measured facts: items, the executions they are cut into, the pool, cores, suspensions. No cause yet."""
