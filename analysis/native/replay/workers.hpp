// poolscope/replay/loop/events.py
#pragma once

#include "items.hpp"

namespace poolscope {

inline int64_t take(State& s) { return s.queued.empty() ? -1 : s.queued.pop(); }

inline void begin(State& s, int64_t item) {
    if (item >= s.items || s.stand_in[item] == queued_first) return stand_in(s, item);
    if (s.start[item] == inf) {
        start(s, item);
        if (int64_t what = s.given.queue_of(item); what >= 0) work_off(s, what);
    }
    advance(s, item);
}

inline void dispatch(State& s) {
    while (s.requested > 0) {
        s.requested--;
        s.dequeued = s.now;
        s.outstanding = std::max<int64_t>(s.outstanding - 1, 0);
        int64_t item = take(s);
        if (item >= 0) {
            ensure_requested(s);
            begin(s, item);
            return;
        }
    }
    s.working--;
    s.parked.push_back(s.now);
}

inline void climb(State& s) {
    if (!s.net.climbs || s.working > s.goal || s.pending != none) return;
    // Most often the sample is far from over, and the tick, which takes a division, need not be known.
    if (s.now + s.phase < (s.next_sample - 1.0) * ms) return;
    double now = s.tick();
    if (now < s.next_sample) return;
    double elapsed = s.now - s.sample_start;
    if (elapsed / ms < (s.next_sample - s.prior_sample) / 2.0) return;
    int64_t lowest = std::min(s.goal, blocking_goal(s));
    auto [goal, interval] = s.climbing.update(s.goal, elapsed / ns_per_s, s.completions, lowest,
                                              int64_t(s.limit_max), s.cpu_percent);
    s.prior_sample = now;
    s.next_sample = now + interval;
    s.sample_start = s.now;
    s.completions = 0;
    int64_t before = s.goal;
    if (goal == before) return;
    s.goal = goal;
    s.log_goal(s.climbing.reason);
    if (goal > before) add_worker(s);
}

inline void after_item(State& s) {
    s.completions++;
    s.dequeued = s.now;
    climb(s);
    if (s.working > s.goal) {
        s.working--;
        s.parked.push_back(s.now - spin_ns);
        return;
    }
    int64_t item = take(s);
    if (item >= 0) begin(s, item);
    else dispatch(s);
}

inline void next_item(State& s) {
    int64_t item = take(s);
    if (item >= 0) begin(s, item);
    else s.parked.push_back(s.now);
}

inline void worker_started(State& s, bool is_new) {
    if (s.given.kind == net) return dispatch(s);
    if (!is_new) s.waking--;
    next_item(s);
}

inline void worker_free(State& s) {
    if (s.given.kind == net) {
        after_item(s);
    } else if (s.given.kind == dedicated) {
        s.threads--;
        s.log_threads();
    } else {
        next_item(s);
    }
}

}  // namespace poolscope
