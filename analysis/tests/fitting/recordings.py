"""Recordings with known parts: five minutes of short items, and a pool that starves for twenty seconds in the
fourth."""

from synthetic import MS, CaptureBuilder

S = 1000 * MS
STARVED_S = (200, 220)
LENGTH_S = 300
WORKERS = 4


def starved(folder, *, kernel=True):
    """Builds 20 items a second on four workers, 10 ms each. At 200 s all workers block for 20 s, and the items wait.

    An ordinary item waits for 0.1 ms. An item queued while all workers are blocked waits until 220 s, and then for its
    turn.
    """
    builder = CaptureBuilder(folder, length=LENGTH_S * S, limits=(WORKERS, WORKERS), kernel=kernel)
    free = [0] * WORKERS
    states: dict[int, list[tuple[int, int, str]]] = {w: [] for w in range(WORKERS)}
    for i in range(20 * (LENGTH_S - 5)):
        enqueue = i * 50 * MS + MS
        w = min(range(WORKERS), key=lambda w: (free[w], w))
        dequeue = max(enqueue + MS // 10, free[w])
        blocks = STARVED_S[0] * S <= dequeue < STARVED_S[0] * S + 200 * MS
        end = STARVED_S[1] * S + w * MS if blocks else dequeue + 10 * MS
        if dequeue > free[w]:
            states[w].append((free[w], dequeue, "blocked"))
        states[w].append((dequeue, dequeue + MS, "running"))
        states[w].append((dequeue + MS, end, "blocked"))
        free[w] = end + MS // 100
        states[w].append((end, free[w], "running"))
        builder.item(enqueue, dequeue, end, 200 + w)
    for w, rows in states.items():
        for start, end, name in rows:
            builder.state(200 + w, start, end, name)
    for tid in range(200, 200 + WORKERS):
        builder.thread(tid, 100, ".NET TP Worker")
    return builder
