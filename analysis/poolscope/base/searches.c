/* What NumPy does with a binary search for each number or with a sort, in one pass: the numbers that the analysis looks up
   are in order, or nearly so, and each search starts where the one before it ended. Results are NumPy's to the bit.
   searches.py says what each function takes. No number is NaN; one that is ends counted and combined early, and harms nothing. */
#include <stdint.h>

#define SHOWN __attribute__((visibility("default")))

/* How many of the ordered `a` lie before x: those for which BEFORE(i) holds. `at` is where to start, 0 to n. Steps grow
   twofold until x is passed, then halve. */
#define GALLOP(BEFORE)                                        \
    int64_t low, high, step = 1;                              \
    if (at < n && BEFORE(at)) {                               \
        low = high = at + 1;                                  \
        while (high < n && BEFORE(high)) {                    \
            low = high + 1;                                   \
            high = n - low < step ? n : low + step;           \
            step *= 2;                                        \
        }                                                     \
    } else {                                                  \
        low = high = at;                                      \
        while (low > 0 && !BEFORE(low - 1)) {                 \
            high = low - 1;                                   \
            low = high < step ? 0 : high - step;              \
            step *= 2;                                        \
        }                                                     \
    }                                                         \
    while (low < high) {                                      \
        int64_t middle = low + (high - low) / 2;              \
        if (BEFORE(middle))                                   \
            low = middle + 1;                                 \
        else                                                  \
            high = middle;                                    \
    }                                                         \
    return low;

#define LESS(i) (a[i] < x)
#define NOT_MORE(i) (a[i] <= x)

static int64_t left_f(const double *a, int64_t n, double x, int64_t at) { GALLOP(LESS) }
static int64_t right_f(const double *a, int64_t n, double x, int64_t at) { GALLOP(NOT_MORE) }
static int64_t left_i(const int64_t *a, int64_t n, int64_t x, int64_t at) { GALLOP(LESS) }
static int64_t right_i(const int64_t *a, int64_t n, int64_t x, int64_t at) { GALLOP(NOT_MORE) }

SHOWN void rank_f(const double *a, int64_t n, const double *asked, int64_t m, int64_t right, int64_t *found)
{
    int64_t at = 0;
    if (right)
        for (int64_t j = 0; j < m; j++)
            found[j] = at = right_f(a, n, asked[j], at);
    else
        for (int64_t j = 0; j < m; j++)
            found[j] = at = left_f(a, n, asked[j], at);
}

SHOWN void rank_i(const int64_t *a, int64_t n, const int64_t *asked, int64_t m, int64_t right, int64_t *found)
{
    int64_t at = 0;
    if (right)
        for (int64_t j = 0; j < m; j++)
            found[j] = at = right_i(a, n, asked[j], at);
    else
        for (int64_t j = 0; j < m; j++)
            found[j] = at = left_i(a, n, asked[j], at);
}

SHOWN void values(const double *time, const double *value, int64_t n, const double *asked, int64_t m, double *found)
{
    int64_t at = 0;
    for (int64_t j = 0; j < m; j++) {
        at = right_f(time, n, asked[j], at);
        found[j] = value[at ? at - 1 : 0];
    }
}

SHOWN void areas(const double *time, const double *value, const double *area, int64_t n, const double *asked, int64_t m,
                 double *found)
{
    int64_t at = 0;
    for (int64_t j = 0; j < m; j++) {
        at = right_f(time, n, asked[j], at);
        int64_t step = at ? at - 1 : 0;
        found[j] = (asked[j] - time[step]) * value[step] + area[step];
    }
}

#define NOT_LATER(i) (of[i] < group || (of[i] == group && a[i] <= x))

static int64_t of_group(const int64_t *of, const int64_t *a, int64_t n, int64_t group, int64_t x, int64_t at)
{
    GALLOP(NOT_LATER)
}

/* Returns 0, and has written nothing, if the rows are not in order. */
SHOWN int64_t latest(const int64_t *of, const int64_t *time, int64_t n, const int64_t *group, const int64_t *asked, int64_t m,
                     int64_t *row, uint8_t *is)
{
    for (int64_t i = 1; i < n; i++)
        if (of[i] < of[i - 1] || (of[i] == of[i - 1] && time[i] < time[i - 1]))
            return 0;
    int64_t at = 0;
    for (int64_t j = 0; j < m; j++) {
        at = of_group(of, time, n, group[j], asked[j], at);
        row[j] = at ? at - 1 : 0;
        is[j] = at && of[at - 1] == group[j];
    }
    return 1;
}

/* Rows in groups: group g has the rows first[g] to before first[g] + count[g], in order of time. `of` names the group of each
   number that is asked for, -1: none; next[g] is where the last search in g ended, so numbers in order of time are found at once
   whatever their groups. */

/* The last row of the group up to each time; -1: none. */
SHOWN void latest_of(const int64_t *time, const int64_t *first, const int64_t *count, int64_t *next, const int64_t *of,
                     const int64_t *asked, int64_t m, int64_t *row)
{
    for (int64_t j = 0; j < m; j++) {
        int64_t g = of[j];
        row[j] = -1;
        if (g >= 0 && (next[g] = right_i(time + first[g], count[g], asked[j], next[g])))
            row[j] = first[g] + next[g] - 1;
    }
}

/* Cuts each interval along the rows of its group, which do not overlap. Returns how many parts there are; `item` NULL: writes
   none. */
