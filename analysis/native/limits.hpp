// Walks through the counts that decide the limit of the pool. poolscope/measures/instant_limit.py describes the
// arguments. NumPy adds the same numbers in the same order.
#pragma once

#include <cmath>

#include "gallop.hpp"

namespace poolscope {

// A step function at a moment that only moves forward.
class Walk {
public:
    Walk(Span<const double> time, Span<const double> values) : time_(time), values_(values) {
        if (!rows_of(time, values)) throw std::invalid_argument("a step function has no steps");
        value_ = values[0];
        next_ = time[0];
    }

    void to(double time) {
        for (; next_ <= time; next_ = ++at_ < time_.size ? time_[at_] : INFINITY) value_ = values_[at_];
    }
    double value() const { return value_; }
    // The first step after this moment.
    double next() const { return next_; }

private:
    Span<const double> time_, values_;
    int64_t at_ = 0;
    double value_, next_;
};

// Adds the time with items queued to found[bin * 6 + limit], ns. Each count is two columns, time and value.
inline void time_by_limit(Span<const double> queued_time, Span<const double> queued, Span<const double> busy_time,
                          Span<const double> busy, Span<const double> goal_time, Span<const double> goal,
                          Span<const double> maximum_time, Span<const double> maximum, Span<const double> suspended_time,
                          Span<const double> suspended, Span<const double> on_core_time, Span<const double> on_core,
                          Span<const double> cores_time, Span<const double> cores, Span<const double> ready_time,
                          Span<const double> ready, Span<const double> edges, Span<const double> moves, int64_t quiet,
                          Span<double> found) {
    enum Limit { SUSPENDED, CORES, CAP, GATE, GOAL, NONE, LIMITS };
    Walk walks[] = {{queued_time, queued}, {busy_time, busy}, {goal_time, goal}, {maximum_time, maximum},
                    {suspended_time, suspended}, {on_core_time, on_core}, {cores_time, cores}, {ready_time, ready}};
    auto& [items, work, aim, most, stop, running, may, waiting] = walks;
    int64_t bins = edges.size - 1, moved = 0;
    if (bins < 1 || found.size != bins * LIMITS || moves.size < 2) throw std::invalid_argument("no bins, or no moves");
    auto is_quiet = [&](double time) {
        moved = not_more_than(moves, time, moved);
        int64_t after = std::clamp<int64_t>(moved, 1, moves.size - 1);
        return moves[after] - moves[after - 1] >= double(quiet);
    };
    auto limit = [&](double time) {
        if (stop.value() > 0) return SUSPENDED;
        if ((running.value() > 0 && running.value() >= may.value()) || waiting.value() > 0) return CORES;
        if (work.value() >= most.value()) return CAP;
        if (work.value() < aim.value()) return NONE;
        return is_quiet(time) ? GATE : GOAL;
    };
    for (int64_t bin = 0; bin < bins; bin++) {
        for (double time = edges[bin], next; time < edges[bin + 1]; time = next) {
            next = edges[bin + 1];
            for (Walk& walk : walks) {
                walk.to(time);
                next = std::min(next, walk.next());
            }
            if (items.value() > 0) found[bin * LIMITS + limit(time)] += next - time;
        }
    }
}

}  // namespace poolscope
