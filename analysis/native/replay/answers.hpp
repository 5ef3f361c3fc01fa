// poolscope/replay/loop/items.py
#pragma once

#include "state.hpp"

namespace poolscope {

inline void comes_by_itself(State& s, int64_t item, double time) {
    if (s.arrived[item] == inf && s.coming[item] == inf) {
        s.coming[item] = time;
        s.blocked.push(time, item);
    }
}

inline void handed_on_later(State& s, int64_t item, double time) {
    if (s.given.stand_ins && s.arrived[item] == inf && s.coming[item] == inf) s.stand_in[item] = ready;
    comes_by_itself(s, item, time);
}

inline void answer_item(State& s, int64_t item, double time) {
    double before = s.answered[item];
    if (before == handed_on) handed_on_later(s, item, time);
    else if (before == 0.0) comes_by_itself(s, item, time);
    else s.answered[item] = time;
}

inline double comes_at(State& s, int64_t item, double not_before) {
    double time = s.answered[item];
    if (time == inf) s.answered[item] = handed_on;
    return std::max(not_before, time);
}

inline void fire_at(State& s, int64_t mark, double time) { s.blocked.push(time, s.items + mark); }

inline void answer_for_mark(State& s, int64_t mark, double time) {
    if (s.mark_answered[mark] == handed_on) fire_at(s, mark, time);
    s.mark_answered[mark] = time;
}

inline double mark_fires_at(State& s, int64_t mark) {
    double time = s.mark_answered[mark];
    if (time == inf) s.mark_answered[mark] = handed_on;
    return time;
}

}  // namespace poolscope
