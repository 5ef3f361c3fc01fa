"""How large the report of a large capture is, and how fast it is made, opens and moves."""
