// The tiles of up to 32 neighbouring tracks, in key order, written as pages.
#pragma once

#include <memory>
#include <vector>

#include "pyramid/tiles.hpp"

namespace tilescope {

class Block {
  public:
    explicit Block(uint32_t number) : number_(number) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    void add(int slot, std::unique_ptr<TrackTiles> track);

    // To be called once, when all tracks are in: puts the tiles in the order (level, tile index, slot).
    void seal();

    size_t size() const { return order_.size(); }
    int slot(size_t position) const { return tracks_[order_[position].track].slot; }
    const Tile& tile(size_t position) const {
        return tracks_[order_[position].track].tiles->tiles()[order_[position].tile];
    }
    size_t weight(size_t position) const { return tracks_[order_[position].track].tiles->weight(tile(position)); }

    // The page of tiles [first, last), which are of one level. Throws ShortOfBudget for a tile too large.
    PlannedPage page(size_t first, size_t last, MemoryBudget* budget = nullptr) const;

  private:
    struct Entry {
        int slot;
        std::unique_ptr<TrackTiles> tiles;
    };
    struct Ref {
        int64_t index;
        uint32_t tile;
        uint16_t track;
        uint8_t level;
        uint8_t slot;
    };

    uint32_t number_;
    std::vector<Entry> tracks_;
    std::vector<Ref> order_;
};

}  // namespace tilescope
