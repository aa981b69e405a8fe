// From when to when the events of a chunk last, and how many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/span.hpp"

namespace tilescope {

struct ChunkExtent {
    std::size_t events = 0;  // without flow ends
    std::int64_t first_ns = 0;
    std::int64_t latest_ns = 0;  // where the last one begins
    std::int64_t longest_ns = 0;
    // The nanosecond in which the last event ends; an end that 64 bits do not hold is the last nanosecond that they do.
    std::int64_t last_ns = 0;
    std::int64_t last_ps = 0;  // beyond it
    bool any_ps = false;  // whether some time is not a whole nanosecond
};

// Returns the extent of a chunk with columns as tilescope.tiler.columns.EventChunk describes them; one row at least.
// Picoseconds are below 1,000. Throws std::invalid_argument.
ChunkExtent extent_of(Span<const std::uint8_t> phase, Span<const std::int64_t> time_ns,
                      std::optional<Span<const std::int16_t>> time_ps, Span<const std::int64_t> duration_ns,
                      std::optional<Span<const std::int16_t>> duration_ps);

}  // namespace tilescope
