// A chunk of launches, as tiler/records/launches.py stores them.
#pragma once

#include <cstdint>

#include "base/span.hpp"
#include "pages/container.hpp"

namespace tilescope {

// Pairs of launches that correlations tell, seen from a track, and between which numbers these lie: nothing is looked at twice.
struct LaunchColumns {
    Span<const std::int64_t> ordinal;  // ascending
    Span<const std::uint32_t> partner_track;
    Span<const std::int64_t> partner_step;
    Span<const std::int64_t> before_partners;
    Span<const std::uint32_t> incoming;
    std::uint64_t most_rise = 0;  // of ordinals
    std::uint32_t first_track = 0, last_track = 0;
    std::int64_t least_step = 0, most_step = 0;
    bool has_both_sides = false;
};

// The columns stay where they are until the container was written. Throws std::invalid_argument for columns that differ in
// length.
ContainerWriter launch_chunk(std::uint32_t track, const LaunchColumns& columns);

}  // namespace tilescope
