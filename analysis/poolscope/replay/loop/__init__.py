"""The event loop in plain Python: the specification, and the oracle of the native loop.

The native loop (analysis/native/replay) has a file of the same name for each module and gives the same bytes. Each
layer knows only the ones before it:

- `given`, `state`, `answers`, `gathered`;
- `threads`: how a pool gets workers;
- `items`: the next step of an item;
- `workers`: the next step of a worker;
- `gate`: periodic work of a pool;
- `events`: the loop.
"""
