// The plan of a column of a container: its flags and planes, decided before any of it is written, so that its size is
// known.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "base/bit_length.hpp"
#include "base/span.hpp"

namespace tilescope {

namespace column_flag {
constexpr uint8_t delta = 1;
constexpr uint8_t zigzag = 2;
constexpr uint8_t float64 = 4;
}  // namespace column_flag

struct ColumnPlan {
    uint8_t flags = 0;
    size_t planes = 0;
    int64_t base = 0;
    uint64_t scale = 1;
};

template <typename Unsigned>
Unsigned zigzag(Unsigned value) {
    return static_cast<Unsigned>(static_cast<Unsigned>(value << 1) ^
                                 static_cast<Unsigned>(0 - (value >> (8 * sizeof(Unsigned) - 1))));
}

inline size_t planes_of(uint64_t most) { return static_cast<size_t>(bit_length(most) + 7) / 8; }

// Steps, of which these are the highest and the lowest.
inline size_t planes_of_steps(int64_t most, int64_t least) {
    const auto rise = static_cast<uint64_t>(most), fall = static_cast<uint64_t>(least);
    return planes_of(least < 0 ? std::max(zigzag(rise), zigzag(fall)) : rise);
}

// The greatest common divisor of `size_of(k)` for all k from `first` on, at least 1.
template <typename SizeOf>
uint64_t divisor_of(size_t first, size_t n, const SizeOf& size_of) {
    uint64_t scale = 0;
    for (size_t k = first; k < n; ++k) {
        const uint64_t size = size_of(k);
        if (size == 0) continue;
        if (scale == 0 || size % scale != 0) scale = std::gcd(scale, size);
        if (scale == 1) return 1;
    }
    return scale == 0 ? 1 : scale;
}

template <typename T>
struct ValueRange {
    T least;
    T most;
};

// The range of `value(k)`, for k from `first` to `n`, and of `begin`. Compilers make wide instructions of it: numbers
// are compared with a sign, and chosen by value. By std::min and std::max, bytes took ten times as long, and uint32 1.6
// times (gcc 12, 2026-11-26).
template <typename T, typename ValueAt>
ValueRange<T> range_of(T begin, size_t first, size_t n, const ValueAt& value) {
    using Signed = std::make_signed_t<T>;
    constexpr size_t kLanes =
        sizeof(T) <= 2 ? 1 : 4;  // which do not wait for each other; of narrow ones compilers make them
    constexpr T kFlip = std::is_unsigned_v<T> ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
    const auto flipped = [](T number) { return static_cast<Signed>(static_cast<T>(number ^ kFlip)); };
    std::array<Signed, kLanes> least{}, most{};
    least.fill(flipped(begin));
    most.fill(flipped(begin));
    const auto add = [&](size_t lane, T number) {
        const Signed by_sign = flipped(number);
        least[lane] = by_sign < least[lane] ? by_sign : least[lane];
        most[lane] = by_sign > most[lane] ? by_sign : most[lane];
    };
    size_t k = first;
    for (; k + kLanes <= n; k += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) add(lane, value(k + lane));
    for (; k < n; ++k) add(0, value(k));
    const auto back = [](Signed by_sign) { return static_cast<T>(static_cast<T>(by_sign) ^ kFlip); };
    return {back(*std::min_element(least.begin(), least.end())), back(*std::max_element(most.begin(), most.end()))};
}

template <typename T>
ValueRange<T> range_of(Span<const T> values) {
    return range_of<T>(values[0], 1, values.size(), [&](size_t k) { return values[k]; });
}

// Values relative to the least, and values that ascend by up to `most` as differences.
inline ColumnPlan plan_between(int64_t least, int64_t most) {
    return {0, planes_of(static_cast<uint64_t>(most) - static_cast<uint64_t>(least)), least, 1};
}
inline ColumnPlan plan_rises(int64_t first, uint64_t most) { return {column_flag::delta, planes_of(most), first, 1}; }

// Relative to the least.
template <typename T>
ColumnPlan plan_plain(Span<const T> values) {
    const ValueRange<T> range = range_of(values);
    const auto base = static_cast<uint64_t>(range.least);
    const uint64_t width = static_cast<uint64_t>(range.most) - base;
    const uint64_t scale =
        width < 2 ? 1 : divisor_of(0, values.size(), [&](size_t k) { return static_cast<uint64_t>(values[k]) - base; });
    return {0, planes_of(width / scale), static_cast<int64_t>(range.least), scale};
}

template <typename T>
int64_t step_at(Span<const T> values, size_t k) {
    return static_cast<int64_t>(static_cast<uint64_t>(values[k]) - static_cast<uint64_t>(values[k - 1]));
}

// As differences between neighbours.
template <typename T>
ColumnPlan plan_delta(Span<const T> values) {
    const auto step = [&](size_t k) { return step_at(values, k); };
    const ValueRange<int64_t> range = range_of<int64_t>(0, 1, values.size(), step);
    const uint64_t scale = divisor_of(1, values.size(), [&](size_t k) {
        const int64_t size = step_at(values, k);
        return size < 0 ? 0 - static_cast<uint64_t>(size) : static_cast<uint64_t>(size);
    });
    const auto divisor = static_cast<int64_t>(scale);
    const uint8_t flags = column_flag::delta | (range.least < 0 ? column_flag::zigzag : 0);
    return {flags, planes_of_steps(range.most / divisor, range.least / divisor), static_cast<int64_t>(values[0]),
            scale};
}

// Whichever of the two takes less room, without a scale. Steps are looked at until that is known: in a column without order it
// soon is.
template <typename T>
ColumnPlan plan_smaller(Span<const T> values) {
    using Step = std::conditional_t<sizeof(T) == 2, int32_t, int64_t>;
    using Wide = std::make_unsigned_t<Step>;
    constexpr size_t kAtOnce = 256;
    const ValueRange<T> of_values = range_of(values);
    const uint64_t width = static_cast<uint64_t>(of_values.most) - static_cast<uint64_t>(of_values.least);
    Step most = 0, least = 0;  // of the widest values steps wrap: what is read is added up in the same way
    bool are_wide = width == 0;
    for (size_t first = 1; first < values.size() && !are_wide; first += kAtOnce) {
        for (size_t k = first; k < std::min(values.size(), first + kAtOnce); ++k) {
            const auto step = static_cast<Step>(static_cast<Wide>(values[k]) - static_cast<Wide>(values[k - 1]));
            most = std::max(most, step);
            least = std::min(least, step);
        }
        const auto rise = static_cast<uint64_t>(most), fall = static_cast<uint64_t>(int64_t{least});
        are_wide = (least < 0 ? std::max(zigzag(rise), zigzag(fall)) : rise) >= width;
    }
    if (are_wide) return {0, planes_of(width), static_cast<int64_t>(of_values.least), 1};
    const uint8_t flags = column_flag::delta | (least < 0 ? column_flag::zigzag : 0);
    return {flags, planes_of_steps(most, least), static_cast<int64_t>(values[0]), 1};
}

}  // namespace tilescope
