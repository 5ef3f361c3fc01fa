"""The page of a look at a memory dump."""
