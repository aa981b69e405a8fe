#include "prove/tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

std::size_t ProveTree::page_of(std::size_t tile) const {
    const auto after = std::upper_bound(page_first.begin(), page_first.end(), tile);
    if (after == page_first.begin()) throw std::invalid_argument("a tile lies before all pages");
    return static_cast<std::size_t>(after - page_first.begin()) - 1;
}

std::array<std::size_t, kProveLevels + 1> ProveTree::level_first() const {
    std::array<std::size_t, kProveLevels + 1> first{};
    for (std::size_t z = 0; z <= kProveLevels; ++z) {
        first[z] = static_cast<std::size_t>(std::lower_bound(level.begin(), level.end(), z) - level.begin());
    }
    return first;
}

ProveWalk::ProveWalk(const ProveTree& tree) : tree_(tree), first_(tree.level_first()) {
    std::copy(first_.begin(), first_.end() - 1, next_.begin());
}

void ProveWalk::run(const Visit& enter, const Visit& leave) {
    if (tree_.size() == 0) return;
    visit(tree_.level.back(), 0, enter, leave);
    for (std::size_t z = 0; z < kProveLevels; ++z) {
        if (next_[z] != first_[z + 1]) throw std::invalid_argument("tiles do not form a tree");
    }
}

void ProveWalk::visit(int level, int64_t index, const Visit& enter, const Visit& leave) {
    const auto z = static_cast<std::size_t>(level);
    for (std::size_t tile = next_[z]; tile < first_[z + 1] && tree_.index[tile] == index; ++tile) enter(tile);
    for (int64_t child = 4 * index; z > 0 && child < 4 * index + 4; ++child) {
        if (next_[z - 1] < first_[z] && tree_.index[next_[z - 1]] == child) visit(level - 1, child, enter, leave);
    }
    for (; next_[z] < first_[z + 1] && tree_.index[next_[z]] == index; ++next_[z]) leave(next_[z]);
}

}  // namespace tilescope
