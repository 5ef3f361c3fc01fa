// NumPy's binary search for each number, or its sort, in one pass.
//
// The numbers that the analysis looks up are in order, or nearly so, and each search starts where the previous one
// ended. Results match NumPy's to the bit. poolscope/base/searches.py describes the arguments of each function. No
// number may be NaN; a NaN ends `counted` and `combined` early, without harm.
#pragma once

#include <vector>

#include "gallop.hpp"

namespace poolscope {

using Floats = Span<const double>;
using Integers = Span<const int64_t>;

template <class T>
void ranks(Span<const T> rows, Span<const T> asked, bool right, Span<int64_t> found) {
    int64_t count = rows_of(asked, found), at = 0;
    if (right)
        for (int64_t j = 0; j < count; j++) found[j] = at = not_more_than(rows, asked[j], at);
    else
        for (int64_t j = 0; j < count; j++) found[j] = at = less_than(rows, asked[j], at);
}

inline void values(Floats time, Floats value, Floats asked, Span<double> found) {
    rows_of(time, value);
    int64_t count = rows_of(asked, found), at = 0;
    for (int64_t j = 0; j < count; j++) {
        at = not_more_than(time, asked[j], at);
        found[j] = value[at ? at - 1 : 0];
    }
}

// The number of steps between two marks of an integral. `areas` repeats the additions in between, in the same order.
constexpr int64_t STRIDE = 8;

// Writes the integral of a step function up to its steps 0, STRIDE, 2 * STRIDE and so on.
inline void area_marks(Floats time, Floats value, Span<double> marks) {
    int64_t steps = rows_of(time, value);
    if (marks.size != (steps + STRIDE - 1) / STRIDE) throw std::invalid_argument("marks do not fit the steps");
    double area = 0;
    for (int64_t i = 0; i < steps; i++) {
        if (i % STRIDE == 0) marks[i / STRIDE] = area;
        if (i + 1 < steps) area += value[i] * (time[i + 1] - time[i]);
    }
}

// The integral of a step function up to any time. `marks` is the result of `area_marks`.
class Area {
public:
    Area(Floats time, Floats value, Floats marks) : time_(time), value_(value), marks_(marks) {
        int64_t steps = rows_of(time, value);
        if (!steps || marks.size != (steps + STRIDE - 1) / STRIDE) throw std::invalid_argument("marks do not fit the steps");
    }

