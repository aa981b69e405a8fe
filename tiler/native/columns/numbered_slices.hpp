// The slices of a track that have a number, which launches and the work of devices share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/span.hpp"

namespace tilescope {

// In the order of ordinals; the columns are the caller's.
struct NumberedSlices {
    std::int64_t track = 0;
    Span<const std::int64_t> ordinal;  // ascending; empty: all slices from the first on
    Span<const std::int64_t> key;  // as trace_event/correlation.hpp has it

    std::int64_t ordinal_at(std::size_t row) const {
        return ordinal.empty() ? static_cast<std::int64_t>(row) : ordinal[row];
    }
    static bool is_of_work(std::int64_t key) { return (key & 1) != 0; }
    static std::int64_t number_of(std::int64_t key) { return (-2 - key) >> 1; }
    bool is_work(std::size_t row) const { return is_of_work(key[row]); }
    std::int64_t number_at(std::size_t row) const { return number_of(key[row]); }
};

}  // namespace tilescope
