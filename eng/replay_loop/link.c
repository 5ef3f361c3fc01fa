/* The one function that a shared library of the loop shows, in place of the mangled one that numba makes, which takes an
   array as seven arguments. Compiled with -DNATIVE="its name". */
#include <stdint.h>

struct error;

extern int32_t native(void **result, struct error **error,
                      void *f_info, void *f_parent, int64_t f_items, int64_t f_size, double *f, int64_t f_shape, int64_t f_stride,
                      void *i_info, void *i_parent, int64_t i_items, int64_t i_size, int64_t *i, int64_t i_shape, int64_t i_stride,
                      void *h_info, void *h_parent, int64_t h_items, int64_t h_size, double *h, int64_t h_shape, int64_t h_stride)
    __asm__(NATIVE) __attribute__((visibility("hidden")));

/* Of contiguous arrays. Returns numba's code: 0 where it came to its end. */
__attribute__((visibility("default")))
int32_t poolscope_replay(double *f, int64_t f_items, int64_t *i, int64_t i_items, double *h, int64_t h_items)
{
    void *result = 0;
    struct error *error = 0;
    return native(&result, &error,
                  0, 0, f_items, 8, f, f_items, 8,
                  0, 0, i_items, 8, i, i_items, 8,
                  0, 0, h_items, 8, h, h_items, 8);
}

/* glibc 2.29 has a second pow, which differs in errno alone: the first one lets the library run on older systems. */
extern double first_pow(double x, double y);
__asm__(".symver first_pow, pow@GLIBC_2.2.5");

double __wrap_pow(double x, double y)
{
    return first_pow(x, y);
}
