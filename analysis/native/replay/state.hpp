// poolscope/replay/loop/state.py: the state of a world while it runs. Times are ns, ticks are ms of the coarse clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "given.hpp"

namespace poolscope {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double ms = 1e6, ns_per_s = 1e9, no_time = -inf;

enum Pending : int64_t { none, immediately, with_delay };
enum StandIn : std::uint8_t { not_one, ready, queued_first };

constexpr int64_t engine = 0;
constexpr double handed_on = -1.0;

// Keys and items: smallest key first, then lowest item.
//
// The next few are in order, the smallest last, because most queues are short. A heap has the others.
class Queue {
public:
    bool empty() const { return count_ == 0; }
    int64_t size() const { return count_ + int64_t(far_.size()); }
    // inf if empty.
    double key() const { return near_[count_].key; }

    void push(double key, int64_t item) {
        Entry added{key, item};
        if ((count_ == most || !far_.empty()) && near_[1] < added) return push_far(added);
        if (count_ == most) {
            push_far(near_[1]);
            std::copy(near_ + 2, near_ + 1 + count_--, near_ + 1);
        }
        Entry* at = near_ + ++count_;
        for (; at[-1] < added; at--) *at = at[-1];
        at->key = key;
        at->item = item;
    }
    int64_t pop() {
        int64_t item = near_[count_--].item;
        if (count_ == 0 && !far_.empty()) {
            std::pop_heap(far_.begin(), far_.end(), Later());
            near_[++count_] = far_.back();
            far_.pop_back();
        }
        return item;
    }

private:
    struct Entry {
        double key;
        int64_t item;

        bool operator<(const Entry& other) const { return key < other.key || (key == other.key && item < other.item); }
    };
    // An object instead of a function, so that the compiler inlines it into the loops of the heap.
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const { return b < a; }
    };
    static constexpr int64_t most = 64;

    void push_far(const Entry& added) {
        far_.push_back(added);
        std::push_heap(far_.begin(), far_.end(), Later());
    }

    int64_t count_ = 0;
    // The first one ends each search.
    Entry near_[1 + most] = {{inf, INT64_MAX}};
    std::vector<Entry> far_;
};

// Waiting items: a list linked by `State::next`, because an item waits in at most one.
struct Line {
    int64_t first = -1, last = -1;
};

// An object that is queued once for everything that arrives until a thread takes it.
struct Object {
    int64_t carrier = -1;
    std::vector<int64_t> gathered;
};

inline bool brings_items(Span<const std::int8_t> op) {
    return std::any_of(op.data, op.data + op.size, [](std::int8_t kind) { return kind == enqueue || kind == answer; });
}

struct State {
    State(const Given& given, const ItemTimes& times)
        : given(given),
          net(given.net),
          reference(given.reference),
          climbing(given.climbing, given.seed),
          items(given.first.size - 1),
          unfinished(items),
          arrived(times.arrived),
          start(times.start),
          end(times.end),
          brings(brings_items(given.op)),
          answered(brings ? items : 0),
          coming(brings ? items : 0, inf),
          stand_in(items, not_one),
          in_task_wait(items, 0),
          position(given.first.data, given.first.data + items),
          next(items, -1),
          mark_answered(given.mark_awaits_answer.size),
          mark_fired(given.mark_awaits_answer.size, 0),
          mark_waiters(given.mark_awaits_answer.size),
          lock_held(given.locks, 0),
          lock_waiters(given.locks),
          thread_log{given.thread_room, {}, {}, {}},
          goal_log{given.goal_room, {}, {}, {}} {
        for (Span<double> of : {arrived, start, end}) std::fill(of.data, of.data + of.size, inf);
        for (std::size_t i = 0; i < answered.size(); i++) answered[i] = given.awaits_answer[int64_t(i)] ? inf : 0.0;
        for (std::size_t i = 0; i < mark_answered.size(); i++)
            mark_answered[i] = given.mark_awaits_answer[int64_t(i)] ? inf : 0.0;
        int64_t objects = 0;
        for (int64_t i = 0; i < given.queue.size; i++) objects = std::max(objects, given.queue[i]);
        object.resize(1 + objects);
    }

    const Given& given;
    const NetRules& net;
    const ReferenceRules& reference;
    HillClimbing climbing;

    // Per item.
    int64_t items, unfinished, at_once = 0, most_at_once = 0;
    Span<double> arrived, start, end;
    bool brings;
    std::vector<double> answered, coming;  // empty if no operation brings an item
    std::vector<std::uint8_t> stand_in, in_task_wait;
    std::vector<std::int32_t> position, next;

    std::vector<double> mark_answered;
    std::vector<std::uint8_t> mark_fired;
    std::vector<Line> mark_waiters;
    std::vector<std::uint8_t> lock_held;
    std::vector<Line> lock_waiters;
    std::vector<Object> object;
    Log thread_log, goal_log;

    // The present state of the world.
    double now = 0, virtual_time = 0;
    int64_t step = 0;
    double cores = 0, competitors = 0, limit_min = 0, limit_max = 0;
    int64_t arrivals = 0, drawn = 0;
    double next_arrival = inf, next_step = inf;
    double cpu_used = 0, cpu_machine = 0, switches = 0;

    // The place of each item and thread.
    Queue running, blocked, queued, starting;
    std::deque<int64_t> resumed;
    int64_t free = 0;

    // The pool.
    std::deque<double> parked;
    int64_t working = 0, threads = 0, peak = 0, goal = 0, requested = 0, outstanding = 0, waking = 0;
    double idle_ns = inf, last_creation = 0;
    int64_t blocked_workers = 0, added = 0, pending = none;

    // The gate thread.
    double gate_at = inf, adjust_at = inf, signal_at = inf;
    int64_t gate_state = 0;
    double gate_tick = 0, gate_cpu = 0, gate_time = 0, cpu_percent = 0;
    int64_t queued_before = 0;

    // Ticks and samples.
    double phase = 0, dequeued = no_time, prior_sample = 0, next_sample = 0, sample_start = 0;
    int64_t completions = 0;

    void wait_in(Line& line, int64_t item) {
        next[item] = -1;
        if (line.first < 0) line.first = item;
        else next[line.last] = std::int32_t(item);
        line.last = item;
    }

    double draw() { return given.uniforms[drawn++ % given.uniforms.size]; }

    double tick() const { return tick_at(now); }
    double tick_at(double time) const { return std::floor(std::floor((time + phase) / (net.jiffy_ms * ms)) * net.jiffy_ms); }

    void log_threads() {
        peak = std::max(peak, threads);
        if (!thread_log.time.empty() && thread_log.time.back() == now) thread_log.count.back() = threads;
        else thread_log.add(now, threads, 0);
    }

    void log_goal(int64_t why) { goal_log.add(now, goal, why); }
};

}  // namespace poolscope
