#include "search/name_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pages/container.hpp"

namespace tilescope {

namespace {

constexpr int64_t kNoName = -1;
constexpr int64_t kTimesEnd = int64_t{1} << 61;  // as tiler/ticks.py has it

}  // namespace

std::optional<NameBounds> name_bounds(const ContainerReader& histogram, Span<const uint8_t> wanted) {
    const std::size_t n = histogram.tiles();
    const auto column = [&](ColumnId id) { return histogram.values(static_cast<uint8_t>(id), n); };
    const std::vector<int64_t> name = column(ColumnId::histogram_name), count = column(ColumnId::histogram_count);
    const std::vector<int64_t> longest = column(ColumnId::longest), shorter = column(ColumnId::longest_minus_shortest);
    NameBounds bounds{kTimesEnd, -1};
    for (std::size_t k = 0; k < n; ++k) {
        if (name[k] < kNoName) return std::nullopt;
        const auto number = static_cast<uint64_t>(name[k]) + 1;
        if (number >= wanted.size() || longest[k] < 0 || longest[k] >= kTimesEnd || shorter[k] < 0 ||
            shorter[k] > longest[k]) {
            throw DamagedContainer("a histogram is damaged");
        }
        if (wanted[number] == 0 || count[k] <= 0) continue;
        bounds.longest = std::max(bounds.longest, longest[k]);
        bounds.shortest = std::min(bounds.shortest, longest[k] - shorter[k]);
    }
    return bounds;
}

}  // namespace tilescope
