"""The runtime's hill climbing: the goal of threads that it sets after each sample of throughput.

The goal moves in a square wave of a few samples. The response of throughput at the wave's period, compared with that at
the neighbouring periods (noise), shows whether more threads help. This is the algorithm of .NET 5 to 10, and of the
native pool of .NET Core 1 to 3.1 with one difference (`HillClimbingKnobs.floor_interval_at_least_tenfold`).

The order of operations is the runtime's. If the thread count stands still, its wave is a rounding error of some 1e-16,
not 0. The ratio to it is then chance, and its sign decides the length of the next sample. No term may be rearranged.

The caller decides when a sample ends, because that needs the pool. A sample ends with a completed item, once `interval`
ms have passed since the last sample (`interval` / 2 by the precise clock). It ends only while no more items than the
goal hold threads and no adjustment for blocked tasks is pending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Reasons, with the numbers of event 55 (pool_changes.reason). Hill climbing itself gives four of them.
NO_CHANGE = -1
WARMUP = 0
INITIALIZING = 1
CLIMBING_MOVE = 3
STABILIZING = 5
STARVATION = 6
THREAD_TIMED_OUT = 7
COOPERATIVE_BLOCKING = 8

CARRY_MS = 10
"""Ms until the next update if there were too few completions for a sample."""
BUSY_CPU = 95.0
"""Percent. Above it hill climbing adds no thread."""
FLOOR_SLOWDOWN = 10.0
"""At the lowest goal, with a falling ratio, samples become up to this many times longer."""

_MODULUS = 2147483647.0
_MULTIPLIER = 48271.0  # Park and Miller's generator with its later multiplier: products stay exact in a float64


@dataclass(frozen=True)
class HillClimbingKnobs:
    """The knobs DOTNET_HillClimbing_NAME (hexadecimal there), or System.Threading.ThreadPool.HillClimbing.NAME.

    The fields are in the same units, ratios in percent. Raises ValueError if the runtime would divide by zero or draw
    from an empty range.
    """

    disable: bool = False
    """Disable: the goal then changes only for other reasons. The functions here do not check it: do not call them."""
    wave_period: int = 4
    """WavePeriod, samples, at least 2: half of them at each level of the wave."""
    max_wave_magnitude: int = 20
    """MaxWaveMagnitude, threads."""
    wave_magnitude_multiplier: int = 100
    """WaveMagnitudeMultiplier, percent."""
    wave_history_size: int = 8
    """WaveHistorySize, the number of waves examined."""
    bias: int = 15
    """Bias, percent: how closely relative throughput must follow relative threads for more threads to be worth it."""
    target_signal_to_noise_ratio: int = 300
    """TargetSignalToNoiseRatio, percent."""
    max_change_per_second: int = 4
    """MaxChangePerSecond, threads/s."""
    max_change_per_sample: int = 20
    """MaxChangePerSample, threads, upwards only."""
    sample_interval_low: int = 10
    """SampleIntervalLow, ms."""
    sample_interval_high: int = 200
    """SampleIntervalHigh, ms. The length of samples is drawn uniformly from low to high."""
    error_smoothing_factor: int = 1
    """ErrorSmoothingFactor, percent: the weight of the newest sample's error."""
    gain_exponent: int = 200
    """GainExponent, percent."""
    max_sample_error_percent: int = 15
    """MaxSampleErrorPercent: the (threads - 1) / completions from which a sample is too short."""
    floor_interval_at_least_tenfold: bool = False
    """Not a knob of the runtime. True for .NET Core 1.0, and so probably .NET Framework 4.x, which lengthen samples at
    the lowest goal by max(-ratio, 1) x 10. From .NET Core 3.1 on it is min(-ratio, 1) x 10."""

    def __post_init__(self) -> None:
        if self.wave_period < 2 or self.wave_history_size < 1:
            raise ValueError("hill climbing: WavePeriod must be at least 2 and WaveHistorySize at least 1")
        if not 1 <= self.sample_interval_low <= self.sample_interval_high:
            raise ValueError("hill climbing: SampleIntervalLow must be from 1 ms to SampleIntervalHigh")
        if self.target_signal_to_noise_ratio <= 0:
            raise ValueError("hill climbing: TargetSignalToNoiseRatio must be above 0")


