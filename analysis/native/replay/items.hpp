// poolscope/replay/loop/items.py
#pragma once

#include "answers.hpp"
#include "gathered.hpp"
#include "threads.hpp"

namespace poolscope {

inline void queue_item(State& s, int64_t item) {
    double key = s.given.rank[item];
    if (s.given.first_come) key += s.now;
    s.queued.push(key, item);
    switch (s.given.kind) {
        case net: return ensure_requested(s);
        case dedicated: return start_thread(s);
        case allowed: return;
        default: return signal_one(s);
    }
}

inline void arrive(State& s, int64_t item) {
    if (s.arrived[item] != inf) return;
    s.arrived[item] = s.now;
    int64_t what = s.given.queue_of(item);
    if (what < 0 || carries(s, what, item)) queue_item(s, item);
}

inline void start(State& s, int64_t item) {
    s.start[item] = s.now;
    s.at_once += item < s.given.counted;
}

inline void finish(State& s, int64_t item) {
    s.end[item] = s.now;
    s.at_once -= item < s.given.counted;
    s.unfinished--;
}

inline void work_off(State& s, int64_t what) {
    for (int64_t item : taken_along(s, what)) {
        start(s, item);
        finish(s, item);
    }
}

inline void come(State& s, int64_t item) {
    if (s.stand_in[item] == ready && s.arrived[item] == inf) {
        s.stand_in[item] = not_one;
        if (carries(s, engine, item)) {
            s.stand_in[item] = queued_first;
            queue_item(s, item);
        }
    } else {
        arrive(s, item);
    }
}

inline void release_thread(State& s) {
    if (s.given.kind == allowed) s.working--;
    else s.free++;
}

inline void block(State& s) {
    s.switches += 1.0;
    if (!s.given.holding) release_thread(s);
}

inline int64_t blocking_goal(const State& s) { return int64_t(std::min(s.limit_min + s.blocked_workers, s.limit_max)); }

inline void signal_gate(State& s) {
    ensure_gate(s);
    s.signal_at = std::min(s.signal_at, s.now + wake_ns);
}

inline void task_wait_over(State& s, int64_t item) {
    if (!s.in_task_wait[item]) return;
    s.in_task_wait[item] = 0;
    s.blocked_workers--;
    if (s.pending != immediately && s.added > 0 && s.goal > blocking_goal(s)) {
        s.pending = immediately;
        signal_gate(s);
    }
}

inline void note_task_wait(State& s, int64_t item) {
    if (s.given.kind != net || !s.given.holding || !s.net.cooperative) return;
    s.in_task_wait[item] = 1;
    s.blocked_workers++;
    if (s.pending != with_delay && s.goal < blocking_goal(s)) {
        if (s.pending == none) signal_gate(s);
        s.pending = with_delay;
    }
}

inline void let_go_on(State& s, int64_t item) {
    s.resumed.push_back(item);
    task_wait_over(s, item);
}

inline void release_lock(State& s, int64_t lock) {
    Line& line = s.lock_waiters[lock];
    if (line.first < 0) {
        s.lock_held[lock] = 0;
        return;
    }
    int64_t item = line.first;
    line.first = s.next[item];
    let_go_on(s, item);
}

inline void fire_mark(State& s, int64_t mark) {
    s.mark_fired[mark] = 1;
    int64_t item = std::exchange(s.mark_waiters[mark], {}).first;
    for (; item >= 0; item = s.next[item]) let_go_on(s, item);
}

inline void mark_comes(State& s, int64_t number) {
    if (!s.given.stand_ins) fire_mark(s, number - s.items);
    else if (carries(s, engine, number)) queue_item(s, number);
}

inline void stand_in(State& s, int64_t first) {
    std::vector<int64_t> others = taken_along(s, engine);
    auto one = [&](int64_t number) {
        if (number >= s.items) {
            fire_mark(s, number - s.items);
        } else {
            s.stand_in[number] = not_one;
            arrive(s, number);
        }
    };
    one(first);
    for (int64_t number : others) one(number);
    release_thread(s);
}

inline void advance(State& s, int64_t item) {
    const Given& given = s.given;
    int64_t end = given.first[item + 1];
    while (true) {
        int64_t at = s.position[item];
        if (at == end) {
            finish(s, item);
            release_thread(s);
            return;
        }
        std::int8_t op = given.op[at];
        double value = given.value[at];
        if (op == cpu) {
            s.running.push(s.virtual_time + value, item);
            return;
        }
        s.position[item]++;
        int64_t target = given.target[at];
        switch (op) {
            case blocked:
            case task_blocked:
                s.blocked.push(s.now + value, item);
                if (op == task_blocked) note_task_wait(s, item);
                block(s);
                return;
            case wait:
            case task_wait:
                if (s.mark_fired[target]) break;
                s.wait_in(s.mark_waiters[target], item);
                if (op == task_wait) note_task_wait(s, item);
                block(s);
                return;
            case acquire:
                if (s.lock_held[target]) {
                    s.wait_in(s.lock_waiters[target], item);
                    block(s);
                    return;
                }
                s.lock_held[target] = 1;
                break;
            case release: release_lock(s, target); break;
            case enqueue: {
                double time = comes_at(s, target, value);
                if (time <= s.now) arrive(s, target);
                else if (time < inf) handed_on_later(s, target, time);
                break;
            }
            case answer: answer_item(s, target, s.now + value); break;
            case answer_mark: answer_for_mark(s, target, s.now + value); break;
            default: {
                double time = mark_fires_at(s, target);
                if (time <= s.now) fire_mark(s, target);
                else if (time < inf) fire_at(s, target, time);
            }
        }
    }
}

inline void go_on(State& s, int64_t item) {
    if (s.given.holding) {
        task_wait_over(s, item);
        advance(s, item);
        return;
    }
    int64_t at = s.position[item];
    if (at == s.given.first[item + 1]) {
        finish(s, item);
    } else if (s.given.op[at] == blocked || s.given.op[at] == task_blocked) {
        s.position[item]++;
        s.blocked.push(s.now + s.given.value[at], item);
    } else {
        queue_item(s, item);
    }
}

}  // namespace poolscope
