#include "pyramid/start_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace tilescope {

StartBounds::StartBounds(std::vector<uint8_t> kinds, std::vector<int64_t> borders)
    : kinds_(std::move(kinds)), borders_(std::move(borders)) {
    if (borders_.empty() || !std::is_sorted(borders_.begin(), borders_.end())) {
        throw std::invalid_argument("borders do not ascend");
    }
    const std::vector<int64_t> none(borders_.size() - 1, -1);
    bounds_ = {none, none, none};
}

void StartBounds::add(const ContainerReader& page, const std::vector<LeafPart>& parts,
                      std::optional<Span<const int32_t>> names) {
    LeafPage leaves(page);
    if (names) leaves.rename(*names);
    for (const LeafPart& part : parts) {
        const SliceColumns slices = leaves.slices(part);
        // Of the stretch that has the slice before: slices are in the order of their starts.
        auto border = borders_.begin();
        for (std::size_t k = 0; k < slices.size(); ++k) {
            const auto name = static_cast<std::size_t>(slices.name[k] + int64_t{1});
            if (name >= kinds_.size()) throw DamagedContainer("column name of a page is damaged");
            const int64_t start = slices.start[k];
            if (kinds_[name] == 0) continue;
            if (border != borders_.end() && *border <= start) border = std::upper_bound(border, borders_.end(), start);
            if (border == borders_.begin() || border == borders_.end()) continue;
            const auto stretch = static_cast<std::size_t>(border - borders_.begin()) - 1;
            int64_t& first = bounds_.first[stretch];
            first = first < 0 ? start : std::min(first, start);
            bounds_.last[stretch] = std::max(bounds_.last[stretch], start);
            bounds_.stop[stretch] = std::max(bounds_.stop[stretch], slices.end(k));
        }
    }
}

}  // namespace tilescope
