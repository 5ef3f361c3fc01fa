// poolscope/replay/hill_climbing.py. Keep the order of operations: a rounding error decides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../older_systems.hpp"

namespace poolscope {

using std::int64_t;

// Reasons of a change, with the numbers of event 55.
enum Reason : int64_t {
    no_change = -1,
    warmup = 0,
    initializing = 1,
    climbing_move = 3,
    stabilizing = 5,
    starvation_reason = 6,
    thread_timed_out = 7,
    cooperative_blocking = 8,
};

// The runtime's settings. The formulas divide percentages by 100.
struct HillClimbingKnobs {
    int64_t wave_period, max_wave_magnitude, wave_magnitude_multiplier, wave_history_size, bias,
        target_signal_to_noise_ratio, max_change_per_second, max_change_per_sample, sample_interval_low,
        sample_interval_high, error_smoothing_factor, gain_exponent, max_sample_error_percent;
    bool floor_interval_at_least_tenfold;
};

class HillClimbing {
public:
    HillClimbing(const HillClimbingKnobs& knobs, int64_t seed)
        : knobs(knobs),
          bias(knobs.bias / 100.0),
          signal_to_noise(knobs.target_signal_to_noise_ratio / 100.0),
          history(knobs.wave_period * knobs.wave_history_size),
          throughputs(history),
          thread_counts(history),
          random(1.0 + seed % (int64_t(modulus) - 1)) {
        for (int i = 0; i < 4; i++) draw_sample_ms();
    }

    HillClimbingKnobs knobs;
    double bias, signal_to_noise;
    int64_t history;
    std::vector<double> throughputs, thread_counts;
    int64_t samples = 0, threads = 0;
    double control = 0, noise = 0;
    double seconds_since_change = 0;
    int64_t completions_since_change = 0;
    double carried_seconds = 0;
    int64_t carried_completions = 0;
    bool sampled = false;
    double duration = 0, throughput = 0, thread_wave = 0, throughput_wave = 0, throughput_error = 0,
           throughput_ratio = 0, confidence = 0;
    int64_t wave_magnitude = 0, reason = no_change;
    double change_throughput = 0;
    double random, sample_ms = 0;

    void force_change(int64_t to, int64_t why) {
        reason = no_change;
        if (threads != to) {
            control += to - threads;
            change_threads(to, why);
        }
    }

    // Returns the goal, and the ms until the next update.
    std::pair<int64_t, int64_t> update(int64_t now, double seconds, int64_t completions, int64_t lowest, int64_t highest,
                                       double cpu) {
        if (now != threads) force_change(now, initializing);
        reason = no_change;
        seconds_since_change += seconds;
        completions_since_change += completions;
        seconds += carried_seconds;
        int64_t done = completions + carried_completions;
        double uncertainty = (now - 1.0) / std::max(double(done), 1.0);
        bool too_short = samples > 0 && uncertainty >= knobs.max_sample_error_percent / 100.0;
        sampled = seconds > 0.0 && !too_short;
        if (!sampled) {
            carried_seconds = seconds;
            carried_completions = done;
            return {now, carry_ms};
        }
        carried_seconds = 0;
        carried_completions = 0;
        duration = seconds;
        throughput = done / seconds;
        int64_t place = samples % history;
        throughputs[place] = throughput;
        thread_counts[place] = double(now);
        samples++;

        int64_t why = measure_waves();
        int64_t goal = next_goal(lowest, highest, cpu);
        if (goal != now) {
            change_threads(goal, why);
            seconds_since_change = 0;
            completions_since_change = 0;
        }
        return {goal, next_interval(goal == lowest)};
    }

private:
    static constexpr int64_t carry_ms = 10;
    static constexpr double busy_cpu = 95.0, floor_slowdown = 10.0, modulus = 2147483647.0, multiplier = 48271.0;
    static constexpr double pi = 3.141592653589793;

    void draw_sample_ms() {
        random = std::fmod(random * multiplier, modulus);
        double low = double(knobs.sample_interval_low), high = double(knobs.sample_interval_high);
        sample_ms = low + std::floor(random / modulus * (high - low + 1.0));
    }

    void change_threads(int64_t to, int64_t why) {
        threads = to;
        if (why != cooperative_blocking) draw_sample_ms();
        reason = why;
        change_throughput = 0;
        if (seconds_since_change > 0.0) change_throughput = completions_since_change / seconds_since_change;
    }

