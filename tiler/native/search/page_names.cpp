#include "search/page_names.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

CountedVector<NameOnPage> page_names(Span<const LeafNames> leaves, MemoryBudget* budget) {
    CountedVector<NameOnPage> found(budget);
    CountedVector<uint32_t> seen(budget);  // by name, shifted by one: the last page it was seen on, and one
    uint32_t last = 0;
    for (const LeafNames& leaf : leaves) {
        if (leaf.page < last || leaf.page == UINT32_MAX) throw std::invalid_argument("leaves are not ordered by page");
        last = leaf.page;
        for (const int32_t name : leaf.name) {
            if (name < -1) throw std::invalid_argument("there is no such name");
            const std::size_t at = static_cast<std::size_t>(int64_t{name} + 1);
            if (at >= seen.size()) seen.resize(std::max(at + 1, 2 * seen.size()));
            if (seen[at] == leaf.page + 1) continue;
            seen[at] = leaf.page + 1;
            found.push_back({name, leaf.page});
        }
    }
    std::sort(found.begin(), found.end(), [](const NameOnPage& a, const NameOnPage& b) {
        return a.name != b.name ? a.name < b.name : a.page < b.page;
    });
    return found;
}

}  // namespace tilescope
