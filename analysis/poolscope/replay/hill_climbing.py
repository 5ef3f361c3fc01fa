"""The runtime's hill climbing: which goal of threads it sets after each sample of throughput.

The goal is moved in a square wave of a few samples; the response of throughput at the wave's period, against that at
the neighbouring periods (noise), says whether more threads help. .NET 5 to 10, and the native pool of .NET Core 1 to
3.1 with one difference (`HillClimbingKnobs.floor_interval_at_least_tenfold`).

Plain functions on one float64 array whose places are the constants below, so that numba compiles them as they stand.
The order of the operations is the runtime's: where the thread count stands still, its wave is a rounding error of some
1e-16 and not 0. The ratio to it is then chance, and its sign decides how long the next sample is. So no term here may be
rearranged.

Left to the caller, because they need the pool: samples end with a completed item, once `interval` ms have gone by since
the last sample (`interval` / 2 by the precise clock), and only while no more items than the goal hold threads and no
adjustment for blocked tasks is pending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import FloatArray

# Reasons, in the numbers of event 55 (pool_changes.reason); hill climbing itself gives four of them.
NO_CHANGE = -1
WARMUP = 0
INITIALIZING = 1
CLIMBING_MOVE = 3
STABILIZING = 5
STARVATION = 6
THREAD_TIMED_OUT = 7
COOPERATIVE_BLOCKING = 8

# Places in the state array. Knobs, in the units of the formulas:
WAVE_PERIOD = 0  # samples
MAX_WAVE_MAGNITUDE = 1  # threads
WAVE_MAGNITUDE_MULTIPLIER = 2
BIAS = 3  # share
SIGNAL_TO_NOISE = 4
MAX_CHANGE_PER_SECOND = 5  # threads/s
MAX_CHANGE_PER_SAMPLE = 6  # threads
SAMPLE_INTERVAL_LOW = 7  # ms
SAMPLE_INTERVAL_HIGH = 8  # ms
ERROR_SMOOTHING = 9  # share
GAIN_EXPONENT = 10
MAX_SAMPLE_ERROR = 11  # share
HISTORY = 12  # samples that the rings hold
FLOOR_TENFOLD = 13  # 1: floor_interval_at_least_tenfold
# What it remembers:
LAST_THREADS = 14  # goal at the last change that it knows of; 0 before the first
CONTROL = 15  # threads, not rounded: the wave's lower level
SAMPLES = 16  # samples taken
NOISE = 17  # smoothed relative error of throughput; event 56: AverageThroughputErrorEstimate
SECONDS_SINCE_CHANGE = 18
COMPLETIONS_SINCE_CHANGE = 19
CARRIED_SECONDS = 20  # of updates that were too short for a sample
CARRIED_COMPLETIONS = 21
SAMPLE_MS = 22  # drawn again with each change; may be set from outside
RANDOM = 23  # the generator's state
# What the last call did:
SAMPLED = 24  # 1: `update` took a sample; 0: it carried the completions over
DURATION = 25  # s; from here to WAVE_MAGNITUDE the fields of event 56, which every sample sets
THROUGHPUT = 26  # items/s
THREAD_WAVE = 27  # real part, relative to the mean
THROUGHPUT_WAVE = 28
THROUGHPUT_ERROR = 29
THROUGHPUT_RATIO = 30
CONFIDENCE = 31
NEW_CONTROL = 32  # threads
WAVE_MAGNITUDE = 33  # threads
REASON = 34  # of the change that the last call made; NO_CHANGE
CHANGE_THROUGHPUT = 35  # items/s since the change before; field of event 55
RINGS = 36  # HISTORY throughputs, then HISTORY thread counts

CARRY_MS = 10
"""Until the next update if there were too few completions for a sample."""
BUSY_CPU = 95.0
"""Percent: above it hill climbing adds no thread."""
FLOOR_SLOWDOWN = 10.0
"""At the lowest goal, with a falling ratio, samples become up to this many times longer."""

_MODULUS = 2147483647.0
_MULTIPLIER = 48271.0  # Park and Miller's generator with its later multiplier: products stay exact in a float64


@dataclass(frozen=True)
class HillClimbingKnobs:
    """DOTNET_HillClimbing_NAME (hexadecimal there), or System.Threading.ThreadPool.HillClimbing.NAME; here the fields
    are in the same units, ratios in percent. Raises ValueError where the runtime would divide by zero or draw from an
    empty range."""

    disable: bool = False
    """Disable: the goal then changes for other reasons only. The functions here do not look at it: do not call them."""
    wave_period: int = 4
    """WavePeriod, samples, at least 2: half of them at each level of the wave."""
    max_wave_magnitude: int = 20
    """MaxWaveMagnitude, threads."""
    wave_magnitude_multiplier: int = 100
    """WaveMagnitudeMultiplier, percent."""
    wave_history_size: int = 8
    """WaveHistorySize, waves that are examined."""
    bias: int = 15
    """Bias, percent: by how much relative throughput must follow relative threads for more threads to be worth it."""
    target_signal_to_noise_ratio: int = 300
    """TargetSignalToNoiseRatio, percent."""
    max_change_per_second: int = 4
    """MaxChangePerSecond, threads/s."""
    max_change_per_sample: int = 20
    """MaxChangePerSample, threads, upwards only."""
    sample_interval_low: int = 10
    """SampleIntervalLow, ms."""
    sample_interval_high: int = 200
    """SampleIntervalHigh, ms: the length of samples is drawn evenly from low to high."""
    error_smoothing_factor: int = 1
    """ErrorSmoothingFactor, percent: the weight of the newest sample's error."""
    gain_exponent: int = 200
    """GainExponent, percent."""
    max_sample_error_percent: int = 15
    """MaxSampleErrorPercent: (threads - 1) / completions at which a sample is too short."""
    floor_interval_at_least_tenfold: bool = False
    """No knob of the runtime. True: .NET Core 1.0, and so probably .NET Framework 4.x, which at the lowest goal make
    samples longer by max(-ratio, 1) x 10; from .NET Core 3.1 on it is min(-ratio, 1) x 10."""

    def __post_init__(self) -> None:
        if self.wave_period < 2 or self.wave_history_size < 1:
            raise ValueError("hill climbing: WavePeriod must be at least 2 and WaveHistorySize at least 1")
        if not 1 <= self.sample_interval_low <= self.sample_interval_high:
            raise ValueError("hill climbing: SampleIntervalLow must be from 1 ms to SampleIntervalHigh")
        if self.target_signal_to_noise_ratio <= 0:
            raise ValueError("hill climbing: TargetSignalToNoiseRatio must be above 0")


