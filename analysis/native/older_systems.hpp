// Newer compilers use symbols that older systems lack. With these definitions, code compiled on Debian 12 runs wherever
// the collector does: from glibc 2.27 and the libstdc++ of GCC 7 on.
#pragma once

#include <cmath>
#include <new>

#if defined(__x86_64__) && defined(__GLIBC__)

// glibc 2.29 has a second pow, which differs only in errno.
extern "C" double poolscope_first_pow(double base, double exponent);
__asm__(".symver poolscope_first_pow, pow@GLIBC_2.2.5");

namespace poolscope {
inline double power(double base, double exponent) { return poolscope_first_pow(base, exponent); }
}  // namespace poolscope

// std::vector throws it for a length that does not fit into memory.
void std::__throw_bad_array_new_length() { throw std::bad_alloc(); }

#else

namespace poolscope {
inline double power(double base, double exponent) { return std::pow(base, exponent); }
}  // namespace poolscope

#endif
