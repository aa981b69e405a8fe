// Which names start on which pages.
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

struct NameOnPage {
    NameOnPage() = default;
    NameOnPage(int32_t its_name, uint32_t its_page) : name(its_name), page(its_page) {}

    int32_t name;
    uint32_t page;
};

// Each name with each of its pages once, by name, then by page. `leaves` are ordered by page; names are -1 or above.
CountedVector<NameOnPage> page_names(Span<const LeafNames> leaves, MemoryBudget* budget);

}  // namespace tilescope