def new_state(knobs: HillClimbingKnobs, seed: int = 0) -> FloatArray:
    """Returns the state before the first sample; `seed` determines the lengths of the samples. Not for compiled code."""
    history = knobs.wave_period * knobs.wave_history_size
    state = np.zeros(RINGS + 2 * history)
    state[WAVE_PERIOD] = knobs.wave_period
    state[MAX_WAVE_MAGNITUDE] = knobs.max_wave_magnitude
    state[WAVE_MAGNITUDE_MULTIPLIER] = knobs.wave_magnitude_multiplier / 100.0
    state[BIAS] = knobs.bias / 100.0
    state[SIGNAL_TO_NOISE] = knobs.target_signal_to_noise_ratio / 100.0
    state[MAX_CHANGE_PER_SECOND] = knobs.max_change_per_second
    state[MAX_CHANGE_PER_SAMPLE] = knobs.max_change_per_sample
    state[SAMPLE_INTERVAL_LOW] = knobs.sample_interval_low
    state[SAMPLE_INTERVAL_HIGH] = knobs.sample_interval_high
    state[ERROR_SMOOTHING] = knobs.error_smoothing_factor / 100.0
    state[GAIN_EXPONENT] = knobs.gain_exponent / 100.0
    state[MAX_SAMPLE_ERROR] = knobs.max_sample_error_percent / 100.0
    state[HISTORY] = history
    state[FLOOR_TENFOLD] = 1.0 if knobs.floor_interval_at_least_tenfold else 0.0
    state[REASON] = NO_CHANGE
    state[RANDOM] = 1.0 + seed % (int(_MODULUS) - 1)
    for _ in range(4):  # neighbouring seeds lie close together for the first few numbers
        draw_sample_ms(state)
    return state


def draw_sample_ms(state: FloatArray) -> None:
    """Draws the length of samples, ms, evenly from the interval of the knobs, both ends included."""
    state[RANDOM] = (state[RANDOM] * _MULTIPLIER) % _MODULUS
    low = state[SAMPLE_INTERVAL_LOW]
    state[SAMPLE_MS] = low + math.floor(state[RANDOM] / _MODULUS * (state[SAMPLE_INTERVAL_HIGH] - low + 1.0))


