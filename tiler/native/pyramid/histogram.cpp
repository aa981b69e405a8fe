#include "pyramid/histogram.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "pyramid/geometry.hpp"

namespace tilescope {

HistogramWalk::HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                             MemoryBudget* budget, const std::optional<std::vector<int32_t>>& track_names)
    : names_(tracks), tiles_(std::move(tiles)) {
    if (tracks.size() > kTracks) throw std::invalid_argument("too many tracks");
    if (track_names) {
        if (track_names->size() != tracks.size()) throw std::invalid_argument("each track has a name");
        for (std::size_t k = 1; k < track_names->size(); ++k) {
            if ((*track_names)[k - 1] >= (*track_names)[k]) throw std::invalid_argument("names of tracks ascend");
        }
        track_names_.emplace(*track_names);
    }
    for (const SliceColumns& slices : tracks) sweeps_.emplace_back(slices, budget);
    if (tiles_.empty()) return;
    for (const HistogramTile& tile : tiles_) {
        if (tile.level > kMaxLevel || tile.index < 0 || tile.index > tile_at(kTimeLimit - 1, tile.level)) {
            throw std::invalid_argument("a tile begins beyond 2**61");
        }
    }
    // The sweeps begin at the first tile: nothing may lie before it.
    for (const SliceColumns& slices : tracks) {
        if (slices.size() > 0 && slices.start[0] < tile_start(tiles_[0].index, tiles_[0].level)) {
            throw std::invalid_argument("slices start before the first tile");
        }
    }
    open(tiles_[at_++], UINT32_MAX);
}

void HistogramWalk::open(const HistogramTile& tile, uint32_t tracks) {
    if (depth_ == open_.size()) open_.emplace_back(names_, track_names_ ? sweeps_.size() : 0);
    Open& opened = open_[depth_++];
    opened.tile = tile;
    opened.tracks = tracks;
    opened.next_child = 0;
}

void HistogramWalk::sweep(uint32_t tracks, int64_t start, int64_t stop, Open& tile) {
    for (std::size_t k = 0; k < sweeps_.size(); ++k) {
        if ((tracks >> k & 1) == 0) continue;
        if (track_names_) tile.tracks_tally.sweep(k, sweeps_[k], start, stop, tile.tally);
        else sweeps_[k].add(start, stop, tile.tally);
    }
}

bool HistogramWalk::is_next(int level, int64_t index) const {
    return at_ < tiles_.size() && tiles_[at_].level == level && tiles_[at_].index == index;
}

// Gives the tile that was finished last to the one above: as it was put in order, or as it stands, which costs less.
void HistogramWalk::hand_up() {
    if (!finished_) return;
    finished_ = false;
    if (depth_ > 0 && sums_) open_[depth_ - 1].tally.add(std::move(*sums_));
    else if (depth_ > 0) open_[depth_ - 1].tally.take_from(open_[depth_].tally);
    if (depth_ > 0) open_[depth_ - 1].tracks_tally.take_from(open_[depth_].tracks_tally);
    sums_.reset();
}

const NameRows& HistogramWalk::sums() {
    if (!sums_) sums_ = open_[depth_].tally.take();
    return *sums_;
}

bool HistogramWalk::next() {
    hand_up();
    while (depth_ > 0) {
        Open& top = open_[depth_ - 1];
        const HistogramTile& tile = top.tile;
        const uint32_t leaf_of = tile.level == 0 ? UINT32_MAX : tile.leaf_of;
        if (const uint32_t below = top.tracks & ~leaf_of; below != 0 && top.next_child < 4) {
            const int64_t child = 4 * tile.index + top.next_child++;
            if (is_next(tile.level - 1, child)) {
                open(tiles_[at_++], below);
            } else {
                sweep(below, tile_start(child, tile.level - 1), tile_start(child + 1, tile.level - 1), top);
            }
            continue;
        }
        sweep(top.tracks & leaf_of, tile_start(tile.index, tile.level), tile_start(tile.index + 1, tile.level), top);
        --depth_;
        finished_ = true;
        return true;
    }
    if (at_ < tiles_.size()) throw std::invalid_argument("tiles are not in order, or lack their parents");
    return false;
}

}  // namespace tilescope
