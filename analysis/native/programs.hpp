// Segments and the points among them as the operations of each item.
#pragma once

#include <cstdint>

#include "searches.hpp"

namespace poolscope {

using Kinds = Span<const std::int8_t>;

// A list of operations in runs of one group and kind. Neighbours up to the kind `stretch` are added up. Without arrays
// to write to, they are only counted.
struct Operations {
    Span<std::int8_t> op;
    Span<double> value;
    Span<std::int32_t> target;
    Span<int64_t> begin;
    int64_t stretch;
    int64_t count = 0, group = -1;
    std::int8_t last = 0;

    void add(int64_t of, std::int8_t kind, double worth, int64_t to) {
        bool written = op.size > 0;
        if (count > 0 && of == group && kind == last && kind <= stretch) {
            if (written) value[count - 1] += worth;
            return;
        }
        if (written) {
            begin_up_to(std::min(of, begin.size - 1));
            op[count] = kind;
            value[count] = worth;
            target[count] = std::int32_t(to);
        }
        count++;
        group = of;
        last = kind;
    }

    // Marks this place as the beginning of all groups up to this one that have not begun.
    void begin_up_to(int64_t last_group) {
        for (int64_t g = count > 0 ? group + 1 : 0; g <= last_group; g++) begin[g] = count;
    }
};

// Merges segments and points into operations. Returns their number, or -1 if the segments are not in order.
//
// A segment of a group counts as the kind `does` from `start` to `until`, or as nothing if `does` is below 0. Segments
// and points are in order of group and time; a segment comes before the points of its moment. Each row, segment or
// point, is followed by the rest of its segment up to the group's next row. begin[g] becomes the number of operations
// before group g, for 0 to the number of groups.
inline int64_t programs(Integers group, Integers start, Integers until, Kinds does, Integers of, Integers time,
                        Kinds kind, Floats value, Integers target, int64_t stretch, Span<std::int8_t> op,
                        Span<double> values, Span<std::int32_t> targets, Span<int64_t> begin) {
    int64_t n = rows_of(group, start, until, does), m = rows_of(of, time, kind, value, target);
    rows_of(op, values, targets);
    for (int64_t i = 1; i < n; i++)
        if (group[i] < group[i - 1] || (group[i] == group[i - 1] && start[i] < start[i - 1])) return -1;
    Operations to{op, values, targets, begin, stretch};
    int64_t i = 0, j = 0;
    while (i < n || j < m) {
        int64_t g, now, next = INT64_MAX;
        if (i < n && (j >= m || group[i] < of[j] || (group[i] == of[j] && start[i] <= time[j]))) {
            g = group[i];
            now = start[i++];
        } else {
            g = of[j];
            now = time[j];
            to.add(g, kind[j], value[j], target[j]);
            j++;
        }
        if (i < n && group[i] == g) next = start[i];
        if (j < m && of[j] == g && time[j] < next) next = time[j];
        // The row lies in the last segment so far, if that is of the same group.
        if (i > 0 && group[i - 1] == g && does[i - 1] >= 0) {
            int64_t end = std::min(until[i - 1], next);
            if (end > now) to.add(g, does[i - 1], double(end - now), -1);
        }
    }
    to.begin_up_to(begin.size - 1);
    return to.count;
}

}  // namespace poolscope
