// Columns of the slices of leaves: of a page only what is asked for is decoded.
#pragma once

#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "pages/container_reader.hpp"
#include "pyramid/leaf_page.hpp"

namespace tilescope {

// Slices leaf by leaf.
struct LeafSlices {
    std::vector<std::vector<int64_t>> columns;  // in the order in which they were asked for
    std::vector<int64_t> count;                 // of each leaf: slices
};

// The slices of some leaves of a page: those that start there, and with `reaching` those that reach in; of a part of a
// leaf all of it. `ids`: of the columns. Throws DamagedContainer.
LeafSlices leaf_slices(const ContainerReader& page, const std::vector<LeafPart>& leaves, Span<const uint8_t> ids,
                       bool reaching);

}  // namespace tilescope