def change_threads(state: FloatArray, threads: int, reason: int) -> None:
    """Notes a new goal, with the reason and the throughput that event 55 would tell."""
    state[LAST_THREADS] = threads
    if reason != COOPERATIVE_BLOCKING:
        draw_sample_ms(state)
    state[REASON] = reason
    state[CHANGE_THROUGHPUT] = 0.0
    if state[SECONDS_SINCE_CHANGE] > 0.0:
        state[CHANGE_THROUGHPUT] = state[COMPLETIONS_SINCE_CHANGE] / state[SECONDS_SINCE_CHANGE]


def force_change(state: FloatArray, threads: int, reason: int) -> None:
    """Takes over a goal that something else set: starvation, an idle thread's exit, blocked tasks. The wave moves
    along; the time since the last change goes on."""
    state[REASON] = NO_CHANGE
    if state[LAST_THREADS] != threads:
        state[CONTROL] += threads - state[LAST_THREADS]
        change_threads(state, threads, reason)


def wave(state: FloatArray, ring: int, samples: int, period: float) -> tuple[float, float]:
    """Returns the component at `period` samples of the newest `samples` of the ring that begins at `ring`: real and
    imaginary part, by Goertzel's recurrence."""
    size = int(state[HISTORY])
    first = int(state[SAMPLES]) - samples
    angle = 2.0 * math.pi / period
    cosine = math.cos(angle)
    coefficient = 2.0 * cosine
    before = 0.0
    last = 0.0
    for i in range(samples):
        now = coefficient * last - before + state[ring + (first + i) % size]
        before = last
        last = now
    return (last - before * cosine) / samples, before * math.sin(angle) / samples


def magnitude(real: float, imaginary: float) -> float:
    """Returns the absolute value of a complex number."""
    return math.sqrt(real * real + imaginary * imaginary)


def update(
    state: FloatArray, threads: int, seconds: float, completions: int, lowest: int, highest: int, cpu: float
) -> tuple[int, int]:
    """Takes a sample: `completions` items in `seconds` since the update before. Returns the new goal and the ms until
    the next update.

    The pool's very first update is told the time since boot, as the runtime does.
    `threads`: the goal now, at least 1. `lowest`: what the goal may not fall below, the minimum, raised by the threads
    that blocked tasks hold as far as the goal allows: min(goal, minimum + blocked). `highest`: the maximum. `cpu`: the
    gate thread's last reading, percent; 0 before the first.
    """
    if threads != state[LAST_THREADS]:
        force_change(state, threads, INITIALIZING)
    state[REASON] = NO_CHANGE
    state[SECONDS_SINCE_CHANGE] += seconds
    state[COMPLETIONS_SINCE_CHANGE] += completions
    seconds += state[CARRIED_SECONDS]
    done = completions + state[CARRIED_COMPLETIONS]
    state[SAMPLED] = 0.0
    # Each thread's unfinished item counts in one sample or the next by chance: many completions, or it is noise.
    uncertainty = (threads - 1.0) / max(done, 1.0)
    # An item that ended in the instant in which the simulation begins has taken no time that could be sampled.
    if seconds <= 0.0 or (state[SAMPLES] > 0.0 and uncertainty >= state[MAX_SAMPLE_ERROR]):
        state[CARRIED_SECONDS] = seconds
        state[CARRIED_COMPLETIONS] = done
        return threads, CARRY_MS
    state[CARRIED_SECONDS] = 0.0
    state[CARRIED_COMPLETIONS] = 0.0
    state[SAMPLED] = 1.0
    state[DURATION] = seconds
    state[THROUGHPUT] = done / seconds
    size = int(state[HISTORY])
    place = int(state[SAMPLES]) % size
    state[RINGS + place] = state[THROUGHPUT]
    state[RINGS + size + place] = threads
    state[SAMPLES] += 1.0

    reason = measure_waves(state)

    move = min(1.0, max(-1.0, state[THROUGHPUT_RATIO]))
    move *= min(1.0, max(0.0, state[CONFIDENCE]))
    gain = state[MAX_CHANGE_PER_SECOND] * seconds
    sign = 1.0 if move >= 0.0 else -1.0
    move = abs(move) ** state[GAIN_EXPONENT] * sign * gain
    move = min(move, state[MAX_CHANGE_PER_SAMPLE])
    if move > 0.0 and cpu > BUSY_CPU:
        move = 0.0
    control = state[CONTROL] + move
    amplitude = control * state[NOISE] * state[SIGNAL_TO_NOISE] * state[WAVE_MAGNITUDE_MULTIPLIER] * 2.0
    wave_magnitude = max(min(int(0.5 + amplitude), int(state[MAX_WAVE_MAGNITUDE])), 1)
    control = max(float(lowest), min(float(highest - wave_magnitude), control))
    half_waves = int(state[SAMPLES]) // (int(state[WAVE_PERIOD]) // 2)
    goal = max(lowest, min(highest, int(control + wave_magnitude * (half_waves % 2))))
    state[CONTROL] = control
    state[NEW_CONTROL] = control
    state[WAVE_MAGNITUDE] = wave_magnitude

    if goal != threads:
        change_threads(state, goal, reason)
        state[SECONDS_SINCE_CHANGE] = 0.0
        state[COMPLETIONS_SINCE_CHANGE] = 0.0
    return goal, next_interval(state, goal == lowest)


