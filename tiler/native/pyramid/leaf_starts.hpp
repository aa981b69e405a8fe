// The starts of the slices of leaves: of the columns of a page only what says which slice starts when.
#pragma once

#include <cstdint>
#include <vector>

#include "pages/container_reader.hpp"
#include "pyramid/leaf_page.hpp"

namespace tilescope {

struct LeafStarts {
    std::vector<int64_t> ordinal;
    std::vector<int64_t> start;
};

// The slices that start in some leaves of a page, leaf by leaf; of a part of a leaf all of it. Throws DamagedContainer.
LeafStarts leaf_starts(const ContainerReader& page, const std::vector<LeafPart>& leaves);

}  // namespace tilescope
