#include "pyramid/leaf_sums.hpp"

#include <cstdint>
#include <stdexcept>

namespace tilescope {

void LeafSums::add(const ContainerReader& page, const std::vector<LeafPart>& parts) {
    const LeafPage leaves(page);
    for (std::size_t at = 0; at < parts.size();) {
        const std::size_t tile = parts[at].tile;
        NameSweep sweep(leaves.slices(parts[at]));
        int64_t now = 0;
        for (; at < parts.size() && parts[at].tile == tile; ++at) {
            if (parts[at].first < now || parts[at].stop < parts[at].first) {
                throw std::invalid_argument("parts of a tile are not in order");
            }
            sweep.add(now, parts[at].first, unasked_);
            sweep.add(parts[at].first, parts[at].stop, sums_);
            now = parts[at].stop;
        }
        unasked_.clear();
    }
}

}  // namespace tilescope
