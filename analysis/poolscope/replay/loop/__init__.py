"""The event loop: plain functions on arrays, in the subset of Python that numba compiles.

Layers, each of which knows only those before it: `heaps`, `state`, `threads` (how a pool gets workers), `items` (what an
item does next), `workers` (what a worker does next), `gate` (what a pool does now and then), `events` (the loop).
"""
