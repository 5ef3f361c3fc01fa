// poolscope/replay/loop/gathered.py
#pragma once

#include <utility>

#include "state.hpp"

namespace poolscope {

inline bool carries(State& s, int64_t what, int64_t item) {
    Object& object = s.object[what];
    if (object.carrier < 0) {
        object.carrier = item;
        return true;
    }
    object.gathered.push_back(item);
    return false;
}

inline std::vector<int64_t> taken_along(State& s, int64_t what) {
    s.object[what].carrier = -1;
    return std::exchange(s.object[what].gathered, {});
}

}  // namespace poolscope
