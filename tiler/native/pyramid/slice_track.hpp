// The tile tree of a track of slices (or instants: slices of length 0).
#pragma once

#include <optional>

#include "base/counted.hpp"
#include "base/span.hpp"
#include "pyramid/overview.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// Columns of a track's slices in canonical order: (start, longer first, order in the file). Not owned. All of them have one
// size, but rows and flags, which are missing where nobody looks at them. Throws std::invalid_argument.
struct SliceColumns {
    Span<const int64_t> start;
    Span<const int64_t> duration;
    Span<const uint32_t> row;
    Span<const int32_t> name;
    Span<const uint8_t> flags;

    SliceColumns() = default;
    SliceColumns(Span<const int64_t> starts, Span<const int64_t> durations, Span<const int32_t> names)
        : start(starts), duration(durations), name(names) {
        same_size(start, duration, name);
    }
    SliceColumns(Span<const int64_t> starts, Span<const int64_t> durations, Span<const uint32_t> rows,
                 Span<const int32_t> names)
        : SliceColumns(starts, durations, names) {
        same_size(start, rows);
        row = rows;
    }
    SliceColumns(Span<const int64_t> starts, Span<const int64_t> durations, Span<const uint32_t> rows,
                 Span<const int32_t> names, Span<const uint8_t> all_flags)
        : SliceColumns(starts, durations, rows, names) {
        same_size(start, all_flags);
        flags = all_flags;
    }

    size_t size() const { return start.size(); }
    int64_t end(size_t k) const { return start[k] + duration[k]; }
};

class SliceTrack final : public TrackTiles {
  public:
    // Takes memory that grows with the slices that are open at once from `budget`, as long as the tiles live. Throws
    // ShortOfBudget, and std::invalid_argument for times that a run cannot have, or that are not in order. With
    // `overview_level` it sums up the track's part of the overview layer, in bins of that level.
    SliceTrack(const SliceColumns& slices, int root_level, MemoryBudget* budget = nullptr,
               std::optional<int> overview_level = std::nullopt);

    const std::vector<Tile>& tiles() const override { return tiles_; }
    void append(const Tile& tile, PageColumns& page) const override;
    size_t weight(const Tile& tile) const override;
    bool has_slices() const override { return true; }

    // The track's part of the overview layer, to be taken once.
    std::vector<OverviewBin> take_overview() { return std::move(overview_); }

  private:
    struct Content {
        size_t reaching_first;  // in reaching_: slices that reach in from the left
        size_t reaching_last;
        size_t bins_first;  // in bins_
        size_t bins_last;
    };

    CountedVector<uint32_t> look_over();
    void note_reaching(size_t first, size_t last, int64_t tick);
    void descend(int level, int64_t index, size_t first, size_t last, size_t reaching_first, size_t reaching_last);
    bool is_leaf(int level, int64_t index, size_t first, size_t last, size_t reaching_first, size_t reaching_last);
    void sum_bins(CountedVector<uint32_t> in_row, std::optional<int> overview_level);
    void append_all(size_t first, size_t last, PageColumns& page) const;

    SliceColumns slices_;
    MemoryBudget* budget_;
    std::vector<Tile> tiles_;
    std::vector<Content> contents_;  // by Tile::content
    CountedVector<uint32_t> reaching_;
    CountedVector<Bin> bins_;
    std::vector<OverviewBin> overview_;
    // Scratch of note_reaching: when the last slice of each block ends.
    CountedVector<int64_t> block_end_;
    // Scratch of is_leaf: behind the last bin seen in each row, in a tile of its own for each call.
    CountedVector<uint64_t> next_bin_;
    uint64_t call_ = 0;
};

}  // namespace tilescope
