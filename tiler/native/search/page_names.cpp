#include "search/page_names.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

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
            found.emplace_back(name, leaf.page);  // one that is written before is not there yet as one
        }
    }
    // They are ordered by page: what is left is to order them by name, which is counted where names are not too many for that.
    if (seen.size() > 4 * found.size()) {
        std::sort(found.begin(), found.end(), [](const NameOnPage& a, const NameOnPage& b) {
            return a.name != b.name ? a.name < b.name : a.page < b.page;
        });
        return found;
    }
    std::fill(seen.begin(), seen.end(), 0U);
    const auto place = [&seen](const NameOnPage& of) -> uint32_t& {
        return seen[static_cast<std::size_t>(int64_t{of.name} + 1)];
    };
    if (found.size() > UINT32_MAX) throw std::length_error("too many names on pages");
    for (const NameOnPage& of : found) ++place(of);
    uint32_t before = 0;
    for (uint32_t& count : seen) before += std::exchange(count, before);
    CountedVector<NameOnPage> ordered(found.size(), NameOnPage{}, found.get_allocator());
    for (const NameOnPage& of : found) ordered[place(of)++] = of;
    return ordered;
}

}  // namespace tilescope
