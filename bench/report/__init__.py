"""The size of a large capture's report, and the time to make, open and zoom it."""
