// A view of numbers that another object owns: a NumPy array, which Python keeps alive while a function runs.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace poolscope {

using std::int64_t;

template <class T>
struct Span {
    T* data = nullptr;
    int64_t size = 0;

    T& operator[](int64_t at) const { return data[at]; }
};

// Returns the number of rows of the columns of one table. Raises ValueError in Python if they differ in length.
template <class First, class... Others>
int64_t rows_of(const First& first, const Others&... others) {
    if (((others.size != first.size) || ...)) throw std::invalid_argument("columns of one table differ in length");
    return first.size;
}

}  // namespace poolscope
