#include "pyramid/block.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace tilescope {

void Block::add(int slot, std::unique_ptr<TrackTiles> track) {
    if (slot < 0 || slot >= 32) throw std::invalid_argument("slot is not in 0..31");
    tracks_.push_back({slot, std::move(track)});
}

void Block::seal() {
    for (size_t track = 0; track < tracks_.size(); ++track) {
        const auto& tiles = tracks_[track].tiles->tiles();
        for (size_t tile = 0; tile < tiles.size(); ++tile) {
            order_.push_back({tiles[tile].index, static_cast<uint32_t>(tile), static_cast<uint16_t>(track),
                              tiles[tile].level, static_cast<uint8_t>(tracks_[track].slot)});
        }
    }
    std::sort(order_.begin(), order_.end(), [](const Ref& a, const Ref& b) {
        return std::tie(a.level, a.index, a.slot) < std::tie(b.level, b.index, b.slot);
    });
}

PlannedPage Block::page(size_t first, size_t last, MemoryBudget* budget) const {
    if (first >= last || last > order_.size() || order_[first].level != order_[last - 1].level) {
        throw std::invalid_argument("a page holds tiles of one level");
    }
    auto columns = std::make_unique<PageColumns>(budget);
    PageColumns& page = *columns;
    size_t in_leaves = 0;
    for (size_t position = first; position < last; ++position) {
        const Tile& tile = this->tile(position);
        if ((tile.flags & kLeaf) != 0 && tracks_[order_[position].track].tiles->has_slices())
            in_leaves += tile.last - tile.first;
    }
    page.make_room(in_leaves);
    for (size_t position = first; position < last; ++position) {
        const Tile& tile = this->tile(position);
        page.index.push_back(tile.index);
        page.slot.push_back(order_[position].slot);
        page.tile_flags.push_back(tile.flags);
        tracks_[order_[position].track].tiles->append(tile, page);
    }
    return {std::move(columns), order_[first].level, number_};
}

}  // namespace tilescope
