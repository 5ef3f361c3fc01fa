// A search that starts where the previous one ended.
#pragma once

#include <algorithm>

#include "span.hpp"

namespace poolscope {

// Returns the number of the `n` ordered rows for which `before(row)` holds. `at`, 0 to n, is the place to start. Steps
// double until they pass the end of these rows, then halve.
template <class Before>
int64_t gallop(int64_t n, int64_t at, Before before) {
    int64_t low = at, high = at, step = 1;
    if (at < n && before(at)) {
        low = high = at + 1;
        for (; high < n && before(high); step *= 2) {
            low = high + 1;
            high = n - low < step ? n : low + step;
        }
    } else {
        for (; low > 0 && !before(low - 1); step *= 2) {
            high = low - 1;
            low = high < step ? 0 : high - step;
        }
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (before(middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

template <class T>
int64_t less_than(Span<const T> rows, T x, int64_t at) {
    return gallop(rows.size, at, [&](int64_t row) { return rows[row] < x; });
}

template <class T>
int64_t not_more_than(Span<const T> rows, T x, int64_t at) {
    return gallop(rows.size, at, [&](int64_t row) { return rows[row] <= x; });
}

}  // namespace poolscope
