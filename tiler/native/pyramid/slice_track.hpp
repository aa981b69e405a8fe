// The tile tree of a track of slices (or instants: slices of length 0).
#pragma once

#include "base/counted.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// Columns of a track's slices in canonical order: (start, longer first, order in the file). Not owned.
struct SliceColumns {
    const int64_t* start;
    const int64_t* duration;
    const uint32_t* row;
    const int32_t* name;
    const uint8_t* flags;
    size_t n;

    int64_t end(size_t k) const { return start[k] + duration[k]; }
};

class SliceTrack final : public TrackTiles {
  public:
    // What grows with the slices that are open at once is taken from `budget`, as long as the tiles live. Throws ShortOfBudget.
    SliceTrack(const SliceColumns& slices, int root_level, MemoryBudget* budget = nullptr);

    const std::vector<Tile>& tiles() const override { return tiles_; }
    void append(const Tile& tile, PageColumns& page) const override;
    size_t weight(const Tile& tile) const override;

  private:
    struct Content {
        size_t reaching_first;  // in reaching_: slices that reach in from the left
        size_t reaching_last;
        size_t bins_first;  // in bins_
        size_t bins_last;
    };

    void descend(int level, int64_t index, size_t first, size_t last, size_t reaching_first, size_t reaching_last);
    bool is_leaf(int level, int64_t index, size_t first, size_t last, size_t reaching_first, size_t reaching_last);
    void sum_bins();

    SliceColumns slices_;
    MemoryBudget* budget_;
    std::vector<Tile> tiles_;
    std::vector<Content> contents_;  // by Tile::content
    CountedVector<uint32_t> reaching_;
    CountedVector<Bin> bins_;
    // Scratch of is_leaf: the last bin seen in each row, and in which call.
    CountedVector<std::pair<uint64_t, int64_t>> last_bin_;
    uint64_t call_ = 0;
};

}  // namespace tilescope
