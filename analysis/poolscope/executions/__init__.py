"""What happened, measured: items, the executions they are cut into, the pool, cores, suspensions. No cause yet."""