    int64_t next_goal(int64_t lowest, int64_t highest, double cpu) {
        double move = std::min(1.0, std::max(-1.0, throughput_ratio));
        move *= std::min(1.0, std::max(0.0, confidence));
        double gain = knobs.max_change_per_second * duration;
        double sign = move >= 0.0 ? 1.0 : -1.0;
        move = power(std::fabs(move), knobs.gain_exponent / 100.0) * sign * gain;
        move = std::min(move, double(knobs.max_change_per_sample));
        if (move > 0.0 && cpu > busy_cpu) move = 0.0;
        double setting = control + move;
        double amplitude =
            setting * noise * signal_to_noise * (knobs.wave_magnitude_multiplier / 100.0) * 2.0;
        wave_magnitude =
            int64_t(std::max(std::min(0.5 + amplitude, double(knobs.max_wave_magnitude)), 1.0));
        control = std::max(double(lowest), std::min(double(highest - wave_magnitude), setting));
        int64_t half_waves = samples / (knobs.wave_period / 2);
        return std::max(lowest, std::min(highest, int64_t(control + wave_magnitude * (half_waves % 2))));
    }

    int64_t measure_waves() {
        thread_wave = throughput_wave = throughput_error = throughput_ratio = confidence = 0;
        int64_t period = knobs.wave_period;
        int64_t used = std::min(samples - 1, history) / period * period;
        if (used <= period) return warmup;
        double items = mean(throughputs, used), workers = mean(thread_counts, used);
        if (items <= 0.0 || workers <= 0.0) return warmup;

        auto [real, imaginary] = wave(throughputs, used, double(period));
        real /= items;
        imaginary /= items;
        double waves = double(used) / double(period);
        double error = side(used, used / (waves + 1.0), items);
        double longer = used / (waves - 1.0);
        if (longer <= used) error = std::max(error, side(used, longer, items));
        auto [thread_real, thread_imaginary] = wave(thread_counts, used, double(period));
        thread_real /= workers;
        thread_imaginary /= workers;

        double smoothing = knobs.error_smoothing_factor / 100.0;
        noise = noise == 0.0 ? error : smoothing * error + (1.0 - smoothing) * noise;
        double signal = magnitude(thread_real, thread_imaginary);
        int64_t why = stabilizing;
        if (signal > 0.0) {
            why = climbing_move;
            double power = thread_real * thread_real + thread_imaginary * thread_imaginary;
            double excess_real = real - bias * thread_real;
            double excess_imaginary = imaginary - bias * thread_imaginary;
            throughput_ratio = (excess_real * thread_real + excess_imaginary * thread_imaginary) / power;
        }
        double most = std::max(noise, error);
        confidence = most > 0.0 ? signal / most / signal_to_noise : 1.0;
        thread_wave = thread_real;
        throughput_wave = real;
        throughput_error = error;
        return why;
    }

    double mean(const std::vector<double>& ring, int64_t used) const {
        double total = 0;
        for (int64_t i = samples - used; i < samples; i++) total += ring[i % history];
        return total / used;
    }

    std::pair<double, double> wave(const std::vector<double>& ring, int64_t used, double period) const {
        double angle = 2.0 * pi / period, cosine = std::cos(angle), coefficient = 2.0 * cosine;
        double before = 0, last = 0;
        for (int64_t i = samples - used; i < samples; i++) {
            double now = coefficient * last - before + ring[i % history];
            before = last;
            last = now;
        }
        return {(last - before * cosine) / used, before * std::sin(angle) / used};
    }

    // The relative magnitude of throughput's component at a neighbouring period.
    double side(int64_t used, double period, double items) const {
        auto [real, imaginary] = wave(throughputs, used, period);
        return magnitude(real / items, imaginary / items);
    }

    static double magnitude(double real, double imaginary) {
        return std::sqrt(real * real + imaginary * imaginary);
    }

    int64_t next_interval(bool at_lowest) const {
        if (throughput_ratio >= 0.0 || !at_lowest) return int64_t(sample_ms);
        double slowdown = knobs.floor_interval_at_least_tenfold ? std::max(-throughput_ratio, 1.0)
                                                                : std::min(-throughput_ratio, 1.0);
        return int64_t(0.5 + sample_ms * (floor_slowdown * slowdown));
    }
};

}  // namespace poolscope
