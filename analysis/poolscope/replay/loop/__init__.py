"""The event loop in plain Python: the specification, and the oracle of the native loop (analysis/native/replay), which has a
file of the same name for each module and gives the same bytes.

Layers, each of which knows only those before it: `given`, `state`, `answers`, `gathered`, `threads` (how a pool gets workers),
`items` (what an item does next), `workers` (what a worker does next), `gate` (what a pool does now and then), `events` (the
loop).
"""
