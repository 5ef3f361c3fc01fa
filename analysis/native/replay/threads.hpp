// poolscope/replay/loop/threads.py, which has the sources of the constants.
#pragma once

#include "state.hpp"

namespace poolscope {

constexpr double wake_ns = 50e3, new_thread_ns = 150e3, first_thread_ns = 3e6, spread_share = 0.3, spin_ns = 90e3,
                 slice_ns = 4e6, gate_period_ms = 500.0, gate_late_ms = 0.2, gate_later_ms = 0.6, gate_rarely_late = 0.1;

inline bool cores_are_full(const State& s) { return s.running.size() + s.competitors >= s.cores; }

inline double lateness_ns(State& s) {
    double late = gate_late_ms + (gate_later_ms - gate_late_ms) * s.draw();
    if (s.draw() < gate_rarely_late) late += s.draw() * slice_ns / ms;
    return late * ms;
}

inline double spread(State& s, double ns) { return ns * (1.0 - spread_share + 2.0 * spread_share * s.draw()); }

inline void start_thread(State& s) {
    bool of_net = s.given.kind == net;
    double at = s.now + spread(s, of_net ? s.net.new_thread_ns : new_thread_ns);
    if (of_net && s.peak == 0) at += first_thread_ns;
    s.threads++;
    s.last_creation = s.now;
    s.log_threads();
    if (cores_are_full(s))
        at += s.draw() * slice_ns * (s.running.size() + s.competitors) / std::max(s.cores, 1.0);
    s.starting.push(at, 1);
}

inline void wake_thread(State& s, double parked_at) {
    double at = s.now;
    if (at - parked_at >= spin_ns) {
        at += spread(s, wake_ns);
        s.switches += 1.0;
    }
    s.starting.push(at, 0);
}

inline void add_worker(State& s) {
    if (s.working >= s.goal) return;
    s.working++;
    if (s.parked.empty()) {
        start_thread(s);
    } else {
        double since = s.parked.back();
        s.parked.pop_back();
        wake_thread(s, since);
    }
}

inline double cpu_read(const State& s) { return s.net.machine_cpu ? s.cpu_machine : s.cpu_used; }

inline void ensure_gate(State& s) {
    if (s.gate_state == 0) {
        s.gate_tick = s.tick();
        s.gate_cpu = cpu_read(s);
        s.gate_time = s.now;
        s.gate_at = s.now + gate_period_ms * ms + lateness_ns(s);
    }
    s.gate_state = 2;
}

inline void ensure_requested(State& s) {
    if (s.outstanding >= s.net.requests_at_once) return;
    s.outstanding++;
    s.requested++;
    add_worker(s);
    ensure_gate(s);
}

inline double required_gap_ns(int64_t extra) {
    double gap = gate_period_ms;
    for (int64_t i = 0; i < std::min<int64_t>(extra, 127); i++) gap *= 1.1;
    return std::min(gap, 86'400'000.0) * ms;
}

inline int64_t idle_threads(const State& s) { return int64_t(s.parked.size()) + s.waking; }

inline bool creates_at_enqueue(const State& s) {
    int64_t growth = s.reference.growth, idle = idle_threads(s);
    if (idle >= s.queued.size() || growth == fixed) return false;
    if (growth == instant) return s.threads < s.limit_max;
    if (growth == rotor) return s.threads - idle < s.limit_min && s.threads < s.limit_max;
    return s.threads < s.limit_min;
}

inline void signal_one(State& s) {
    if (!s.parked.empty()) {
        double since = s.parked.front();
        s.parked.pop_front();
        wake_thread(s, since - spin_ns);
        s.waking++;
    }
    if (creates_at_enqueue(s)) start_thread(s);
    if (s.gate_at == inf && s.reference.growth >= net11) s.gate_at = s.now + gate_period_ms * ms;
}

}  // namespace poolscope
