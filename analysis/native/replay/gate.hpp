// poolscope/replay/loop/gate.py
#pragma once

#include "items.hpp"

namespace poolscope {

constexpr double gate_busy_cpu = 80.0, starved_ms = 500.0, busy_starved_ms_per_thread = 1000.0;

inline void set_goal(State& s, int64_t goal, int64_t why) {
    s.goal = goal;
    if (s.net.climbs) s.climbing.force_change(goal, why);
    s.log_goal(why);
}

inline double adjust_for_blocked(State& s, bool delay_is_over) {
    s.pending = none;
    int64_t wanted = blocking_goal(s), goal = s.goal;
    if (goal == wanted) return 0.0;
    if (goal > wanted) {
        int64_t less = std::min(goal - wanted, s.added);
        if (less > 0) {
            s.added -= less;
            set_goal(s, goal - less, cooperative_blocking);
        }
        return 0.0;
    }
    double at_once = std::min(s.limit_min + s.net.threads_without_delay, s.limit_max);
    double free = std::min(double(wanted), std::max(at_once, std::min(double(s.threads), s.limit_max)));
    if (goal < free || delay_is_over) {
        int64_t more = goal < free ? int64_t(free) : goal + 1;
        s.added += more - goal;
        set_goal(s, more, cooperative_blocking);
        if (s.working >= goal && s.requested > 0) add_worker(s);
        if (more >= wanted) return 0.0;
    }
    s.pending = with_delay;
    double steps = 1.0 + std::floor((s.goal - at_once) / s.net.threads_per_step);
    return std::min(steps * s.net.delay_step_ms, s.net.max_delay_ms);
}

inline void read_cpu(State& s) {
    double used = cpu_read(s), wall = s.now - s.gate_time;
    if (wall > 0.0) {
        double share = (used - s.gate_cpu) / (wall * s.net.processors);
        s.cpu_percent = std::floor(std::min(100.0, std::max(0.0, 100.0 * share)));
    }
    s.gate_cpu = used;
    s.gate_time = s.now;
}

inline void gate_looks(State& s, double now) {
    s.gate_tick = now;
    if (s.pending == none) {
        if (s.net.reads_cpu) read_cpu(s);
        double starved = s.cpu_percent >= gate_busy_cpu ? s.goal * busy_starved_ms_per_thread : starved_ms;
        double last_dequeue = s.dequeued == no_time ? 0.0 : s.tick_at(s.dequeued);
        if (s.net.starvation && s.requested > 0 && now - last_dequeue > starved && s.working < s.limit_max &&
            s.working >= s.goal) {
            set_goal(s, s.working + 1, starvation_reason);
            add_worker(s);
        }
        if (s.requested <= 0 && --s.gate_state == 0) {
            s.gate_at = inf;
            return;
        }
    }
    s.gate_at = s.now + gate_period_ms * ms + lateness_ns(s);
}

inline void gate_wakes(State& s) {
    double now = s.tick();
    bool look = s.gate_at <= s.now, delayed = s.adjust_at < inf, delay_is_over = s.adjust_at <= s.now;
    if (s.signal_at <= s.now) s.signal_at = inf;
    if (s.pending == none) {
        s.adjust_at = inf;
    } else if (!(delayed && s.pending == with_delay && !delay_is_over)) {
        double delay = adjust_for_blocked(s, delay_is_over);
        s.adjust_at = inf;
        if (delay > 0.0) s.adjust_at = s.now + delay * ms + lateness_ns(s);
    }
    if (look || now - s.gate_tick >= gate_period_ms) gate_looks(s, now);
}

inline void reference_gate_looks(State& s) {
    double wait = gate_period_ms * ms;
    int64_t growth = s.reference.growth, extra = s.threads - s.reference.processors;
    bool is_short = !s.queued.empty() && s.threads < s.limit_max;
    double since = s.now - s.last_creation;
    if (growth == rotor) {
        if (is_short) {
            int64_t before = std::exchange(s.queued_before, s.queued.size());
            if (s.queued.size() >= before && since > required_gap_ns(extra)) start_thread(s);
        }
    } else if (is_short && idle_threads(s) == 0) {
        if (growth == net11) {
            start_thread(s);
        } else {
            double due = s.last_creation + required_gap_ns(extra);
            if (due > s.now) {
                wait = due - s.now;
            } else {
                start_thread(s);
                wait = required_gap_ns(extra + 1);
            }
        }
    }
    s.gate_at = s.now + wait;
}

inline void oldest_times_out(State& s) {
    s.parked.pop_front();
    double kept = s.given.kind == net ? s.net.threads_to_keep : s.limit_min;
    if (s.threads <= kept) {
        s.parked.push_back(s.now);
        return;
    }
    s.threads--;
    s.log_threads();
    if (s.given.kind != net) return;
    int64_t lowest = std::min(s.goal, blocking_goal(s));
    int64_t goal = std::max(lowest, std::min(s.threads, s.goal));
    if (goal != s.goal) set_goal(s, goal, thread_timed_out);
}

inline void set_limits(State& s, double least, double most) {
    s.limit_min = least;
    s.limit_max = most;
    if (s.given.kind != net) return;
    if (s.goal > most) {
        s.goal = int64_t(most);
        s.log_goal(initializing);
    }
    if (s.blocked_workers > 0) {
        s.pending = immediately;
        signal_gate(s);
    } else if (s.goal < least) {
        s.goal = int64_t(least);
        s.log_goal(initializing);
        if (s.requested > 0) add_worker(s);
    }
}

}  // namespace poolscope
