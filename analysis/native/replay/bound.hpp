// The loop as Python calls it. The input is read from the attributes of a Python object, by their Python names.
#pragma once

#include <memory>

#include "../binding.hpp"
#include "events.hpp"

namespace poolscope {

// A reference that is released at the end.
struct Unreferenced {
    void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Unreferenced>;

inline Owned owned(PyObject* object) {
    if (!object) throw RaisedInPython();
    return Owned(object);
}

inline Owned attribute(PyObject* object, const char* name) { return owned(PyObject_GetAttrString(object, name)); }
inline int64_t whole(PyObject* object, const char* name) { return whole(attribute(object, name).get()); }
inline double number(PyObject* object, const char* name) { return number(attribute(object, name).get()); }
inline bool flag(PyObject* object, const char* name) { return flag(attribute(object, name).get()); }

// An array from an attribute, kept alive for as long as this object.
template <class T>
struct Column : Buffer<const T> {
    Column(PyObject* object, const char* name)
        : Buffer<const T>(Source{attribute(object, name).get(), name, 0}) {}
};

inline HillClimbingKnobs hill_climbing_knobs(PyObject* from) {
    return {
        whole(from, "wave_period"),
        whole(from, "max_wave_magnitude"),
        whole(from, "wave_magnitude_multiplier"),
        whole(from, "wave_history_size"),
        whole(from, "bias"),
        whole(from, "target_signal_to_noise_ratio"),
        whole(from, "max_change_per_second"),
        whole(from, "max_change_per_sample"),
        whole(from, "sample_interval_low"),
        whole(from, "sample_interval_high"),
        whole(from, "error_smoothing_factor"),
        whole(from, "gain_exponent"),
        whole(from, "max_sample_error_percent"),
        flag(from, "floor_interval_at_least_tenfold"),
    };
}

inline NetRules net_rules(PyObject* from) {
    NetRules to;
    to.processors = number(from, "processors");
    to.jiffy_ms = number(from, "jiffy_ms");
    to.starvation = flag(from, "starvation");
    to.cooperative = flag(from, "cooperative");
    to.idle_ms = number(from, "idle_ms");
    to.threads_to_keep = number(from, "threads_to_keep");
    to.delay_step_ms = number(from, "delay_step_ms");
    to.max_delay_ms = number(from, "max_delay_ms");
    to.threads_without_delay = number(from, "threads_without_delay");
    to.threads_per_step = number(from, "threads_per_step");
    to.climbs = flag(from, "climbs");
    to.reads_cpu = flag(from, "reads_cpu");
    to.machine_cpu = flag(from, "machine_cpu");
    to.requests_at_once = whole(from, "requests_at_once");
    to.warm_threads = whole(from, "warm_threads");
    to.new_thread_ns = number(from, "new_thread_ns");
    return to;
}

inline ReferenceRules reference_rules(PyObject* from) {
    return {whole(from, "growth"), whole(from, "processors"), number(from, "idle_ms")};
}

// Returns a bytearray of the numbers, which NumPy uses unchanged.
template <class T>
PyObject* bytes_of(const std::vector<T>& numbers) {
    return PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

// A bytearray of numbers to write.
struct Written {
    explicit Written(int64_t count)
        : bytes(owned(PyByteArray_FromStringAndSize(nullptr, count * int64_t(sizeof(double))))), size(count) {}
    Span<double> span() const { return {reinterpret_cast<double*>(PyByteArray_AsString(bytes.get())), size}; }

    Owned bytes;
    int64_t size;
};

// replay(given): runs the world of a poolscope.replay.loop.given.Given. Returns the fields of a Happened, arrays as
// bytes.
inline PyObject* replay(PyObject*, PyObject* from) {
    return raising([&] {
        Column<double> uniforms(from, "uniforms"), time(from, "time"), cores(from, "cores"),
            competitors(from, "competitors"), least(from, "least"), most(from, "most"),
            arrival_time(from, "arrival_time"), rank(from, "rank"), value(from, "value");
        Column<int64_t> arrival_item(from, "arrival_item"), queue(from, "queue"), first(from, "first");
        Column<std::int32_t> target(from, "target");
        Column<bool> awaits_answer(from, "awaits_answer"), mark_awaits_answer(from, "mark_awaits_answer");
        Column<std::int8_t> op(from, "op");

        Given given{};
        given.kind = whole(from, "kind");
        given.holding = flag(from, "holding");
        if (given.kind == net) given.net = net_rules(attribute(from, "rules").get());
        if (given.kind == reference) given.reference = reference_rules(attribute(from, "rules").get());
        given.climbing = hill_climbing_knobs(attribute(from, "climbing").get());
        given.seed = whole(from, "seed");
        given.uniforms = uniforms.span();
        given.thread_room = whole(from, "thread_room");
        given.goal_room = whole(from, "goal_room");
        given.counted = whole(from, "counted");
        given.time = time.span();
        given.cores = cores.span();
        given.competitors = competitors.span();
        given.least = least.span();
        given.most = most.span();
        given.arrival_time = arrival_time.span();
        given.arrival_item = arrival_item.span();
        given.rank = rank.span();
        given.queue = queue.span();
        given.awaits_answer = awaits_answer.span();
        given.mark_awaits_answer = mark_awaits_answer.span();
        given.locks = whole(from, "locks");
        given.first_come = flag(from, "first_come");
        given.stand_ins = flag(from, "stand_ins");
        given.first = first.span();
        given.op = op.span();
        given.value = value.span();
        given.target = target.span();
        check(given);

        int64_t items = given.awaits_answer.size;
        Written arrived(items), start(items), end(items);
        ItemTimes times{arrived.span(), start.span(), end.span()};
        Happened happened;
        {
            WithoutLock unlocked;
            happened = run(given, times);
        }
        // "N" takes over the reference; NULL is an exception that is already set.
        return Py_BuildValue("(NNNNNLNNNLd)", arrived.bytes.release(), start.bytes.release(), end.bytes.release(),
                             bytes_of(happened.threads.time), bytes_of(happened.threads.count),
                             static_cast<long long>(happened.peak), bytes_of(happened.goals.time),
                             bytes_of(happened.goals.count), bytes_of(happened.goals.reason),
                             static_cast<long long>(happened.most_at_once), happened.context_switches);
    });
}

// climb(knobs, seed, calls, told): feeds hill climbing with rows of `calls` and writes its state after each call into a
// row of `told`.
//
// A row of `calls` has the reason, or -1 for an update; threads, seconds, completions, lowest, highest, cpu; and the
// control, threads and sample length before the call.
inline PyObject* climb(PyObject*, PyObject* arguments) {
    return raising([&] {
        PyObject *knobs, *given, *written;
        long long seed;
        if (!PyArg_ParseTuple(arguments, "OLOO", &knobs, &seed, &given, &written)) throw RaisedInPython();
        Buffer<const double> calls(Source{given, "calls", 0});
        Buffer<double> told(Source{written, "told", 0});
        HillClimbing hill(hill_climbing_knobs(knobs), seed);
        constexpr int64_t taken = 10, shown = 18;
        int64_t count = calls.span().size / taken;
        if (told.span().size != count * shown) throw std::invalid_argument("told: a row for each call is needed");
        for (int64_t row = 0; row < count; row++) {
            const double* call = calls.span().data + row * taken;
            hill.control = call[7];
            hill.threads = int64_t(call[8]);
            hill.sample_ms = call[9];
            std::pair<int64_t, int64_t> next{-1, -1};
            if (call[0] >= 0) hill.force_change(int64_t(call[1]), int64_t(call[0]));
            else
                next = hill.update(int64_t(call[1]), call[2], int64_t(call[3]), int64_t(call[4]), int64_t(call[5]), call[6]);
            const double has[shown] = {
                double(next.first),      double(next.second),  hill.sampled * 1.0,    hill.duration,
                hill.throughput,         hill.thread_wave,     hill.throughput_wave,  hill.throughput_error,
                hill.noise,              hill.throughput_ratio, hill.confidence,      hill.control,
                double(hill.wave_magnitude), double(hill.reason), hill.change_throughput, hill.random,
                hill.sample_ms,          double(hill.threads),
            };
            std::copy(has, has + shown, told.span().data + row * shown);
        }
        return Py_NewRef(Py_None);
    });
}

}  // namespace poolscope
