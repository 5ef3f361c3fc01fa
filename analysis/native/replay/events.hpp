// poolscope/replay/loop/events.py
#pragma once

#include "gate.hpp"
#include "workers.hpp"

namespace poolscope {

constexpr double uptime_ns = 1000e9;

inline double soonest_but_cpu(const State& s) {
    return std::min(std::min(s.blocked.key(), s.starting.key()), std::min(s.next_arrival, s.next_step));
}

inline double soonest_of_gate(const State& s) { return std::min(std::min(s.gate_at, s.adjust_at), s.signal_at); }

inline double soonest_of_pool(const State& s) {
    double soonest = soonest_of_gate(s);
    if (!s.parked.empty()) soonest = std::min(soonest, s.parked.front() + s.idle_ns);
    return soonest;
}

inline bool pool_may_help(const State& s) {
    if (s.queued.empty()) return false;
    if (s.given.kind == net) {
        bool may_grow = s.net.starvation || s.adjust_at < inf || s.signal_at < inf;
        return may_grow && s.goal <= s.working && s.working < s.limit_max;
    }
    return s.threads < s.limit_max && s.reference.growth >= net11;
}

inline double number_at(Span<const double> numbers, int64_t at) { return at < numbers.size ? numbers[at] : inf; }

inline void follow_world(State& s) {
    const Given& given = s.given;
    while (s.next_step <= s.now) {
        int64_t step = ++s.step;
        s.next_step = number_at(given.time, step + 1);
        s.cores = given.cores[step];
        s.competitors = given.competitors[step];
        if (given.least[step] != s.limit_min || given.most[step] != s.limit_max)
            set_limits(s, given.least[step], given.most[step]);
    }
}

inline void count_cpu(State& s, double rate, double elapsed) {
    if (elapsed <= 0.0) return;
    double runnable = s.running.size() + s.competitors;
    s.cpu_machine += std::min(s.cores, runnable) * elapsed;
    double used = s.running.size() * rate * elapsed;
    s.cpu_used += used;
    if (runnable > s.cores) s.switches += used / slice_ns * std::min(1.0, runnable - s.cores);
}

inline void settle(State& s) {
    while (!s.resumed.empty() || s.free > 0) {
        if (!s.resumed.empty()) {
            int64_t item = s.resumed.front();
            s.resumed.pop_front();
            go_on(s, item);
        } else {
            s.free--;
            worker_free(s);
        }
    }
}

inline void happen(State& s) {
    const Given& given = s.given;
    while (s.running.key() <= s.virtual_time) {
        int64_t item = s.running.pop();
        s.position[item]++;
        advance(s, item);
    }
    while (s.blocked.key() <= s.now) {
        double time = s.blocked.key();
        int64_t item = s.blocked.pop();
        if (item >= s.items) {
            mark_comes(s, item);
        } else if (s.brings && s.coming[item] == time) {
            s.coming[item] = inf;
            come(s, item);
        } else {
            go_on(s, item);
        }
    }
    while (s.next_arrival <= s.now) {
        int64_t item = given.arrival_item[s.arrivals];
        s.next_arrival = number_at(given.arrival_time, ++s.arrivals);
        arrive(s, item);
    }
    settle(s);
    while (s.starting.key() <= s.now) {
        worker_started(s, s.starting.pop() != 0);
        settle(s);
    }
    if (given.kind == net) {
        if (soonest_of_gate(s) <= s.now) gate_wakes(s);
    } else if (given.kind == reference && s.gate_at <= s.now) {
        reference_gate_looks(s);
    }
    while (!s.parked.empty() && s.parked.front() + s.idle_ns <= s.now) oldest_times_out(s);
    if (given.kind == allowed) {
        while (!s.queued.empty() && s.working < s.limit_max) {
            s.working++;
            if (s.working > s.threads) {
                s.threads = s.working;
                s.log_threads();
            }
            begin(s, take(s));
            settle(s);
        }
    }
}

inline void prepare(State& s) {
    const Given& given = s.given;
    s.now = given.time[0];
    s.next_step = number_at(given.time, 1);
    s.next_arrival = number_at(given.arrival_time, 0);
    s.now = std::min(s.now, s.next_arrival);
    s.cores = given.cores[0];
    s.competitors = given.competitors[0];
    s.limit_min = given.least[0];
    s.limit_max = given.most[0];
    s.gate_time = s.now;
    int64_t idle = 0;
    if (given.kind == net) {
        s.phase = s.draw() * s.net.jiffy_ms * ms;
        s.idle_ns = s.net.idle_ms * ms;
        s.sample_start = s.now - uptime_ns;
        s.prior_sample = s.next_sample = s.tick() - uptime_ns / ms;
        s.goal = int64_t(s.limit_min);
        idle = s.net.warm_threads;
    } else if (given.kind == reference) {
        s.idle_ns = s.reference.idle_ms * ms;
        if (s.reference.growth == fixed) idle = int64_t(s.limit_min);
    }
    s.parked.assign(idle, s.now - spin_ns);
    s.threads = idle;
    s.log_threads();
}

// Divisions are slow, and most events need none, because a quotient of at least 1 counts as 1.
inline double rate_of(const State& s) {
    if (s.cores <= 0.0) return 0.0;
    double runnable = s.running.size() + s.competitors;
    return s.running.empty() || s.cores >= runnable ? 1.0 : s.cores / runnable;
}

inline void note_at_once(State& s) { s.most_at_once = std::max(s.most_at_once, s.at_once); }

inline Happened run(const Given& given, const ItemTimes& times) {
    State s(given, times);
    prepare(s);
    while (s.unfinished > 0) {
        double rate = rate_of(s);
        double soonest = soonest_but_cpu(s);
        bool cpu_ends = false;
        if (!s.running.empty() && rate > 0.0) {
            double left = s.running.key() - s.virtual_time;
            double at = s.now + (rate < 1.0 ? left / rate : left);
            if (at <= soonest) {
                soonest = at;
                cpu_ends = true;
            }
        }
        if (given.kind == net || given.kind == reference) {
            if (soonest == inf && !pool_may_help(s)) break;
            double pool = soonest_of_pool(s);
            if (pool < soonest) {
                soonest = pool;
                cpu_ends = false;
            }
        }
        if (soonest == inf) break;
        if (soonest > s.now) note_at_once(s);
        count_cpu(s, rate, soonest - s.now);
        if (cpu_ends) s.virtual_time = s.running.key();
        else s.virtual_time += (soonest - s.now) * rate;
        s.now = soonest;
        follow_world(s);
        happen(s);
    }
    note_at_once(s);
    return {std::move(s.thread_log), std::move(s.goal_log), s.peak, s.most_at_once, s.switches};
}

}  // namespace poolscope
