// Goes through tiles that are wanted of some tracks, children before parents, and says which spans of time each is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pyramid/geometry.hpp"

namespace tilescope {

struct HistogramTile {
    int64_t index = 0;
    uint8_t level = 0;
    uint32_t leaf_of = 0;  // tracks, as bits: none of its children is wanted of them
    bool together = true;  // it is wanted of all tracks together, as the one above it
    uint32_t own = 0;  // tracks, as bits: it is wanted of each by itself
};

// Each tile has a `Tally`, which takes those of the tiles below it with `take_from`, and is empty when another has taken it. It is
// told by `close` when spans that follow are of other tiles.
// Memory: one tally per level.
template <typename Tally>
class TileWalk {
  public:
    // `tiles`: in the order (start, higher level first). The first contains all others, and each that is not the first
    // has its parent among them. Throws std::invalid_argument when they are not so. `empty`: what tallies begin as.
    TileWalk(const std::vector<HistogramTile>& tiles, Tally empty) : tiles_(&tiles), empty_(std::move(empty)) {
        for (const HistogramTile& tile : tiles) {
            if (tile.level > kMaxLevel || tile.index < 0 || tile.index > tile_at(kTimeLimit - 1, tile.level)) {
                throw std::invalid_argument("a tile begins beyond 2**61");
            }
        }
        if (!tiles.empty()) open(0, UINT32_MAX);
    }

    // Goes on to the next tile; false: there is none. `sweep` is told of tracks, as bits, the span that comes next of them, and
    // the tally that it is part of: first ticks ascend for each track.
    template <typename Sweep>
    bool next(const Sweep& sweep) {
        hand_up();
        while (depth_ > 0) {
            Open& top = open_[depth_ - 1];
            const HistogramTile& tile = (*tiles_)[top.position];
            const uint32_t leaf_of = tile.level == 0 ? UINT32_MAX : tile.leaf_of;
            if (const uint32_t below = top.tracks & ~leaf_of; below != 0 && top.next_child < 4) {
                const int64_t child = 4 * tile.index + top.next_child++;
                const int level = tile.level - 1;
                if (is_next(level, child)) {
                    top.tally.close();
                    open(next_, below);
                    continue;
                }
                sweep(below, tile_start(child, level), tile_start(child + 1, level), top.tally);
                continue;
            }
            const int64_t start = tile_start(tile.index, tile.level);
            sweep(top.tracks & leaf_of, start, tile_start(tile.index + 1, tile.level), top.tally);
            top.tally.close();
            --depth_;
            finished_ = true;
            return true;
        }
        if (next_ < tiles_->size()) throw std::invalid_argument("tiles are not in order, or lack their parents");
        return false;
    }

    // The position of the tile that was finished last, the tile itself, and its tally.
    std::size_t position() const { return open_[depth_].position; }
    const HistogramTile& tile() const { return (*tiles_)[position()]; }
    Tally& tally() { return open_[depth_].tally; }

  private:
    struct Open {
        std::size_t position = 0;
        uint32_t tracks = 0;  // those that it counts
        int next_child = 0;
        Tally tally;

        explicit Open(Tally empty) : tally(std::move(empty)) {}
    };

    void open(std::size_t position, uint32_t tracks) {
        next_ = position + 1;
        if (depth_ == open_.size()) open_.emplace_back(empty_);
        Open& opened = open_[depth_++];
        opened.position = position;
        opened.tracks = tracks;
        opened.next_child = 0;
    }

    bool is_next(int level, int64_t index) const {
        return next_ < tiles_->size() && (*tiles_)[next_].level == level && (*tiles_)[next_].index == index;
    }

    void hand_up() {
        if (finished_ && depth_ > 0) open_[depth_ - 1].tally.take_from(open_[depth_].tally);
        finished_ = false;
    }

    const std::vector<HistogramTile>* tiles_;
    Tally empty_;
    std::size_t next_ = 0;
    std::deque<Open> open_;  // the first depth_ are in work, and that at depth_ is the tile that was finished last
    std::size_t depth_ = 0;
    bool finished_ = false;  // there is such a tile
};

}  // namespace tilescope
