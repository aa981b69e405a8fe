// A chunk of launches, as tiler/records/launches.py stores them.
#pragma once

#include <cstdint>

#include "base/span.hpp"
#include "pages/container.hpp"

namespace tilescope {

// Launches that correlations tell of the work on a track.
struct LaunchColumns {
    Span<const std::int64_t> ordinal;  // ascending
    Span<const std::int64_t> code;  // see columns/partner_codes.hpp
    Span<const std::int64_t> tracks;  // that launch
    Span<const std::int64_t> before;
    std::uint64_t most_rise = 0;  // of ordinals
};

// The columns stay where they are until the container was written. Throws std::invalid_argument for columns that differ in
// length.
ContainerWriter launch_chunk(std::uint32_t track, const LaunchColumns& columns);

}  // namespace tilescope
