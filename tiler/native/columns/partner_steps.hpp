// Ordinals of partners on several tracks, as steps from one to the next on the same track: nearly all are small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

struct PartnerSteps {
    std::vector<std::int64_t> step;  // from the partner before on the same track; 1 for the first
    std::vector<std::int64_t> before;  // of each track in the order in which they come: its first partner less 1
};

// Throws std::invalid_argument for columns that differ in length.
PartnerSteps partner_steps(Span<const std::int64_t> track, Span<const std::int64_t> ordinal);

// The ordinals again. Throws std::invalid_argument for columns that differ in length, and for more or fewer tracks.
std::vector<std::int64_t> partner_ordinals(Span<const std::int64_t> track, Span<const std::int64_t> step,
                                           Span<const std::int64_t> before);

}  // namespace tilescope