class HillClimbing:
    """The state of hill climbing, and its reaction to each sample. Numbers are in the units of the formulas."""

    def __init__(self, knobs: HillClimbingKnobs, seed: int = 0) -> None:
        """Sets up the state before the first sample. `seed` determines the lengths of the samples."""
        self.knobs = knobs
        self.bias = knobs.bias / 100.0
        self.signal_to_noise = knobs.target_signal_to_noise_ratio / 100.0
        self.history = knobs.wave_period * knobs.wave_history_size
        """The number of samples in the rings."""
        self.throughputs = [0.0] * self.history
        self.thread_counts = [0.0] * self.history
        self.samples = 0
        """The number of samples taken."""
        self.threads = 0
        """The goal at the last known change, 0 before the first."""
        self.control = 0.0
        """Threads, not rounded: the wave's lower level."""
        self.noise = 0.0
        """The smoothed relative error of throughput; event 56: AverageThroughputErrorEstimate."""
        self.seconds_since_change = 0.0
        self.completions_since_change = 0
        self.carried_seconds = 0.0
        """From updates that were too short for a sample."""
        self.carried_completions = 0
        # The result of the last call. Every sample sets the fields of event 56.
        self.sampled = False
        """True if `update` took a sample, False if it carried the completions over."""
        self.duration = 0.0
        self.throughput = 0.0
        self.thread_wave = 0.0
        """The real part, relative to the mean."""
        self.throughput_wave = 0.0
        self.throughput_error = 0.0
        self.throughput_ratio = 0.0
        self.confidence = 0.0
        self.wave_magnitude = 0
        self.reason = NO_CHANGE
        """The reason of the change that the last call made."""
        self.change_throughput = 0.0
        """Items/s since the previous change; a field of event 55."""
        self.random = 1.0 + seed % (int(_MODULUS) - 1)
        """The generator's state."""
        for _ in range(4):  # the first few numbers of neighbouring seeds are close together
            self.draw_sample_ms()

    def draw_sample_ms(self) -> None:
        """Draws the length of samples, ms, uniformly from the interval of the knobs, both ends included."""
        self.random = (self.random * _MULTIPLIER) % _MODULUS
        low, high = self.knobs.sample_interval_low, self.knobs.sample_interval_high
        self.sample_ms: float = low + math.floor(self.random / _MODULUS * (high - low + 1.0))

    def change_threads(self, threads: int, reason: int) -> None:
        """Records a new goal, with the reason and the throughput that event 55 would report."""
        self.threads = threads
        if reason != COOPERATIVE_BLOCKING:
            self.draw_sample_ms()
        self.reason = reason
        self.change_throughput = 0.0
        if self.seconds_since_change > 0.0:
            self.change_throughput = self.completions_since_change / self.seconds_since_change

    def force_change(self, threads: int, reason: int) -> None:
        """Takes over a goal that something else set: starvation, an idle thread's exit, blocked tasks. The wave moves
        along, and the time since the last change continues."""
        self.reason = NO_CHANGE
        if self.threads != threads:
            self.control += threads - self.threads
            self.change_threads(threads, reason)

    def update(
        self, threads: int, seconds: float, completions: int, lowest: int, highest: int, cpu: float
    ) -> tuple[int, int]:
        """Takes a sample: `completions` items in `seconds` since the last update. Returns the new goal and ms to the
        next one.

        The pool's very first update gets the time since boot, as in the runtime. `threads` is the present goal, at
        least 1. The least goal, `lowest`, is the minimum raised by the threads that blocked tasks hold, as far as the
        goal allows: min(goal, minimum + blocked); `highest` is the maximum; `cpu` is the gate thread's last reading,
        percent, 0 before the first.
        """
        if threads != self.threads:
            self.force_change(threads, INITIALIZING)
        self.reason = NO_CHANGE
        self.seconds_since_change += seconds
        self.completions_since_change += completions
        seconds += self.carried_seconds
        done = completions + self.carried_completions
        # Each thread's unfinished item counts in one sample or the next by chance. With few completions, that is noise.
        uncertainty = (threads - 1.0) / max(done, 1.0)
        too_short = self.samples > 0 and uncertainty >= self.knobs.max_sample_error_percent / 100.0
        # An item that ended in the instant in which the simulation begins has taken no time that could be sampled.
        self.sampled = seconds > 0.0 and not too_short
        if not self.sampled:
            self.carried_seconds = seconds
            self.carried_completions = done
            return threads, CARRY_MS
        self.carried_seconds = 0.0
        self.carried_completions = 0
        self.duration = seconds
        self.throughput = done / seconds
        place = self.samples % self.history
        self.throughputs[place] = self.throughput
        self.thread_counts[place] = float(threads)
        self.samples += 1

        reason = self.measure_waves()
        goal = self.next_goal(lowest, highest, cpu)
        if goal != threads:
            self.change_threads(goal, reason)
            self.seconds_since_change = 0.0
            self.completions_since_change = 0
        return goal, self.next_interval(goal == lowest)

    def next_goal(self, lowest: int, highest: int, cpu: float) -> int:
        """Moves the control setting according to the waves, and returns the goal: one of the wave's two levels."""
        knobs = self.knobs
        move = min(1.0, max(-1.0, self.throughput_ratio))
        move *= min(1.0, max(0.0, self.confidence))
        gain = knobs.max_change_per_second * self.duration
        sign = 1.0 if move >= 0.0 else -1.0
        move = abs(move) ** (knobs.gain_exponent / 100.0) * sign * gain
        move = min(move, float(knobs.max_change_per_sample))
        if move > 0.0 and cpu > BUSY_CPU:
            move = 0.0
        control = self.control + move
        amplitude = control * self.noise * self.signal_to_noise * (knobs.wave_magnitude_multiplier / 100.0) * 2.0
        self.wave_magnitude = max(min(int(0.5 + amplitude), knobs.max_wave_magnitude), 1)
        self.control = max(float(lowest), min(float(highest - self.wave_magnitude), control))
        half_waves = self.samples // (knobs.wave_period // 2)
        return max(lowest, min(highest, int(self.control + self.wave_magnitude * (half_waves % 2))))

    def measure_waves(self) -> int:
        """Sets waves, error, ratio and confidence of the newest whole periods. Returns the reason for a change made
        now."""
        self.thread_wave = self.throughput_wave = self.throughput_error = 0.0
        self.throughput_ratio = self.confidence = 0.0
        period = self.knobs.wave_period
        # One less than there are: the pool's first sample counts from boot and is noise until the ring drops it.
        samples = min(self.samples - 1, self.history) // period * period
        if samples <= period:
            return WARMUP
        throughput = self.mean(self.throughputs, samples)
        threads = self.mean(self.thread_counts, samples)
        if throughput <= 0.0 or threads <= 0.0:
            return WARMUP

        real, imaginary = self.wave(self.throughputs, samples, float(period))
        real /= throughput
        imaginary /= throughput
        waves = samples / period
        side_real, side_imaginary = self.wave(self.throughputs, samples, samples / (waves + 1.0))
        error = magnitude(side_real / throughput, side_imaginary / throughput)
        longer = samples / (waves - 1.0)
        if longer <= samples:
            side_real, side_imaginary = self.wave(self.throughputs, samples, longer)
            error = max(error, magnitude(side_real / throughput, side_imaginary / throughput))
        thread_real, thread_imaginary = self.wave(self.thread_counts, samples, float(period))
        thread_real /= threads
        thread_imaginary /= threads

        smoothing = self.knobs.error_smoothing_factor / 100.0
        if self.noise == 0.0:
            self.noise = error
        else:
            self.noise = smoothing * error + (1.0 - smoothing) * self.noise
        signal = magnitude(thread_real, thread_imaginary)
        reason = STABILIZING
        if signal > 0.0:
            reason = CLIMBING_MOVE
            power = thread_real * thread_real + thread_imaginary * thread_imaginary
            excess_real = real - self.bias * thread_real
            excess_imaginary = imaginary - self.bias * thread_imaginary
            self.throughput_ratio = (excess_real * thread_real + excess_imaginary * thread_imaginary) / power
        noise = max(self.noise, error)
        self.confidence = signal / noise / self.signal_to_noise if noise > 0.0 else 1.0
        self.thread_wave = thread_real
        self.throughput_wave = real
        self.throughput_error = error
        return reason

    def mean(self, ring: list[float], samples: int) -> float:
        """Returns the mean of the newest `samples` of a ring."""
        total = 0.0
        for i in range(self.samples - samples, self.samples):
            total += ring[i % self.history]
        return total / samples

    def wave(self, ring: list[float], samples: int, period: float) -> tuple[float, float]:
        """Returns the component at `period` of a ring's newest `samples`: real, imaginary (Goertzel's recurrence)."""
        angle = 2.0 * math.pi / period
        cosine = math.cos(angle)
        coefficient = 2.0 * cosine
        before = last = 0.0
        for i in range(self.samples - samples, self.samples):
            before, last = last, coefficient * last - before + ring[i % self.history]
        return (last - before * cosine) / samples, before * math.sin(angle) / samples

    def next_interval(self, at_lowest: bool) -> int:
        """Returns the ms until the next update: more while fewer threads would be better but are not allowed."""
        ratio = self.throughput_ratio
        if ratio >= 0.0 or not at_lowest:
            return int(self.sample_ms)
        tenfold = self.knobs.floor_interval_at_least_tenfold
        slowdown = max(-ratio, 1.0) if tenfold else min(-ratio, 1.0)
        return int(0.5 + self.sample_ms * (FLOOR_SLOWDOWN * slowdown))


def magnitude(real: float, imaginary: float) -> float:
    """Returns the absolute value of a complex number."""
    return math.sqrt(real * real + imaginary * imaginary)
