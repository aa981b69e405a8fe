// The names that start on each page, turned round: the pages of each name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/counted.hpp"
#include "base/span.hpp"

namespace tilescope {

// The slices that start in a leaf.
struct LeafNames {
    Span<const int32_t> name;
    uint32_t page = 0;  // the number of its page
};

// Names, ascending, each on so many pages: those of one behind those of the other, ascending.
struct NamesOnPages {
    std::vector<int64_t> name, count;
    std::vector<uint32_t> page;
};

// Each name with each of its pages once. `leaves` are ordered by page; names are -1 or above. What the work takes is taken from
// `budget`, but for the result.
NamesOnPages page_names(Span<const LeafNames> leaves, MemoryBudget* budget);

}  // namespace tilescope
