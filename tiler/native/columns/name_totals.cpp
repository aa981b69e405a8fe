#include "columns/name_totals.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

namespace {

// Events that are added at a time: other threads wait some hundred microseconds.
constexpr std::size_t kAtOnce = 1 << 16;
constexpr int kHalf = 32;

}  // namespace

void NameTotals::add(Span<const std::int32_t> name, Span<const std::int64_t> duration) {
    const std::size_t size = same_size(name, duration);
    for (std::size_t first = 0; first < size; first += kAtOnce) {
        const Span<const std::int32_t> names = name.subspan(first, std::min(kAtOnce, size - first));
        const std::int32_t least = *std::min_element(names.begin(), names.end());
        const std::int32_t most = *std::max_element(names.begin(), names.end());
        if (least < -1) throw std::invalid_argument("a name is no number of a name");
        const std::scoped_lock lock(adding_);
        const auto needed = static_cast<std::size_t>(std::int64_t{most} + 1);
        if (needed > totals_.size()) totals_.resize(std::max(needed, 2 * totals_.size()));
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (names[k] >= 0)
                totals_[static_cast<std::size_t>(names[k])] += static_cast<std::uint64_t>(duration[first + k]);
        }
    }
}

NameTotals::Halves NameTotals::halves(std::size_t names) const {
    const std::scoped_lock lock(adding_);
    Halves out;
    for (std::size_t name = 0; name < std::min(names, totals_.size()); ++name) {
        out.low.push_back(static_cast<std::int64_t>(static_cast<std::uint32_t>(totals_[name])));
        out.high.push_back(static_cast<std::int64_t>(totals_[name] >> kHalf));
    }
    return out;
}

}  // namespace tilescope
