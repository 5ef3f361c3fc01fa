// Passes over the thread states, a row for every switch of the capture. The rows of a thread follow each other, in
// order of time: run r has the rows from first[r] to before first[r + 1], the last one to the end.
// poolscope/executions/states.py describes the arguments. NumPy adds the same numbers in the same order.
#pragma once

#include "cells.hpp"

namespace poolscope {

// The columns of the table, and the window that times are clipped to and relative to.
struct States {
    Integers first, start, end;
    Small state;
    int64_t opened, closed, rows = rows_of(start, end, state);

    int64_t begins(int64_t row) const { return std::clamp(start[row], opened, closed) - opened; }
    int64_t ends(int64_t row) const { return std::clamp(end[row], opened, closed) - opened; }

    // Calls `each(run, from, until)` with the rows of each run.
    template <class Each>
    void over_runs(Each each) const {
        if (closed < opened) throw std::invalid_argument("the window ends before it begins");
        for (int64_t run = 0, until; run < first.size; run++) {
            until = run + 1 < first.size ? first[run + 1] : rows;
            if (first[run] < 0 || first[run] > until || until > rows) throw std::invalid_argument("runs are not in order");
            each(run, first[run], until);
        }
    }
};

// Adds what `mean_in_bins` needs of the rows in a state, by lane and bin, and returns their number. An interval counts
// as if it filled all its bins, and `before` and `after` have the time that is missing at both ends.
inline int64_t states_in_bins(Integers first, Integers start, Integers end, Small state, int64_t opened, int64_t closed,
                              int64_t in, Small lane, Floats edges, Span<int64_t> open, Span<double> before,
                              Span<double> after) {
    States states{first, start, end, state, opened, closed};
    rows_of(first, lane);
    int64_t bins = edges.size - 1, lanes = bins > 0 ? rows_of(before, after) / bins : 0, count = 0;
    if (bins < 1 || open.size != lanes * (bins + 1)) throw std::invalid_argument("no bins, or not as many as edges");
    double zero = edges[0], width = edges[1] - edges[0];
    auto bin_of = [&](double time) { return std::clamp<int64_t>(int64_t((time - zero) / width), 0, bins - 1); };
    states.over_runs([&](int64_t run, int64_t from, int64_t until) {
        int64_t of = lane[run];
        if (of < 0) return;
        if (of >= lanes) throw std::invalid_argument("a lane has no bins");
        for (int64_t i = from; i < until; i++) {
            if (state[i] != in) continue;
            double begin = double(states.begins(i)), stop = double(states.ends(i));
            int64_t low = bin_of(begin), high = bin_of(stop);
            open[of * (bins + 1) + low]++;
            open[of * (bins + 1) + high + 1]--;
            before[of * bins + low] += begin - (zero + double(low) * width);
            after[of * bins + high] += zero + double(high + 1) * width - stop;
            count++;
        }
    });
    return count;
}

// Writes the integral of a step function over the rows of each run that are in a state. Sums begin again every `piece`
// rows of the table.
inline void integral_in_state(Integers first, Integers start, Integers end, Small state, int64_t opened, int64_t closed,
                              int64_t in, int64_t piece, Floats time, Floats value, Floats marks, Span<double> found) {
    States states{first, start, end, state, opened, closed};
    rows_of(first, found);
    if (piece < 1) throw std::invalid_argument("no rows at once");
    Area area(time, value, marks);
    states.over_runs([&](int64_t run, int64_t from, int64_t until) {
        found[run] = 0;
        for (int64_t begin = from, stop; begin < until; begin = stop) {
            stop = std::min(until, (begin / piece + 1) * piece);
            double part = 0;
            for (int64_t i = begin; i < stop; i++) {
                if (state[i] != in) continue;
                double before = area.until(double(states.begins(i)));
                part += area.until(double(states.ends(i))) - before;
            }
            found[run] += part;
        }
    });
}

// Joins rows that follow each other in states other than `not_in`, within the window, and returns the number of these
// intervals. Without arrays to write to, it only counts them. `number` is that of the run's thread. Writes the time in
// the state `in` by run.
inline int64_t joined_states(Integers first, Integers start, Integers end, Small state, int64_t opened, int64_t closed,
                             int64_t not_in, int64_t in, Integers number, Span<int64_t> thread, Span<int64_t> begin,
                             Span<int64_t> stop, Span<double> time) {
    States states{first, start, end, state, opened, closed};
    rows_of(first, number);
    int64_t room = rows_of(thread, begin, stop), count = 0;
    if (room) rows_of(first, time);
    states.over_runs([&](int64_t run, int64_t from, int64_t until) {
        int64_t held = 0;
        for (int64_t i = from; i < until; i++) {
            if (state[i] == not_in) continue;
            // Before and after the window, every row of a thread goes on.
            bool goes_on = i > from && state[i - 1] != not_in &&
                           (start[i] == end[i - 1] || start[i] <= opened || end[i - 1] >= closed);
            if (!goes_on) count++;
            if (count > room) continue;
            if (!goes_on) {
                thread[count - 1] = number[run];
                begin[count - 1] = states.begins(i);
            }
            stop[count - 1] = states.ends(i);
            if (state[i] == in) held += states.ends(i) - states.begins(i);
        }
        if (room) time[run] = double(held);
    });
    return count;
}

}  // namespace poolscope
