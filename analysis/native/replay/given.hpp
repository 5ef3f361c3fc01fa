// poolscope/replay/loop/given.py: the input and the output of the loop. bound.hpp reads the fields by these names.
#pragma once

#include <vector>

#include "../span.hpp"
#include "hill_climbing.hpp"

namespace poolscope {

// From poolscope/replay/policies/policy.py.
enum Kind : int64_t { allowed = 0, dedicated = 1, net = 2, reference = 3 };

// From poolscope/replay/policies/policy.py.
struct NetRules {
    double processors, jiffy_ms, idle_ms, threads_to_keep, delay_step_ms, max_delay_ms, threads_without_delay,
        threads_per_step, new_thread_ns;
    bool starvation, cooperative, climbs, reads_cpu, machine_cpu;
    int64_t requests_at_once, warm_threads;
};
enum Growth : int64_t { fixed = 0, instant = 1, net11 = 2, net35 = 3, rotor = 4 };
struct ReferenceRules {
    int64_t growth, processors;
    double idle_ms;
};

// From poolscope/replay/workload.py.
enum Op : std::int8_t {
    cpu = 0,
    blocked = 1,
    wait = 2,
    task_wait = 3,
    acquire = 4,
    release = 5,
    enqueue = 6,
    mark = 7,
    task_blocked = 8,
    answer = 9,
    answer_mark = 10,
};

struct Given {
    int64_t kind;
    bool holding;
    NetRules net;
    ReferenceRules reference;
    HillClimbingKnobs climbing;
    int64_t seed;
    Span<const double> uniforms;
    int64_t thread_room, goal_room, counted;

    Span<const double> time, cores, competitors, least, most;

    Span<const double> arrival_time;
    Span<const int64_t> arrival_item;

    Span<const double> rank;
    Span<const int64_t> queue;
    Span<const bool> awaits_answer, mark_awaits_answer;
    int64_t locks;
    bool first_come, stand_ins;

    Span<const int64_t> first;
    Span<const std::int8_t> op;
    Span<const double> value;
    Span<const std::int32_t> target;

    int64_t queue_of(int64_t item) const { return queue.size ? queue[item] : -1; }
};

// Throws if columns of one table differ in length, or if a world has no step: the loop would read out of bounds.
// `Workload.flaw` has already checked the numbers of marks, locks and items.
inline void check(const Given& given) {
    int64_t items = given.awaits_answer.size;
    if (given.queue.size) rows_of(given.queue, given.awaits_answer);
    rows_of(given.op, given.value, given.target);
    rows_of(given.arrival_time, given.arrival_item);
    bool fits = rows_of(given.time, given.cores, given.competitors, given.least, given.most) > 0 &&
                given.first.size == items + 1 && given.first[items] <= given.op.size &&
                given.rank.size == items + given.mark_awaits_answer.size && given.uniforms.size > 0 &&
                given.op.size <= INT32_MAX && items <= INT32_MAX && given.thread_room > 1 && given.goal_room > 0;
    if (!fits) throw std::invalid_argument("what the loop is given does not fit together");
}

// Changes of a number over time. If the log is full, it becomes coarser.
struct Log {
    int64_t room;
    std::vector<double> time;
    std::vector<int64_t> count, reason;

    void add(double now, int64_t number, int64_t why) {
        if (int64_t(time.size()) == room) {
            int64_t kept = room / 2;
            for (int64_t k = 0; k < kept; k++) {
                time[k] = time[2 * k];
                count[k] = count[2 * k];
                reason[k] = reason[2 * k];
            }
            time.resize(kept);
            count.resize(kept);
            reason.resize(kept);
        }
        time.push_back(now);
        count.push_back(number);
        reason.push_back(why);
    }
};

// Where the loop writes what happens to each item.
struct ItemTimes {
    Span<double> arrived, start, end;
};

struct Happened {
    Log threads, goals;
    int64_t peak, most_at_once;
    double context_switches;
};

}  // namespace poolscope