def measure_waves(state: FloatArray) -> int:
    """Sets the waves, the error, ratio and confidence of the newest whole periods, and returns the reason that a change
    now would have."""
    state[THREAD_WAVE] = 0.0
    state[THROUGHPUT_WAVE] = 0.0
    state[THROUGHPUT_ERROR] = 0.0
    state[THROUGHPUT_RATIO] = 0.0
    state[CONFIDENCE] = 0.0
    size = int(state[HISTORY])
    period = int(state[WAVE_PERIOD])
    taken = int(state[SAMPLES])
    # One less than there are: the pool's first sample counts from boot and is noise until the ring has pushed it out.
    samples = min(taken - 1, size) // period * period
    if samples <= period:
        return WARMUP
    throughput = 0.0
    threads = 0.0
    for i in range(samples):
        place = (taken - samples + i) % size
        throughput += state[RINGS + place]
        threads += state[RINGS + size + place]
    throughput /= samples
    threads /= samples
    if throughput <= 0.0 or threads <= 0.0:
        return WARMUP

    real, imaginary = wave(state, RINGS, samples, float(period))
    real /= throughput
    imaginary /= throughput
    waves = samples / period
    side_real, side_imaginary = wave(state, RINGS, samples, samples / (waves + 1.0))
    error = magnitude(side_real / throughput, side_imaginary / throughput)
    longer = samples / (waves - 1.0)
    if longer <= samples:
        side_real, side_imaginary = wave(state, RINGS, samples, longer)
        error = max(error, magnitude(side_real / throughput, side_imaginary / throughput))
    thread_real, thread_imaginary = wave(state, RINGS + size, samples, float(period))
    thread_real /= threads
    thread_imaginary /= threads

    smoothing = state[ERROR_SMOOTHING]
    if state[NOISE] == 0.0:
        state[NOISE] = error
    else:
        state[NOISE] = smoothing * error + (1.0 - smoothing) * state[NOISE]
    signal = magnitude(thread_real, thread_imaginary)
    reason = STABILIZING
    if signal > 0.0:
        reason = CLIMBING_MOVE
        bias = state[BIAS]
        power = thread_real * thread_real + thread_imaginary * thread_imaginary
        excess_real = real - bias * thread_real
        excess_imaginary = imaginary - bias * thread_imaginary
        state[THROUGHPUT_RATIO] = (excess_real * thread_real + excess_imaginary * thread_imaginary) / power
    noise = max(state[NOISE], error)
    state[CONFIDENCE] = signal / noise / state[SIGNAL_TO_NOISE] if noise > 0.0 else 1.0
    state[THREAD_WAVE] = thread_real
    state[THROUGHPUT_WAVE] = real
    state[THROUGHPUT_ERROR] = error
    return reason


def next_interval(state: FloatArray, at_lowest: bool) -> int:
    """Returns the time until the next update, ms: longer while fewer threads would be better but are not allowed."""
    ratio = state[THROUGHPUT_RATIO]
    if ratio >= 0.0 or not at_lowest:
        return int(state[SAMPLE_MS])
    slowdown = max(-ratio, 1.0) if state[FLOOR_TENFOLD] > 0.0 else min(-ratio, 1.0)
    return int(0.5 + state[SAMPLE_MS] * (FLOOR_SLOWDOWN * slowdown))
