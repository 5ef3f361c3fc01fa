// Sums intervals in the cells of a picture: one row of bins for each lane. Bins of one width divide the time from 0 to
// `length`, ns. poolscope/product/cells.py describes the arguments. NumPy adds the same numbers in the same order.
#pragma once

#include <algorithm>
#include <cmath>

#include "searches.hpp"

namespace poolscope {

using Small = Span<const std::int8_t>;

// Calls `each(bin, part)` with each bin that the interval touches and the time in it.
template <class Each>
void over_bins(int64_t start, int64_t end, int64_t bins, double width, Each each) {
    int64_t low = std::clamp<int64_t>(int64_t(double(start) / width), 0, bins - 1);
    int64_t high = std::min(std::max(int64_t(std::ceil(double(end) / width)) - 1, low), bins - 1);
    for (int64_t bin = low; bin <= high; bin++)
        each(bin, std::max(std::min(double(end), double(bin + 1) * width) - std::max(double(start), double(bin) * width), 0.0));
}

// Adds the time of each interval to its cell of its state: time[state * cells + lane * bins + bin].
inline void time_in_cells(Integers item, Integers start, Integers end, Small state, Small lane, int64_t lanes,
                          int64_t bins, int64_t length, Span<double> time) {
    int64_t count = rows_of(item, start, end, state), cells = lanes * bins;
    double width = double(length) / double(bins);
    if (bins < 1) throw std::invalid_argument("no bins");
    for (int64_t i = 0; i < count; i++) {
        if (item[i] < 0 || item[i] >= lane.size) throw std::invalid_argument("an item has no lane");
        int64_t of = lane[item[i]];
        if (of < 0) continue;
        if (of >= lanes || state[i] < 0 || (state[i] + 1) * cells > time.size)
            throw std::invalid_argument("a lane or a state has no cells");
        over_bins(start[i], end[i], bins, width,
                  [&](int64_t bin, double part) { time[state[i] * cells + of * bins + bin] += part; });
    }
}

// Writes the row with the longest part in each cell, the last one of equals. `longest` begins below 0.
inline void most_in_cells(Integers start, Integers end, Small lane, int64_t lanes, int64_t bins, int64_t length,
                          Span<double> longest, Span<int64_t> most) {
    int64_t count = rows_of(start, end, lane);
    double width = double(length) / double(bins);
    if (bins < 1 || rows_of(longest, most) < lanes * bins) throw std::invalid_argument("a lane has no cells");
    for (int64_t i = 0; i < count; i++) {
        int64_t of = lane[i];
        if (of >= lanes) throw std::invalid_argument("a lane has no cells");
        if (of < 0 || end[i] <= start[i]) continue;
        over_bins(start[i], end[i], bins, width, [&](int64_t bin, double part) {
            int64_t cell = of * bins + bin;
            if (part < longest[cell]) return;
            longest[cell] = part;
            most[cell] = i;
        });
    }
}

}  // namespace poolscope