SHOWN int64_t cut(const int64_t *begin, const int64_t *end, const int64_t *first, const int64_t *count, int64_t *next,
                  const int64_t *of, const int64_t *start, const int64_t *stop, int64_t m, int64_t *item, int64_t *row,
                  int64_t *from, int64_t *until)
{
    int64_t parts = 0;
    for (int64_t j = 0; j < m; j++) {
        int64_t g = of[j];
        if (g < 0)
            continue;
        next[g] = right_i(end + first[g], count[g], start[j], next[g]); /* the first one that ends after the start */
        for (int64_t i = first[g] + next[g]; i < first[g] + count[g] && begin[i] < stop[j]; i++) {
            int64_t a = begin[i] > start[j] ? begin[i] : start[j], b = end[i] < stop[j] ? end[i] : stop[j];
            if (b <= a)
                continue;
            if (item) {
                item[parts] = j;
                row[parts] = i;
                from[parts] = a;
                until[parts] = b;
            }
            parts++;
        }
    }
    return parts;
}

/* Whether one of the first `ties` rows from each time on, in order of time, is of that time and that thread. */
SHOWN void told(const int64_t *time, const int32_t *of, int64_t n, const int64_t *asked, const int32_t *tid, int64_t m,
                int64_t ties, uint8_t *found)
{
    int64_t at = 0;
    for (int64_t j = 0; j < m; j++) {
        at = left_i(time, n, asked[j], at);
        found[j] = 0;
        for (int64_t i = at; i < n && i < at + ties && !found[j]; i++)
            found[j] = time[i] == asked[j] && of[i] == tid[j];
    }
}

/* Each different number of both, and how many more of `first` than of `second` lie up to it. Returns how many there are. */
SHOWN int64_t counted(const double *first, int64_t n, const double *second, int64_t m, double *axis, double *value)
{
    int64_t i = 0, j = 0, count = 0;
    while (i < n || j < m) {
        double x = i < n && (j >= m || first[i] <= second[j]) ? first[i] : second[j];
        if (x != x)
            break; /* NaN would never be passed */
        while (i < n && first[i] == x)
            axis[count] = first[i++];
        while (j < m && second[j] == x)
            axis[count] = second[j++];
        value[count++] = (double)(i - j);
    }
    return count;
}

/* Each different number of both in order, and the value of either there: that of the last row up to it, before all rows that of
   the first. Returns how many there are. Neither is empty. */
SHOWN int64_t combined(const double *first, const double *value, int64_t n, const double *second, const double *other,
                       int64_t m, double *axis, double *of_first, double *of_second)
{
    int64_t i = 0, j = 0, count = 0;
    while (i < n || j < m) {
        double x = i < n && (j >= m || first[i] <= second[j]) ? first[i] : second[j];
        if (x != x)
            break; /* NaN would never be passed */
        while (i < n && first[i] == x)
            axis[count] = first[i++];
        while (j < m && second[j] == x)
            axis[count] = second[j++];
        of_first[count] = value[i ? i - 1 : 0];
        of_second[count++] = other[j ? j - 1 : 0];
    }
    return count;
}

/* A list of operations in runs of one group and kind: neighbours up to the kind `stretch` are added up. */
struct operations {
    int8_t *op; /* NULL: they are only counted */
    double *value;
    int64_t *target, *begin, count, group, groups, stretch;
    int8_t last;
};

static void add(struct operations *to, int64_t group, int8_t op, double value, int64_t target)
{
    int64_t at = to->count - 1;
    if (at >= 0 && group == to->group && op == to->last && op <= to->stretch) {
        if (to->op)
            to->value[at] += value;
        return;
    }
    if (to->op) {
        for (int64_t g = at < 0 ? 0 : to->group + 1; g <= group && g <= to->groups; g++)
            to->begin[g] = to->count;
        to->op[to->count] = op;
        to->value[to->count] = value;
        to->target[to->count] = target;
    }
    to->count++;
    to->group = group;
    to->last = op;
}

/* Segments (of a group, from `start`, worth the kind `does` up to `until`, none if that is below 0), and points among them, both
   in order of group and time; a segment comes before the points of its moment. Each row, segment or point, is followed by what
   is left of its segment up to the group's next row. begin[g] gets how many operations lie before group g, for 0 to `groups`.
   Returns how many operations there are, and writes them unless `op` is NULL; -1: the segments are not in order. */
SHOWN int64_t programs(const int64_t *group, const int64_t *start, const int64_t *until, const int8_t *does, int64_t n,
                       const int64_t *of, const int64_t *time, const int8_t *kind, const double *value,
                       const int64_t *target, int64_t m, int64_t stretch, int64_t groups, int8_t *op, double *values,
                       int64_t *targets, int64_t *begin)
{
    for (int64_t i = 1; i < n; i++)
        if (group[i] < group[i - 1] || (group[i] == group[i - 1] && start[i] < start[i - 1]))
            return -1;
    struct operations to = {op, values, targets, begin, 0, -1, groups, stretch, 0};
    int64_t i = 0, j = 0;
    while (i < n || j < m) {
        int64_t g, now, next = INT64_MAX;
        if (i < n && (j >= m || group[i] < of[j] || (group[i] == of[j] && start[i] <= time[j]))) {
            g = group[i];
            now = start[i++];
        } else {
            g = of[j];
            now = time[j];
            add(&to, g, kind[j], value[j], target[j]);
            j++;
        }
        if (i < n && group[i] == g)
            next = start[i];
        if (j < m && of[j] == g && time[j] < next)
            next = time[j];
        /* the segment that the row lies in is the last one so far, if it is of the same group */
        if (i > 0 && group[i - 1] == g && does[i - 1] >= 0) {
            int64_t end = until[i - 1] < next ? until[i - 1] : next;
            if (end > now)
                add(&to, g, does[i - 1], (double)(end - now), -1);
        }
    }
    if (op)
        for (int64_t g = to.count ? to.group + 1 : 0; g <= groups; g++)
            begin[g] = to.count;
    return to.count;
}