    double until(double asked) {
        at_ = not_more_than(time_, asked, at_);
        int64_t step = at_ ? at_ - 1 : 0, mark = step - step % STRIDE;
        if (step < known_ || mark > known_) area_ = marks_[(known_ = mark) / STRIDE];
        for (; known_ < step; known_++) area_ += value_[known_] * (time_[known_ + 1] - time_[known_]);
        return (asked - time_[step]) * value_[step] + area_;
    }

private:
    Floats time_, value_, marks_;
    int64_t at_ = 0, known_ = 0;
    double area_ = 0;  // up to step `known_`
};

inline void areas(Floats time, Floats value, Floats marks, Floats asked, Span<double> found) {
    Area area(time, value, marks);
    int64_t count = rows_of(asked, found);
    for (int64_t j = 0; j < count; j++) found[j] = area.until(asked[j]);
}

// Returns false without writing anything if the rows are not in order.
inline bool latest(Integers of, Integers time, Integers group, Integers asked, Span<int64_t> row, Span<bool> is) {
    int64_t n = rows_of(of, time), count = rows_of(group, asked, row, is), at = 0;
    for (int64_t i = 1; i < n; i++)
        if (of[i] < of[i - 1] || (of[i] == of[i - 1] && time[i] < time[i - 1])) return false;
    for (int64_t j = 0; j < count; j++) {
        at = gallop(n, at, [&](int64_t i) { return of[i] < group[j] || (of[i] == group[j] && time[i] <= asked[j]); });
        row[j] = at ? at - 1 : 0;
        is[j] = at && of[at - 1] == group[j];
    }
    return true;
}

// Rows in groups: group g has the rows from first[g] to before first[g] + count[g], in order of time. `of` is the group
// of each number to look up, -1 if none. next[g] is where the last search in g ended, so numbers in order of time are
// found at once whatever their groups.

// Finds the last row of the group up to each time, -1 if there is none.
inline void latest_of(Integers time, Integers first, Integers count, Span<int64_t> next, Integers of, Integers asked,
                      Span<int64_t> row) {
    rows_of(first, count, next);
    int64_t numbers = rows_of(of, asked, row);
    for (int64_t j = 0; j < numbers; j++) {
        int64_t g = of[j];
        row[j] = -1;
        if (g >= 0 && (next[g] = not_more_than(Integers{time.data + first[g], count[g]}, asked[j], next[g])))
            row[j] = first[g] + next[g] - 1;
    }
}

// Cuts each interval at the rows of its group, which do not overlap. Returns the number of parts. Without arrays to
// write to, it only counts them.
inline int64_t cut(Integers begin, Integers end, Integers first, Integers count, Span<int64_t> next, Integers of,
                   Integers start, Integers stop, Span<int64_t> item, Span<int64_t> row, Span<int64_t> from,
                   Span<int64_t> until) {
    rows_of(begin, end);
    rows_of(first, count, next);
    int64_t intervals = rows_of(of, start, stop), room = rows_of(item, row, from, until), parts = 0;
    for (int64_t j = 0; j < intervals; j++) {
        int64_t g = of[j];
        if (g < 0) continue;
        // The first row that ends after the start.
        next[g] = not_more_than(Integers{end.data + first[g], count[g]}, start[j], next[g]);
        for (int64_t i = first[g] + next[g]; i < first[g] + count[g] && begin[i] < stop[j]; i++) {
            int64_t a = std::max(begin[i], start[j]), b = std::min(end[i], stop[j]);
            if (b <= a) continue;
            if (parts < room) {
                item[parts] = j;
                row[parts] = i;
                from[parts] = a;
                until[parts] = b;
            }
            parts++;
        }
    }
    return parts;
}

// Finds whether one of the first `ties` rows from each time on, in order of time, has that time and that thread.
inline void told(Integers time, Span<const std::int32_t> of, Integers asked, Span<const std::int32_t> tid, int64_t ties,
                 Span<bool> found) {
    int64_t n = rows_of(time, of), count = rows_of(asked, tid, found), at = 0;
    for (int64_t j = 0; j < count; j++) {
        at = less_than(time, asked[j], at);
        found[j] = false;
        for (int64_t i = at; i < n && i < at + ties && !found[j]; i++)
            found[j] = time[i] == asked[j] && of[i] == tid[j];
    }
}

// Calls `each(number, i, j)` with each distinct number of both, in order. i numbers of the first and j of the second
// are up to it.
template <class Each>
void merge(Floats first, Floats second, Each each) {
    int64_t i = 0, j = 0;
    while (i < first.size || j < second.size) {
        double x = i < first.size && (j >= second.size || first[i] <= second[j]) ? first[i] : second[j];
        if (x != x) return;  // NaN would never be passed
        double number = x;   // of 0.0 and -0.0, the last one
        while (i < first.size && first[i] == x) number = first[i++];
        while (j < second.size && second[j] == x) number = second[j++];
        each(number, i, j);
    }
}

// Writes each distinct number of both, and how many more of `first` than of `second` are up to it. Returns how many
// distinct numbers there are. `first` may be the end of `axis`, and `second` that of `value`: after i and j numbers of
// them, at most i + j are written, and the next number to read lies further on.
inline int64_t counted(Floats first, Floats second, Span<double> axis, Span<double> value) {
    int64_t count = 0;
    if (rows_of(axis, value) < first.size + second.size) throw std::invalid_argument("room for all numbers is needed");
    merge(first, second, [&](double number, int64_t i, int64_t j) {
        axis[count] = number;
        value[count++] = double(i - j);
    });
    return count;
}

// Writes each distinct number of both in order, and the value of each side there: that of the last row up to it, or
// that of the first row before all rows. Returns how many distinct numbers there are. Neither side is empty.
inline int64_t combined(Floats first, Floats value, Floats second, Floats other, Span<double> axis,
                        Span<double> of_first, Span<double> of_second) {
    int64_t count = 0, room = rows_of(axis, of_first, of_second);
    if (room < rows_of(first, value) + rows_of(second, other))
        throw std::invalid_argument("room for all numbers is needed");
    merge(first, second, [&](double number, int64_t i, int64_t j) {
        axis[count] = number;
        of_first[count] = value[i ? i - 1 : 0];
        of_second[count++] = other[j ? j - 1 : 0];
    });
    return count;
}

// Adds what Steps.count_in_bins needs of the intervals of some groups, and returns the last end, -1 if there is none.
// Sums begin again after every `piece` of these intervals.
inline int64_t time_in_bins(Integers begin, Integers end, Integers group, Floats weight, Span<const bool> is_chosen,
                            int64_t width, int64_t piece, Span<double> area, Span<double> opened) {
    int64_t rows = rows_of(begin, end, group), groups = rows_of(weight, is_chosen), bins = rows_of(area, opened);
    if (width < 1 || piece < 1) throw std::invalid_argument("no width, or no rows at once");
    std::vector<double> sums(4 * bins);
    double *first = sums.data(), *last = first + bins, *opens = last + bins, *closes = opens + bins;
    auto flush = [&] {
        for (int64_t bin = 0; bin < bins; bin++) {
            area[bin] = area[bin] + first[bin] - last[bin];
            opened[bin] = opened[bin] + opens[bin] - closes[bin];
        }
        std::fill(sums.begin(), sums.end(), 0.0);
    };
    int64_t count = 0, latest = -1, low = 0, high = 0;
    // Most times are in the bin of the time before.
    auto bin_of = [&](int64_t time, int64_t& bin) {
        if (time < bin * width || time >= (bin + 1) * width) bin = time / width;
        if (time < 0 || bin + 1 >= bins) throw std::invalid_argument("a time has no bin");
    };
    for (int64_t i = 0; i < rows; i++) {
        int64_t of = group[i];
        if (of < 0 || of >= groups) throw std::invalid_argument("a group has no weight");
        if (!is_chosen[of]) continue;
        if (count && count % piece == 0) flush();
        count++;
        bin_of(begin[i], low);
        bin_of(end[i], high);
        latest = std::max(latest, end[i]);
        double each = weight[of];
        first[low] += each * double((low + 1) * width - begin[i]);
        last[high] += each * double((high + 1) * width - end[i]);
        opens[low + 1] += each;
        closes[high + 1] += each;
    }
    flush();
    return latest;
}

}  // namespace poolscope
