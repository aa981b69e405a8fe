// The shortest and the longest slices of some names, by a stored histogram.
#pragma once

#include <cstdint>
#include <optional>

#include "base/span.hpp"
#include "pages/container_reader.hpp"

namespace tilescope {

// Bounds of the durations of slices that start in a tile, in ticks. Where there are none, the shortest is longer than
// the longest.
struct NameBounds {
    int64_t shortest, longest;
};

// `wanted`: by name id, shifted by one. None where some names have no row of their own. Throws DamagedContainer.
std::optional<NameBounds> name_bounds(const ContainerReader& histogram, Span<const uint8_t> wanted);

}  // namespace tilescope
