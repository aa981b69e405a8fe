// From when to when the events of a chunk last, and its flow ends, and how many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/span.hpp"

namespace tilescope {

struct Extent {
    std::size_t rows = 0;  // what follows is of no meaning without any
    std::int64_t first_ns = 0;
    std::int64_t latest_ns = 0;  // where the last one begins
    std::int64_t longest_ns = 0;
    // The nanosecond in which the last one ends; an end that 64 bits do not hold is the last nanosecond that they do.
    std::int64_t last_ns = 0;
    std::int64_t last_ps = 0;  // beyond it
    bool any_ps = false;  // whether some time is not a whole nanosecond
};

struct ChunkExtents {
    Extent events;
    Extent flow_ends;
    std::optional<std::int64_t> first_arrival_ns;  // of a flow end that belongs to the slice behind it
};

// Returns the extents of a chunk with columns as tilescope.tiler.columns.EventChunk describes them. Picoseconds are below
// 1,000. Throws std::invalid_argument.
ChunkExtents extents_of(Span<const std::uint8_t> phase, Span<const std::int64_t> time_ns,
                        std::optional<Span<const std::int16_t>> time_ps, Span<const std::int64_t> duration_ns,
                        std::optional<Span<const std::int16_t>> duration_ps, Span<const std::uint8_t> flags);

}  // namespace tilescope
